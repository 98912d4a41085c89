package store

import (
	"time"

	"signet/internal/model"
)

// JoinRequest is an organization's wish for an account that another one created.
type JoinRequest struct {
	Organization      model.OrganizationID
	Account           model.AccountID
	Title, Department string
	Created           time.Time
}

// PutJoinRequest notes a request. One that is there stays as it is: added is false.
func (tx *Tx) PutJoinRequest(r JoinRequest) (added bool, err error) {
	n, err := tx.exec(`INSERT INTO join_requests (organization, account, title, department, created) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (organization, account) DO NOTHING`,
		r.Organization, r.Account, r.Title, r.Department, millis(r.Created))
	return n > 0, err
}

// JoinRequest returns an organization's request for an account.
func (tx *Tx) JoinRequest(organization model.OrganizationID, account model.AccountID) (r JoinRequest, found bool,
	err error) {
	var created int64
	r.Organization, r.Account = organization, account
	found, err = tx.One(`SELECT title, department, created FROM join_requests WHERE organization = ? AND account = ?`,
		[]any{organization, account}, &r.Title, &r.Department, &created)
	r.Created = FromMillis(created)
	return r, found, err
}

// DeleteJoinRequest ends a request, and reports whether there was one.
func (tx *Tx) DeleteJoinRequest(organization model.OrganizationID, account model.AccountID) (found bool, err error) {
	n, err := tx.exec(`DELETE FROM join_requests WHERE organization = ? AND account = ?`, organization, account)
	return n > 0, err
}

// JoinRequestsOf returns what organizations ask of accounts, of each in the order of the
// organizations.
func (tx *Tx) JoinRequestsOf(accounts []model.AccountID) (map[model.AccountID][]JoinRequest, error) {
	out := map[model.AccountID][]JoinRequest{}
	err := tx.Query(`SELECT organization, account, title, department, created FROM join_requests WHERE account IN (?*)
		ORDER BY account, organization`, []any{accounts}, func(row Row) error {
		var r JoinRequest
		var created int64
		err := row.Scan(&r.Organization, &r.Account, &r.Title, &r.Department, &created)
		r.Created = FromMillis(created)
		out[r.Account] = append(out[r.Account], r)
		return err
	})
	return out, err
}

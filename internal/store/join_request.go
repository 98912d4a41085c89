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

func (r *JoinRequest) cover(m *mac) {
	m.text("join request")
	m.text(string(r.Organization))
	m.id(r.Account)
	m.number(Millis(r.Created))
}

func (r *JoinRequest) name() Forgery {
	return Forgery{"join_request", string(r.Organization) + " " + r.Account.String()}
}

// joinRequestColumns are those that scanJoinRequest reads.
const joinRequestColumns = `organization, account, title, department, created, code`

// scanJoinRequest reads a request, and reports whether its code is right.
func (tx *Tx) scanJoinRequest(row Row) (r JoinRequest, genuine bool, err error) {
	var created int64
	var code []byte
	if err := row.Scan(&r.Organization, &r.Account, &r.Title, &r.Department, &created, &code); err != nil {
		return r, false, err
	}
	r.Created = FromMillis(created)
	return r, tx.genuine(code, &r), nil
}

// PutJoinRequest notes a request. One that is there stays as it is: added is false.
func (tx *Tx) PutJoinRequest(r JoinRequest) (added bool, err error) {
	code, err := tx.code(&r)
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(`INSERT INTO join_requests (`+joinRequestColumns+`) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (organization, account) DO NOTHING`,
		r.Organization, r.Account, r.Title, r.Department, Millis(r.Created), code)
	return n > 0, err
}

// JoinRequest returns an organization's request for an account.
func (tx *Tx) JoinRequest(organization model.OrganizationID, account model.AccountID) (r JoinRequest, found bool,
	err error) {
	err = tx.Query(`SELECT `+joinRequestColumns+` FROM join_requests r WHERE organization = ? AND account = ?
		AND `+OfStanding+`r.organization))`,
		[]any{organization, account}, func(row Row) (err error) {
			r, found, err = tx.scanJoinRequest(row)
			return err
		})
	if !found {
		r = JoinRequest{}
	}
	return r, found, err
}

// DeleteJoinRequest ends a request, and reports whether there was one.
func (tx *Tx) DeleteJoinRequest(organization model.OrganizationID, account model.AccountID) (found bool, err error) {
	n, err := tx.Exec(`DELETE FROM join_requests WHERE organization = ? AND account = ?`, organization, account)
	return n > 0, err
}

// JoinRequestsOf returns what organizations ask of accounts, of each in the order of the
// organizations.
func (tx *Tx) JoinRequestsOf(accounts []model.AccountID) (map[model.AccountID][]JoinRequest, error) {
	out := map[model.AccountID][]JoinRequest{}
	err := tx.Query(`SELECT `+joinRequestColumns+` FROM join_requests r WHERE account IN (?*)
		AND `+OfStanding+`r.organization))
		ORDER BY account, organization`, []any{accounts}, func(row Row) error {
		r, genuine, err := tx.scanJoinRequest(row)
		if genuine {
			out[r.Account] = append(out[r.Account], r)
		}
		return err
	})
	return out, err
}

// checkJoinRequests checks the codes of a batch of requests.
func (tx *Tx) checkJoinRequests(after []any) (last []any, n int, err error) {
	err = tx.Query(`SELECT `+joinRequestColumns+` FROM join_requests WHERE (organization, account) > (?, ?)
		ORDER BY organization, account LIMIT ? + 0`, after, func(row Row) error {
		r, _, err := tx.scanJoinRequest(row)
		last, n = []any{r.Organization, r.Account}, n+1
		return err
	})
	return last, n, err
}

package store

import (
	"encoding/json"
	"fmt"
	"time"

	"signet/internal/model"
)

// This file has what consoles ask of many organizations, members, groups, keys and queues
// at a time: each statement is for a page of them.

// OrganizationName is what organizations are listed by.
type OrganizationName struct {
	ID   model.OrganizationID
	Name string
}

// OrganizationNames returns those of all organizations, in no particular order. It reads
// the whole table.
func (tx *Tx) OrganizationNames() (out []OrganizationName, err error) {
	err = tx.Query(`SELECT organization, name FROM organizations`, nil, func(row Row) error {
		var o OrganizationName
		err := row.Scan(&o.ID, &o.Name)
		out = append(out, o)
		return err
	})
	return out, err
}

// OrganizationsAmong returns those of the organizations that exist, without counts, in no
// particular order.
func (tx *Tx) OrganizationsAmong(ids []model.OrganizationID) (out []model.Organization, err error) {
	err = tx.Query(`SELECT organization, name, settings, created FROM organizations WHERE organization IN (?*)`,
		[]any{ids}, func(row Row) error {
			var o model.Organization
			var settings []byte
			var created int64
			if err := row.Scan(&o.ID, &o.Name, &settings, &created); err != nil {
				return err
			}
			o.Created = fromMillis(created)
			if err := json.Unmarshal(settings, &o.Settings); err != nil {
				return fmt.Errorf("read settings of %s: %w", o.ID, err)
			}
			out = append(out, o)
			return nil
		})
	return out, err
}

// OrganizationCounts is how much an organization has.
type OrganizationCounts struct {
	Members  int
	Groups   int // that are not deleted
	Requests int // open: for the role of an administrator, and for memberships
	Holds    int // 1: it is under a legal hold
}

// CountsOf returns those of organizations.
func (tx *Tx) CountsOf(ids []model.OrganizationID) (map[model.OrganizationID]*OrganizationCounts, error) {
	out := make(map[model.OrganizationID]*OrganizationCounts, len(ids))
	for _, id := range ids {
		out[id] = new(OrganizationCounts)
	}
	requests := func(id model.OrganizationID) *int { return &out[id].Requests }
	if err := tx.countEach(`SELECT organization, COUNT(*) FROM memberships WHERE organization IN (?*)
		GROUP BY organization`, ids, func(id model.OrganizationID) *int { return &out[id].Members }); err != nil {
		return nil, err
	}
	if err := tx.countEach(`SELECT organization, COUNT(*) FROM groups WHERE organization IN (?*) AND deleted = 0
		GROUP BY organization`, ids, func(id model.OrganizationID) *int { return &out[id].Groups }); err != nil {
		return nil, err
	}
	if err := tx.countEach(`SELECT organization, COUNT(*) FROM roles WHERE organization IN (?*) AND role = 'admin'
		AND pending = 1 GROUP BY organization`, ids, requests); err != nil {
		return nil, err
	}
	if err := tx.countEach(`SELECT organization, COUNT(*) FROM join_requests WHERE organization IN (?*)
		GROUP BY organization`, ids, requests); err != nil {
		return nil, err
	}
	if err := tx.countEach(`SELECT a.created_by, COUNT(*) FROM join_requests j JOIN accounts a ON a.account = j.account
		WHERE a.created_by IN (?*) GROUP BY a.created_by`, ids, requests); err != nil {
		return nil, err
	}
	err := tx.countEach(`SELECT organization, COUNT(*) FROM holds WHERE organization IN (?*) AND released = 0
		GROUP BY organization`, ids, func(id model.OrganizationID) *int { return &out[id].Holds })
	return out, err
}

func (tx *Tx) countEach(query string, ids []model.OrganizationID, count func(model.OrganizationID) *int) error {
	return tx.Query(query, []any{ids}, func(row Row) error {
		var id model.OrganizationID
		var n int
		err := row.Scan(&id, &n)
		*count(id) += n
		return err
	})
}

// MembersAfter lists up to limit accounts of an organization after the given one, in their
// order.
func (tx *Tx) MembersAfter(organization model.OrganizationID, after model.AccountID, limit int) ([]model.AccountID,
	error) {
	return tx.accountList(`SELECT account FROM memberships WHERE organization = ? AND account > ?
		ORDER BY account LIMIT ? + 0`, organization, after, limit)
}

// KeyOwnersAfter lists up to limit accounts that have keys after the given one, in their
// order.
func (tx *Tx) KeyOwnersAfter(after model.AccountID, limit int) ([]model.AccountID, error) {
	return tx.accountList(`SELECT DISTINCT account FROM keys WHERE account > ? ORDER BY account LIMIT ? + 0`, after,
		limit)
}

// RequestsAfter lists up to limit accounts after the given one that ask for a role in an
// organization, in their order.
func (tx *Tx) RequestsAfter(organization model.OrganizationID, role string, after model.AccountID,
	limit int) ([]model.AccountID, error) {
	return tx.accountList(`SELECT account FROM roles WHERE organization = ? AND role = ? AND pending = 1
		AND account > ? ORDER BY account LIMIT ? + 0`, organization, role, after, limit)
}

func (tx *Tx) accountList(query string, args ...any) (out []model.AccountID, err error) {
	err = tx.Query(query, args, func(row Row) error {
		var id model.AccountID
		err := row.Scan(&id)
		out = append(out, id)
		return err
	})
	return out, err
}

// PendingRoles returns what roles accounts ask for in an organization.
func (tx *Tx) PendingRoles(organization model.OrganizationID,
	accounts []model.AccountID) (map[model.AccountID][]string, error) {
	out := map[model.AccountID][]string{}
	err := tx.Query(`SELECT account, role FROM roles WHERE organization = ? AND account IN (?*) AND pending = 1
		ORDER BY account, role`, []any{organization, accounts}, func(row Row) error {
		var account model.AccountID
		var role string
		err := row.Scan(&account, &role)
		out[account] = append(out[account], role)
		return err
	})
	return out, err
}

// KeysOfEach returns the keys of several accounts, of each in the order of their names.
func (tx *Tx) KeysOfEach(accounts []model.AccountID) (map[model.AccountID][]model.Key, error) {
	out := make(map[model.AccountID][]model.Key, len(accounts))
	err := tx.keys(func(k *model.Key) { out[k.Account] = append(out[k.Account], *k) },
		`account IN (?*) ORDER BY account, api_key`, accounts)
	return out, err
}

// GroupFigures is what a group comes to without its members' names.
type GroupFigures struct {
	Members     int
	LastMessage time.Time // zero: none was sent
}

// FiguresOfGroups returns those of groups that exist.
func (tx *Tx) FiguresOfGroups(ids []model.GroupID) (map[model.GroupID]GroupFigures, error) {
	out := make(map[model.GroupID]GroupFigures, len(ids))
	err := tx.Query(`SELECT g.group_token, g.last_message,
		(SELECT COUNT(*) FROM group_members m WHERE m.group_token = g.group_token)
		FROM groups g WHERE g.group_token IN (?*)`, []any{ids}, func(row Row) error {
		var id model.GroupID
		var f GroupFigures
		var last int64
		err := row.Scan(&id, &last, &f.Members)
		f.LastMessage = fromMillis(last)
		out[id] = f
		return err
	})
	return out, err
}

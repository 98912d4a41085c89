// Package overview reads what consoles ask of many organizations, members, groups and queues
// at a time, each statement for a page of them, and counts what waits to be swept or read.
//
// It owns no table, and changes nothing. It does not know who may ask (internal/overview).
package overview

import (
	"encoding/json"
	"fmt"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// OrganizationName is what organizations are listed by.
type OrganizationName struct {
	ID   model.OrganizationID
	Name string
}

// OrganizationNames returns those of all organizations, in no particular order. It reads
// the whole table.
func OrganizationNames(tx *store.Tx) ([]OrganizationName, error) {
	return store.List(tx, `SELECT organization, name FROM organizations`, nil,
		func(o *OrganizationName, row store.Row) error { return row.Scan(&o.ID, &o.Name) })
}

// OrganizationsAmong returns those of the organizations that exist, without counts, in no
// particular order.
func OrganizationsAmong(tx *store.Tx, ids []model.OrganizationID) ([]model.Organization, error) {
	return store.List(tx, `SELECT organization, name, settings, created FROM organizations WHERE organization IN (?*)`,
		[]any{ids}, func(o *model.Organization, row store.Row) error {
			var settings []byte
			var created int64
			if err := row.Scan(&o.ID, &o.Name, &settings, &created); err != nil {
				return err
			}
			o.Created = store.FromMillis(created)
			if err := json.Unmarshal(settings, &o.Settings); err != nil {
				return fmt.Errorf("read settings of %s: %w", o.ID, err)
			}
			return nil
		})
}

// Counts is how much an organization has.
type Counts struct {
	Members  int
	Groups   int // that are not deleted
	Requests int // open: for the role of an administrator, and for memberships
	Holds    int // 1: it is under a legal hold
}

// CountsOf returns those of organizations.
func CountsOf(tx *store.Tx, ids []model.OrganizationID) (map[model.OrganizationID]*Counts, error) {
	out := make(map[model.OrganizationID]*Counts, len(ids))
	for _, id := range ids {
		out[id] = new(Counts)
	}
	if err := countEach(tx, `SELECT organization, COUNT(*) FROM memberships WHERE organization IN (?*)
		GROUP BY organization`, ids, func(id model.OrganizationID) *int { return &out[id].Members }); err != nil {
		return nil, err
	}
	if err := countEach(tx, `SELECT organization, COUNT(*) FROM groups WHERE organization IN (?*) AND deleted = 0
		GROUP BY organization`, ids, func(id model.OrganizationID) *int { return &out[id].Groups }); err != nil {
		return nil, err
	}
	if err := countRequests(tx, ids, func(id model.OrganizationID) *int { return &out[id].Requests }); err != nil {
		return nil, err
	}
	err := countEach(tx, `SELECT organization, COUNT(*) FROM holds WHERE organization IN (?*) AND released = 0
		GROUP BY organization`, ids, func(id model.OrganizationID) *int { return &out[id].Holds })
	return out, err
}

// RequestsIn counts the requests of an organization that are open.
func RequestsIn(tx *store.Tx, id model.OrganizationID) (n int, err error) {
	err = countRequests(tx, []model.OrganizationID{id}, func(model.OrganizationID) *int { return &n })
	return n, err
}

// countRequests counts those for the role of an administrator, and those for memberships: that an
// organization wants, and of accounts that it created.
func countRequests(tx *store.Tx, ids []model.OrganizationID, count func(model.OrganizationID) *int) error {
	if err := countEach(tx, `SELECT organization, COUNT(*) FROM roles WHERE organization IN (?*) AND role = 'admin'
		AND pending = 1 GROUP BY organization`, ids, count); err != nil {
		return err
	}
	if err := countEach(tx, `SELECT organization, COUNT(*) FROM join_requests WHERE organization IN (?*)
		GROUP BY organization`, ids, count); err != nil {
		return err
	}
	return countEach(tx, `SELECT a.created_by, COUNT(*) FROM join_requests j JOIN accounts a ON a.account = j.account
		WHERE a.created_by IN (?*) AND `+store.OfStanding+`j.organization))
		GROUP BY a.created_by`, ids, count)
}

// Usage is what an organization has stored, counted up to a limit.
type Usage struct {
	Messages    int   // that are not erased yet
	Attachments int   // that messages refer to, however many do
	Bytes       int64 // of these attachments, before they are sealed
}

// UsageOf returns that of an organization. Of messages and of attachments it counts up to limit.
func UsageOf(tx *store.Tx, organization model.OrganizationID, limit int) (u Usage, err error) {
	if _, err := tx.One(`SELECT COUNT(*) FROM (SELECT 1 FROM messages WHERE organization_number = ? LIMIT ? + 0) m`,
		[]any{tx.Numbered(organization), limit}, &u.Messages); err != nil {
		return u, err
	}
	u.Attachments, u.Bytes, err = AttachmentsOf(tx, organization, limit)
	return u, err
}

// AttachmentsOf returns how many attachments the messages of an organization refer to, counted up to
// limit, and how many bytes these have.
func AttachmentsOf(tx *store.Tx, organization model.OrganizationID, limit int) (n int, bytes int64, err error) {
	_, err = tx.One(`SELECT COUNT(*), CAST(COALESCE(SUM(b.bytes), 0) AS BIGINT) FROM (SELECT DISTINCT blob FROM messages
		WHERE organization_number = ? AND length(blob) > 0 LIMIT ? + 0) m JOIN blobs b ON b.blob = m.blob`,
		[]any{tx.Numbered(organization), limit}, &n, &bytes)
	return n, bytes, err
}

func countEach(tx *store.Tx, query string, ids []model.OrganizationID, count func(model.OrganizationID) *int) error {
	return tx.Query(query, []any{ids}, func(row store.Row) error {
		var id model.OrganizationID
		var n int
		err := row.Scan(&id, &n)
		*count(id) += n
		return err
	})
}

// KeyOwnersAfter lists up to limit accounts that have keys after the given one, in their
// order.
func KeyOwnersAfter(tx *store.Tx, after model.AccountID, limit int) ([]model.AccountID, error) {
	return store.Column[model.AccountID](tx, `SELECT DISTINCT account FROM keys WHERE account > ? ORDER BY account LIMIT ? + 0`, after,
		limit)
}

// RequestsAfter lists up to limit accounts after the given one that ask for a role in an
// organization, in their order.
func RequestsAfter(tx *store.Tx, organization model.OrganizationID, role string, after model.AccountID,
	limit int) ([]model.AccountID, error) {
	return store.Column[model.AccountID](tx, `SELECT account FROM roles WHERE organization = ? AND role = ? AND pending = 1
		AND account > ? ORDER BY account LIMIT ? + 0`, organization, role, after, limit)
}

// PendingRole is a role that is asked for.
type PendingRole struct {
	Role  string
	Since time.Time
}

// RoleNames returns what is asked for, without the times.
func RoleNames(pending []PendingRole) (names []string) {
	for _, p := range pending {
		names = append(names, p.Role)
	}
	return names
}

// PendingRoles returns what roles accounts ask for in an organization, of each in their order.
func PendingRoles(tx *store.Tx, organization model.OrganizationID,
	accounts []model.AccountID) (map[model.AccountID][]PendingRole, error) {
	out := map[model.AccountID][]PendingRole{}
	err := tx.Query(`SELECT account, role, asked FROM roles WHERE organization = ? AND account IN (?*) AND pending = 1
		ORDER BY account, role`, []any{organization, accounts}, func(row store.Row) error {
		var account model.AccountID
		var pending PendingRole
		var asked int64
		err := row.Scan(&account, &pending.Role, &asked)
		pending.Since = store.FromMillis(asked)
		out[account] = append(out[account], pending)
		return err
	})
	return out, err
}

// GroupFigures are the figures of a group that do not name its members.
type GroupFigures struct {
	Members     int
	LastMessage time.Time // zero: none was sent
}

// FiguresOfGroups returns those of groups that exist.
func FiguresOfGroups(tx *store.Tx, ids []model.GroupID) (map[model.GroupID]GroupFigures, error) {
	out := make(map[model.GroupID]GroupFigures, len(ids))
	err := tx.Query(`SELECT g.group_token, g.last_message,
		(SELECT COUNT(*) FROM group_members m WHERE m.group_token = g.group_token)
		FROM groups g WHERE g.group_token IN (?*)`, []any{ids}, func(row store.Row) error {
		var id model.GroupID
		var f GroupFigures
		var last int64
		err := row.Scan(&id, &last, &f.Members)
		f.LastMessage = store.FromMillis(last)
		out[id] = f
		return err
	})
	return out, err
}

// JoinsAfter lists up to limit accounts after the given one that an organization wants, or
// that it created and others want, in their order.
func JoinsAfter(tx *store.Tx, organization model.OrganizationID, after model.AccountID, limit int) ([]model.AccountID,
	error) {
	return store.Column[model.AccountID](tx, `SELECT DISTINCT j.account FROM join_requests j JOIN accounts a ON a.account = j.account
		WHERE (j.organization = ? OR a.created_by = ?) AND j.account > ? AND `+store.OfStanding+`j.organization))
		ORDER BY j.account LIMIT ? + 0`,
		organization, organization, after, limit)
}

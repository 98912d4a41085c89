// Package provision keeps which members of an organization its directory keeps by SCIM, and what the directory
// calls them.
//
// It owns scim_people; which groups a directory keeps is a column of groups. It does not know SCIM
// (internal/scim), nor what a directory may change (people, service).
package provision

import (
	"signet/internal/model"
	"signet/internal/store"
)

// Person is a member whom a directory keeps.
type Person struct {
	Organization model.OrganizationID
	Account      model.AccountID
	Name         string // the userName, as the directory gives it
	ExternalID   string // may be empty
}

func scan(p *Person, row store.Row) error {
	return row.Scan(&p.Organization, &p.Account, &p.Name, &p.ExternalID)
}

const columns = `organization, account, name, external_id`

// Of returns what a directory of an organization calls a member.
func Of(tx *store.Tx, organization model.OrganizationID, account model.AccountID) (Person, bool, error) {
	return store.First(tx, `SELECT `+columns+` FROM scim_people WHERE organization = ? AND account = ?`,
		[]any{organization, account}, scan)
}

// OfEach returns that of several members; one whom no directory keeps is left out.
func OfEach(tx *store.Tx, organization model.OrganizationID, accounts []model.AccountID) (
	map[model.AccountID]Person, error) {
	all, err := store.List(tx, `SELECT `+columns+` FROM scim_people WHERE organization = ? AND account IN (?*)`,
		[]any{organization, accounts}, scan)
	out := make(map[model.AccountID]Person, len(all))
	for _, p := range all {
		out[p.Account] = p
	}
	return out, err
}

// Keeps reports whether a directory of some organization keeps an account.
func Keeps(tx *store.Tx, account model.AccountID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM scim_people WHERE account = ? LIMIT 1`, []any{account}, &one)
}

// Named returns whom the directory of an organization calls so.
func Named(tx *store.Tx, organization model.OrganizationID, name string) (account model.AccountID, found bool,
	err error) {
	found, err = tx.One(`SELECT account FROM scim_people WHERE organization = ? AND folded = ?`,
		[]any{organization, model.FoldName(name)}, &account)
	return account, found, err
}

// External lists those who have an external id in the directory of an organization: one, if the directory is in
// order.
func External(tx *store.Tx, organization model.OrganizationID, id string) ([]model.AccountID, error) {
	return store.Column[model.AccountID](tx, `SELECT account FROM scim_people WHERE organization = ? AND external_id = ?
		AND external_id <> '' ORDER BY account`, organization, id)
}

// Put says what the directory of an organization calls a member. free is false where it calls another one so, and
// nothing is changed then.
func Put(tx *store.Tx, p Person) (free bool, err error) {
	owner, taken, err := Named(tx, p.Organization, p.Name)
	if err != nil || taken && owner != p.Account {
		return false, err
	}
	n, err := tx.Exec(`UPDATE scim_people SET name = ?, folded = ?, external_id = ? WHERE organization = ? AND account = ?`,
		p.Name, model.FoldName(p.Name), p.ExternalID, p.Organization, p.Account)
	if err != nil || n > 0 {
		return true, err
	}
	// Of two who take a name at a time, one finds it taken.
	n, err = tx.Exec(`INSERT INTO scim_people (organization, account, name, folded, external_id) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, p.Organization, p.Account, p.Name, model.FoldName(p.Name), p.ExternalID)
	return n > 0, err
}

// Leave forgets that the directory of an organization keeps an account.
func Leave(tx *store.Tx, organization model.OrganizationID, account model.AccountID) error {
	return tx.Post(`DELETE FROM scim_people WHERE organization = ? AND account = ?`, organization, account)
}

// MembersFrom lists up to limit members of an organization in the order of their tokens, after so many others.
func MembersFrom(tx *store.Tx, organization model.OrganizationID, skip, limit int) ([]model.AccountID, error) {
	return store.Column[model.AccountID](tx, `SELECT account FROM memberships m WHERE organization = ?
		AND `+store.OfStanding+`m.organization)) ORDER BY account LIMIT ? + 0 OFFSET ? + 0`, organization, limit, skip)
}

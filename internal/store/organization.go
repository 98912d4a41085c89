package store

import (
	"encoding/json"
	"fmt"

	"signet/internal/model"
)

// InsertOrganization adds an organization without members.
func (tx *Tx) InsertOrganization(o *model.Organization) error {
	settings, err := json.Marshal(o.Settings)
	if err != nil {
		return err
	}
	err = tx.Post(`INSERT INTO organizations (organization, name, settings, created) VALUES (?, ?, ?, ?)`,
		o.ID, o.Name, string(settings), Millis(o.Created))
	if err != nil {
		return err
	}
	return tx.insertNumber(o.ID)
}

// UpdateOrganization stores a name and settings.
func (tx *Tx) UpdateOrganization(o *model.Organization) error {
	settings, err := json.Marshal(o.Settings)
	if err != nil {
		return err
	}
	err = tx.Post(`UPDATE organizations SET name = ?, settings = ? WHERE organization = ?`, o.Name, string(settings), o.ID)
	return err
}

// Organization returns an organization, without its count of members.
func (tx *Tx) Organization(id model.OrganizationID) (o model.Organization, found bool, err error) {
	var settings []byte
	var created int64
	found, err = tx.One(`SELECT organization, name, settings, created FROM organizations WHERE organization = ?`,
		[]any{id},
		&o.ID, &o.Name, &settings, &created)
	if err != nil || !found {
		return o, false, err
	}
	o.Created = FromMillis(created)
	if err := json.Unmarshal(settings, &o.Settings); err != nil {
		return o, false, fmt.Errorf("read settings of %s: %w", id, err)
	}
	return o, true, nil
}

// NamesOfOrganizations returns the names of those of the organizations that exist.
func (tx *Tx) NamesOfOrganizations(ids []model.OrganizationID) (map[model.OrganizationID]string, error) {
	names := make(map[model.OrganizationID]string, len(ids))
	err := tx.Query(`SELECT organization, name FROM organizations WHERE organization IN (?*)`, []any{ids},
		func(row Row) error {
			var id model.OrganizationID
			var name string
			err := row.Scan(&id, &name)
			names[id] = name
			return err
		})
	return names, err
}

// CountMembers returns how many accounts belong to an organization.
func (tx *Tx) CountMembers(id model.OrganizationID) (n int, err error) {
	_, err = tx.One(`SELECT COUNT(*) FROM memberships m WHERE organization = ?
		AND `+OfStanding+`m.organization))`, []any{id}, &n)
	return n, err
}

// HasOrganization reports whether there is any organization.
func (tx *Tx) HasOrganization() (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM organizations LIMIT 1`, nil, &one)
}

// OfStanding selects what is of an organization that was not deleted, or of none. A column
// with its token follows, and two parentheses. What a deleted one holds may be very much, and is
// erased in pieces: so that it is gone at once, all look here who read memberships, roles,
// keys and conversations. There is hardly ever a row, which is asked once for all rows of a
// statement.
const OfStanding = `(NOT EXISTS (SELECT 1 FROM organization_erasures)
	OR NOT EXISTS (SELECT 1 FROM organization_erasures x WHERE x.organization = `

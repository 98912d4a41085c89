// Package metadata keeps what applications put down about accounts and groups of an organization,
// and how much that is.
//
// It owns metadata and metadata_sizes. It does not know what it says, which is sealed (package
// content).
package metadata

import (
	"slices"

	"signet/internal/model"
	"signet/internal/store"
)

// Put replaces what is kept for an entity in an organization. It returns how many
// bytes the organization has then, and whether these became more.
func Put(tx *store.Tx, organization model.OrganizationID, entity model.EntityID, content []byte) (total int64,
	grew bool, err error) {
	if total, grew, err = resize(tx, organization, entity, len(content)); err != nil {
		return 0, false, err
	}
	return total, grew, tx.Post(`INSERT INTO metadata (organization, entity, content) VALUES (?, ?, ?)
		ON CONFLICT (organization, entity) DO UPDATE SET content = excluded.content`, organization, entity, content)
}

// Of returns what is kept for an entity in an organization.
func Of(tx *store.Tx, organization model.OrganizationID, entity model.EntityID) (content []byte, found bool,
	err error) {
	found, err = tx.One(`SELECT content FROM metadata WHERE organization = ? AND entity = ?`, []any{organization, entity},
		&content)
	return content, found, err
}

// Delete removes it.
func Delete(tx *store.Tx, organization model.OrganizationID, entity model.EntityID) error {
	if _, _, err := resize(tx, organization, entity, 0); err != nil {
		return err
	}
	return tx.Post(`DELETE FROM metadata WHERE organization = ? AND entity = ?`, organization, entity)
}

// resize counts what is to take the place of an entity's metadata. The sum is
// changed first, which locks it: so no other transaction changes that metadata meanwhile.
func resize(tx *store.Tx, organization model.OrganizationID, entity model.EntityID, size int) (total int64,
	grew bool, err error) {
	if total, err = grow(tx, organization, int64(size)); err != nil {
		return 0, false, err
	}
	var before int64
	found, err := tx.One(`SELECT LENGTH(content) FROM metadata WHERE organization = ? AND entity = ?`,
		[]any{organization, entity}, &before)
	if err == nil && found {
		total, err = grow(tx, organization, -before)
	}
	return total, int64(size) > before, err
}

func grow(tx *store.Tx, organization model.OrganizationID, by int64) (total int64, err error) {
	_, err = tx.One(`INSERT INTO metadata_sizes (organization, bytes) VALUES (?, ?)
		ON CONFLICT (organization) DO UPDATE SET bytes = metadata_sizes.bytes + excluded.bytes RETURNING bytes`,
		[]any{organization, by}, &total)
	return total, err
}

// OrganizationsOf returns up to limit organizations in which something is kept for an entity.
func OrganizationsOf(tx *store.Tx, entity model.EntityID, limit int) ([]model.OrganizationID, error) {
	return store.Column[model.OrganizationID](tx, `SELECT organization FROM metadata WHERE entity = ? LIMIT ? + 0`, entity,
		limit)
}

// Erase removes what is kept for an entity in these organizations.
func Erase(tx *store.Tx, entity model.EntityID, in []model.OrganizationID) error {
	slices.Sort(in)
	for _, organization := range in {
		if err := Delete(tx, organization, entity); err != nil {
			return err
		}
	}
	return nil
}

// Row is what is kept for an entity in an organization.
type Row struct {
	Organization model.OrganizationID
	Entity       model.EntityID
	Content      []byte
}

// After returns up to limit rows in the order of their keys, from the one
// after the given one.
func After(tx *store.Tx, organization model.OrganizationID, entity model.EntityID, limit int) ([]Row,
	error) {
	return store.List(tx, `SELECT organization, entity, content FROM metadata WHERE (organization, entity) > (?, ?)
			ORDER BY organization, entity LIMIT ? + 0`, []any{organization, entity, limit},
		func(m *Row, row store.Row) error { return row.Scan(&m.Organization, &m.Entity, &m.Content) })
}

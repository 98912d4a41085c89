package store

import (
	"slices"

	"signet/internal/model"
)

// PutMetadata replaces what is kept for an entity in an organization. It returns how many
// bytes the organization has then, and whether these became more.
func (tx *Tx) PutMetadata(organization model.OrganizationID, entity model.EntityID, content []byte) (total int64,
	grew bool, err error) {
	if total, grew, err = tx.resizeMetadata(organization, entity, len(content)); err != nil {
		return 0, false, err
	}
	return total, grew, tx.Post(`INSERT INTO metadata (organization, entity, content) VALUES (?, ?, ?)
		ON CONFLICT (organization, entity) DO UPDATE SET content = excluded.content`, organization, entity, content)
}

// Metadata returns what is kept for an entity in an organization.
func (tx *Tx) Metadata(organization model.OrganizationID, entity model.EntityID) (content []byte, found bool,
	err error) {
	found, err = tx.One(`SELECT content FROM metadata WHERE organization = ? AND entity = ?`, []any{organization, entity},
		&content)
	return content, found, err
}

// DeleteMetadata removes it.
func (tx *Tx) DeleteMetadata(organization model.OrganizationID, entity model.EntityID) error {
	if _, _, err := tx.resizeMetadata(organization, entity, 0); err != nil {
		return err
	}
	return tx.Post(`DELETE FROM metadata WHERE organization = ? AND entity = ?`, organization, entity)
}

// resizeMetadata counts what is to take the place of an entity's metadata. The sum is
// changed first, which locks it: so no other transaction changes that metadata meanwhile.
func (tx *Tx) resizeMetadata(organization model.OrganizationID, entity model.EntityID, size int) (total int64,
	grew bool, err error) {
	if total, err = tx.growMetadata(organization, int64(size)); err != nil {
		return 0, false, err
	}
	var before int64
	found, err := tx.One(`SELECT LENGTH(content) FROM metadata WHERE organization = ? AND entity = ?`,
		[]any{organization, entity}, &before)
	if err == nil && found {
		total, err = tx.growMetadata(organization, -before)
	}
	return total, int64(size) > before, err
}

func (tx *Tx) growMetadata(organization model.OrganizationID, by int64) (total int64, err error) {
	_, err = tx.One(`INSERT INTO metadata_sizes (organization, bytes) VALUES (?, ?)
		ON CONFLICT (organization) DO UPDATE SET bytes = metadata_sizes.bytes + excluded.bytes RETURNING bytes`,
		[]any{organization, by}, &total)
	return total, err
}

// MetadataOf returns up to limit organizations in which something is kept for an entity.
func (tx *Tx) MetadataOf(entity model.EntityID, limit int) ([]model.OrganizationID, error) {
	return Column[model.OrganizationID](tx, `SELECT organization FROM metadata WHERE entity = ? LIMIT ? + 0`, entity,
		limit)
}

// EraseMetadata removes what is kept for an entity in these organizations.
func (tx *Tx) EraseMetadata(entity model.EntityID, in []model.OrganizationID) error {
	slices.Sort(in)
	for _, organization := range in {
		if err := tx.DeleteMetadata(organization, entity); err != nil {
			return err
		}
	}
	return nil
}

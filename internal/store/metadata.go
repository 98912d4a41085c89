package store

import "signet/internal/model"

// PutMetadata replaces what is kept for an entity in an organization.
func (tx *Tx) PutMetadata(organization model.OrganizationID, entity model.EntityID, content []byte) error {
	err := tx.post(`INSERT INTO metadata (organization, entity, content) VALUES (?, ?, ?)
		ON CONFLICT (organization, entity) DO UPDATE SET content = excluded.content`, organization, entity, content)
	return err
}

// Metadata returns what is kept for an entity in an organization.
func (tx *Tx) Metadata(organization model.OrganizationID, entity model.EntityID) (content []byte, found bool,
	err error) {
	found, err = tx.one(`SELECT content FROM metadata WHERE organization = ? AND entity = ?`, []any{organization, entity},
		&content)
	return content, found, err
}

// DeleteMetadata removes it.
func (tx *Tx) DeleteMetadata(organization model.OrganizationID, entity model.EntityID) error {
	err := tx.post(`DELETE FROM metadata WHERE organization = ? AND entity = ?`, organization, entity)
	return err
}

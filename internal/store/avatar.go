package store

import "signet/internal/model"

// Avatar is a stored picture of an account or a group.
type Avatar struct {
	Blob        model.BlobID
	Entity      model.EntityID
	Group       bool
	ContentType string
}

// InsertAvatar notes whose picture some bytes are.
func (tx *Tx) InsertAvatar(a Avatar) error {
	return tx.Post(`INSERT INTO avatars (blob, entity, is_group, content_type) VALUES (?, ?, ?, ?)`, a.Blob, a.Entity,
		a.Group, a.ContentType)
}

// Avatar returns whose picture some bytes are.
func (tx *Tx) Avatar(id model.BlobID) (a Avatar, found bool, err error) {
	found, err = tx.One(`SELECT blob, entity, is_group, content_type FROM avatars WHERE blob = ?`, []any{id}, &a.Blob,
		&a.Entity, &a.Group, &a.ContentType)
	return a, found, err
}

// DeleteAvatar forgets a picture.
func (tx *Tx) DeleteAvatar(id model.BlobID) error {
	return tx.Post(`DELETE FROM avatars WHERE blob = ?`, id)
}

package store

import "signet/internal/model"

// ReferToBlob counts one more message that refers to an attachment's bytes, of which there are size.
func (tx *Tx) ReferToBlob(id model.BlobID, size int64) error {
	if id.IsZero() {
		return nil
	}
	return tx.Post(`INSERT INTO blobs (blob, refs, bytes) VALUES (?, 1, ?)
		ON CONFLICT (blob) DO UPDATE SET refs = blobs.refs + 1`, id, size)
}

// DropReference counts one less. With the last one the bytes are put up for
// erasure, in the same transaction.
func (tx *Tx) DropReference(id model.BlobID) error {
	if id.IsZero() {
		return nil
	}
	var refs int
	if _, err := tx.One(`UPDATE blobs SET refs = refs - 1 WHERE blob = ? RETURNING refs`, []any{id}, &refs); err != nil ||
		refs > 0 {
		return err
	}
	if err := tx.Post(`DELETE FROM blobs WHERE blob = ?`, id); err != nil {
		return err
	}
	return tx.Post(`INSERT INTO erasures (blob) VALUES (?) ON CONFLICT (blob) DO NOTHING`, id)
}

// BlobInUse reports whether anything refers to the bytes.
func (tx *Tx) BlobInUse(id model.BlobID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM blobs WHERE blob = ?`, []any{id}, &one)
}

// BlobsInUse returns those of some blobs whose bytes something refers to.
func (tx *Tx) BlobsInUse(ids []model.BlobID) (map[model.BlobID]bool, error) {
	used := make(map[model.BlobID]bool, len(ids))
	found, err := Column[model.BlobID](tx, `SELECT blob FROM blobs WHERE blob IN (?*)`, ids)
	for _, id := range found {
		used[id] = true
	}
	return used, err
}

// BlobsAfter lists up to limit attachments and avatars whose bytes something refers to,
// in order, from the one after a given one on.
func (tx *Tx) BlobsAfter(after model.BlobID, limit int) ([]model.BlobID, error) {
	return Column[model.BlobID](tx, `SELECT blob FROM blobs WHERE blob > ? ORDER BY blob LIMIT ? + 0`, after, limit)
}

// Erasures lists up to limit attachments with bytes to erase, in order, from the one after a given one on.
func (tx *Tx) Erasures(after model.BlobID, limit int) ([]model.BlobID, error) {
	return Column[model.BlobID](tx, `SELECT blob FROM erasures WHERE blob > ? ORDER BY blob LIMIT ? + 0`, after, limit)
}

// DeleteErasures forgets attachments whose bytes are gone.
func (tx *Tx) DeleteErasures(ids []model.BlobID) error {
	return tx.Post(`DELETE FROM erasures WHERE blob IN (?*)`, ids)
}

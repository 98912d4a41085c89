package threads

import (
	"bytes"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Place is where a message stands in a thread.
type Place struct {
	Sort    int64
	Message model.MessageID
}

// Places returns where the newest messages of a thread stand, the newest first, without those
// that were recalled. It reads the index only.
func Places(tx *store.Tx, t *Thread, limit int) ([]Place, error) {
	out := make([]Place, 0, limit)
	err := tx.Query(`SELECT m.message, m.sort FROM messages m
		WHERE m.organization_number = ? AND m.thread = ? AND m.sort > ? AND m.sort < ? AND m.recalled = 0
		ORDER BY m.sort DESC LIMIT ? + 0`,
		[]any{tx.Numbered(t.Organization), t.thread(), t.After, t.Before, limit}, func(row store.Row) error {
			var p Place
			err := row.Scan(&p.Message, &p.Sort)
			out = append(out, p)
			return err
		})
	return out, err
}

// Sought is which messages somebody looks for, as far as their rows say it.
type Sought struct {
	Since, Until time.Time // from the one on, before the other; zero: any time
	Sender       *model.AccountID
	Attachment   bool // it has one
}

// EachContent calls fn with those of an organization's messages that are sought, in any order.
// Of the rows there are the identifier and the sealed content only. It leaves out what was
// recalled or has ended, and what goes once it was read.
func EachContent(tx *store.Tx, organization model.OrganizationID, ids []model.MessageID, s *Sought, now time.Time,
	fn func(*store.MessageRow) error) error {
	until := store.Never
	if !s.Until.IsZero() {
		until = store.Millis(s.Until)
	}
	first, last, file := model.AccountID{}, model.AccountID(bytes.Repeat([]byte{0xff}, 16)), 0
	if s.Sender != nil {
		first, last = *s.Sender, *s.Sender
	}
	if s.Attachment {
		file = 1
	}
	row := store.MessageRow{Message: model.Message{Organization: organization}}
	dest := []any{&row.ID, &row.Sealed}
	return tx.Query(`SELECT m.message, m.content FROM messages m WHERE m.organization_number = ? AND m.message IN (?*)
		AND m.recalled = 0 AND m.dor = 0 AND m.ends > ? AND m.created >= ? AND m.created < ?
		AND m.sender BETWEEN ? AND ? AND LENGTH(m.blob) >= ?`,
		[]any{tx.Numbered(organization), ids, store.Millis(now), store.Millis(s.Since), until, first, last, file},
		func(r store.Row) error {
			if err := r.Scan(dest...); err != nil {
				return err
			}
			return fn(&row)
		})
}

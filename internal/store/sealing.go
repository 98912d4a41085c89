package store

import (
	"context"
	"time"
)

// KeyDay is the day by which the key of a message is chosen, in days since 1970, UTC:
// that on which it expires, or on which it was sent where it lasts, without expiring.
type KeyDay struct {
	Lasting bool
	Day     int64
}

const dayMillis = 24 * 60 * 60 * 1000

// KeyDay returns the day of a message's key. It never changes.
func (m *MessageRow) KeyDay() KeyDay {
	if m.Expires.IsZero() {
		return KeyDay{Lasting: true, Day: m.Created.UnixMilli() / dayMillis}
	}
	return KeyDay{Day: m.Expires.UnixMilli() / dayMillis}
}

// Bounds are its first millisecond, and that after its last one.
func (d KeyDay) Bounds() (start, end int64) { return d.Day * dayMillis, (d.Day + 1) * dayMillis }

// Start is the first moment of the day.
func (d KeyDay) Start() time.Time { return time.UnixMilli(d.Day * dayMillis).UTC() }

// ends is the stored end of a message as it is sent. Of one that lasts it holds the
// day, so that the index on the ends tells what is left of a day.
func (m *MessageRow) ends() int64 {
	if day := m.KeyDay(); day.Lasting {
		return Never + day.Day
	}
	return EndMillis(m.Expires)
}

// Keyring returns the identifier of the key ring that content is sealed with; empty
// where none is yet.
func (s *Store) Keyring(ctx context.Context) (id string, err error) { return s.meta(ctx, metaKeyring) }

// SettleKeyring notes the key ring, and returns the one that is noted: another where
// another node was first.
func (s *Store) SettleKeyring(ctx context.Context, id string) (settled string, err error) {
	err = s.Update(ctx, func(tx *Tx) error {
		settled, err = tx.settle(metaKeyring, id)
		return err
	})
	return settled, err
}

// NoteNewestKey notes a key before it is used for the first time.
func (s *Store) NoteNewestKey(ctx context.Context, id string) error {
	return s.Update(ctx, func(tx *Tx) error { return tx.putMeta(metaNewest, id) })
}

// NewestKey returns the key that was noted last; empty where none was.
func (s *Store) NewestKey(ctx context.Context) (id string, err error) { return s.meta(ctx, metaNewest) }

// KeysMissing reports whether the key ring was found to be older than what is sealed, and
// nobody has found since that nothing is missing.
func (s *Store) KeysMissing(ctx context.Context) (missing bool, err error) {
	value, err := s.meta(ctx, metaMissing)
	return value != "", err
}

// NoteKeysMissing notes that it is, or that nothing is missing.
func (s *Store) NoteKeysMissing(ctx context.Context, missing bool) error {
	return s.Update(ctx, func(tx *Tx) error {
		if missing {
			return tx.putMeta(metaMissing, due)
		}
		return tx.clearMeta(metaMissing)
	})
}

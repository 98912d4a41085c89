package store

import (
	"context"
	"time"

	"signet/internal/model"
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

// Start is the first moment of the day.
func (d KeyDay) Start() time.Time { return time.UnixMilli(d.Day * dayMillis).UTC() }

// ends is the stored end of a message as it is sent. Of one that lasts it holds the
// day, so that the index on the ends tells what is left of a day.
func (m *MessageRow) ends() int64 {
	if day := m.KeyDay(); day.Lasting {
		return never + day.Day
	}
	return endMillis(m.Expires)
}

// endSoon is within how long a message ends that was read and is to be deleted then,
// wherever the clock stands: its end is not that of its day any more.
const endSoon = 2 * model.ReadGrace

// MessagesLeft reports whether an organization has a message with content under the
// key of a day, or keeps one for a legal hold.
func (tx *Tx) MessagesLeft(organization model.OrganizationID, day KeyDay, now time.Time) (bool, error) {
	var one int64
	var found bool
	start, end := day.Day*dayMillis, (day.Day+1)*dayMillis
	expires, created := [2]int64{start, end}, [2]int64{0, never}
	many, err := tx.One(`SELECT 1 FROM messages WHERE organization_number = ? LIMIT 1 OFFSET ? + 0`,
		[]any{tx.Numbered(organization), fewMessages}, &one)
	if err != nil {
		return false, err
	}
	// The organization of many messages is not compared by a plain = here, for which
	// SQLite would read all of these, in place of those of the day.
	if day.Lasting {
		expires, created = [2]int64{never, 2 * never}, expires
		found, err = tx.One(
			`SELECT 1 FROM messages WHERE ends = ? AND organization_number >= ? AND organization_number <= ? AND recalled = 0
				LIMIT 1`,
			[]any{never + day.Day, tx.Numbered(organization), tx.Numbered(organization)}, &one)
	} else if !many {
		found, err = tx.One(
			`SELECT 1 FROM messages WHERE organization_number = ? AND ends + 0 >= ? AND ends + 0 < ? AND recalled = 0 LIMIT 1`,
			[]any{tx.Numbered(organization), start, end}, &one)
	} else {
		found, err = tx.One(
			`SELECT 1 FROM messages WHERE ends >= ? AND ends < ? AND organization_number + 0 = ? AND recalled = 0 LIMIT 1`,
			[]any{start, end, tx.Numbered(organization)}, &one)
	}
	if err != nil || found {
		return found, err
	}
	if held, err := tx.heldLeft(organization, day); err != nil || held {
		return held, err
	}
	return tx.One(`SELECT 1 FROM messages WHERE ends < ? AND organization_number + 0 = ? AND recalled = 0
		AND expires >= ? AND expires < ? AND created >= ? AND created < ? LIMIT 1`,
		[]any{millis(now.Add(endSoon)), tx.Numbered(organization), expires[0], expires[1], created[0], created[1]}, &one)
}

// fewMessages is up to how many messages of an organization are read in place of
// those of a day, which are everybody's: a small house beside a large one would
// else look at all that the large one has.
const fewMessages = 100

// KeyEnding says that something under a key went, and that the key may go too.
type KeyEnding struct {
	Organization model.OrganizationID
	Day          KeyDay // Day -1: all keys of the organization
	times        int64
}

// allDays is the day of a KeyEnding of all keys.
const allDays = -1

// All reports whether all keys of the organization may go.
func (e *KeyEnding) All() bool { return e.Day.Day == allDays }

// NoteKeyEnding notes that a message under the key of a day went. It comes last in a
// transaction, in the order of organizations and days.
func (tx *Tx) NoteKeyEnding(organization model.OrganizationID, day KeyDay) error {
	return tx.Post(`INSERT INTO key_endings (organization, lasting, day, times) VALUES (?, ?, ?, 1)
		ON CONFLICT (organization, lasting, day) DO UPDATE SET times = key_endings.times + 1`, organization, day.Lasting,
		day.Day)
}

// KeyEndings lists up to limit of what was noted.
func (tx *Tx) KeyEndings(limit int) ([]KeyEnding, error) {
	return List(tx, `SELECT organization, lasting, day, times FROM key_endings LIMIT ? + 0`, []any{limit},
		func(e *KeyEnding, row Row) error {
			return row.Scan(&e.Organization, &e.Day.Lasting, &e.Day.Day, &e.times)
		})
}

// DeleteKeyEnding forgets what was noted, unless it was noted again since.
func (tx *Tx) DeleteKeyEnding(e KeyEnding) error {
	return tx.Post(`DELETE FROM key_endings WHERE organization = ? AND lasting = ? AND day = ? AND times = ?`,
		e.Organization, e.Day.Lasting, e.Day.Day, e.times)
}

// MessagesAfter returns up to limit messages in the order of their keys, ended or
// not, from the one after the given one.
func (tx *Tx) MessagesAfter(organization model.OrganizationID, id model.MessageID, limit int) ([]MessageRow, error) {
	return tx.messages(`(m.organization_number, m.message) > (?, ?) ORDER BY m.organization_number, m.message LIMIT ? + 0`,
		tx.Numbered(organization), id, limit)
}

// MetadataRow is what is kept for an entity in an organization.
type MetadataRow struct {
	Organization model.OrganizationID
	Entity       model.EntityID
	Content      []byte
}

// MetadataAfter returns up to limit rows in the order of their keys, from the one
// after the given one.
func (tx *Tx) MetadataAfter(organization model.OrganizationID, entity model.EntityID, limit int) (
	[]MetadataRow, error) {
	return List(tx, `SELECT organization, entity, content FROM metadata WHERE (organization, entity) > (?, ?)
			ORDER BY organization, entity LIMIT ? + 0`, []any{organization, entity, limit},
		func(m *MetadataRow, row Row) error { return row.Scan(&m.Organization, &m.Entity, &m.Content) })
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

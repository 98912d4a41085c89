// Package sealing tells what is left under the keys that content is sealed with, and notes which of
// them may go.
//
// It owns key_endings. It does not know keys (package seal), nor how content is sealed with them
// (package content).
package sealing

import (
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/legalhold"
)

// endSoon is within how long a message ends that was read and is to be deleted then,
// wherever the clock stands: its end is not that of its day any more.
const endSoon = 2 * model.ReadGrace

// MessagesLeft reports whether an organization has a message with content under the
// key of a day, or keeps one for a legal hold.
func MessagesLeft(tx *store.Tx, organization model.OrganizationID, day store.KeyDay, now time.Time) (bool, error) {
	var one int64
	var found bool
	start, end := day.Bounds()
	expires, created := [2]int64{start, end}, [2]int64{0, store.Never}
	many, err := tx.One(`SELECT 1 FROM messages WHERE organization_number = ? LIMIT 1 OFFSET ? + 0`,
		[]any{tx.Numbered(organization), fewMessages}, &one)
	if err != nil {
		return false, err
	}
	// The organization of many messages is not compared by a plain = here, for which
	// SQLite would read all of these, in place of those of the day.
	if day.Lasting {
		expires, created = [2]int64{store.Never, 2 * store.Never}, expires
		found, err = tx.One(
			`SELECT 1 FROM messages WHERE ends = ? AND organization_number >= ? AND organization_number <= ? AND recalled = 0
				LIMIT 1`,
			[]any{store.Never + day.Day, tx.Numbered(organization), tx.Numbered(organization)}, &one)
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
	if held, err := legalhold.MessagesLeft(tx, organization, day); err != nil || held {
		return held, err
	}
	return tx.One(`SELECT 1 FROM messages WHERE ends < ? AND organization_number + 0 = ? AND recalled = 0
		AND expires >= ? AND expires < ? AND created >= ? AND created < ? LIMIT 1`,
		[]any{store.Millis(now.Add(endSoon)), tx.Numbered(organization), expires[0], expires[1], created[0],
			created[1]}, &one)
}

// fewMessages is up to how many messages of an organization are read in place of
// those of a day, which are everybody's: a small house beside a large one would
// else look at all that the large one has.
const fewMessages = 100

// KeyEnding says that something under a key went, and that the key may go too.
type KeyEnding struct {
	Organization model.OrganizationID
	Day          store.KeyDay // Day -1: all keys of the organization
	times        int64
}

// AllDays is the day of a KeyEnding of all keys.
const AllDays = -1

// All reports whether all keys of the organization may go.
func (e *KeyEnding) All() bool { return e.Day.Day == AllDays }

// NoteKeyEnding notes that a message under the key of a day went. It comes last in a
// transaction, in the order of organizations and days.
func NoteKeyEnding(tx *store.Tx, organization model.OrganizationID, day store.KeyDay) error {
	return tx.Post(`INSERT INTO key_endings (organization, lasting, day, times) VALUES (?, ?, ?, 1)
		ON CONFLICT (organization, lasting, day) DO UPDATE SET times = key_endings.times + 1`, organization, day.Lasting,
		day.Day)
}

// KeyEndings lists up to limit of what was noted.
func KeyEndings(tx *store.Tx, limit int) ([]KeyEnding, error) {
	return store.List(tx, `SELECT organization, lasting, day, times FROM key_endings LIMIT ? + 0`, []any{limit},
		func(e *KeyEnding, row store.Row) error {
			return row.Scan(&e.Organization, &e.Day.Lasting, &e.Day.Day, &e.times)
		})
}

// DeleteKeyEnding forgets what was noted, unless it was noted again since.
func DeleteKeyEnding(tx *store.Tx, e KeyEnding) error {
	return tx.Post(`DELETE FROM key_endings WHERE organization = ? AND lasting = ? AND day = ? AND times = ?`,
		e.Organization, e.Day.Lasting, e.Day.Day, e.times)
}

// MessagesAfter returns up to limit messages in the order of their keys, ended or
// not, from the one after the given one.
func MessagesAfter(tx *store.Tx, organization model.OrganizationID, id model.MessageID,
	limit int) ([]store.MessageRow, error) {
	return tx.SelectMessages(
		`(m.organization_number, m.message) > (?, ?) ORDER BY m.organization_number, m.message LIMIT ? + 0`,
		tx.Numbered(organization), id, limit)
}

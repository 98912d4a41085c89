package store

import (
	"time"

	"signet/internal/model"
)

// What is acknowledged leaves the queue. The webhooks of an account, each of which has a place of its
// own in the queue, may not have got it yet, and what was delivered may be asked for once more. So what
// is acknowledged of the queue of an account with webhooks moves to kept_events for some days. Whatever
// else is taken out of the queue, by a recall, a departure or an erasure, is taken out of there too.

// EventsAndKept has the rows of a queue with those that were acknowledged and kept.
const EventsAndKept = `(SELECT account, position, organization_number, kind, message, payload, status FROM events
	UNION ALL SELECT account, position, organization_number, kind, message, payload, status FROM kept_events) e`

// KeepEvents keeps events of a queue at some positions, which are acknowledged next.
func (tx *Tx) KeepEvents(account model.AccountID, positions []int64) error {
	if len(positions) == 0 {
		return nil
	}
	return tx.Post(`INSERT INTO kept_events (account, position, organization_number, kind, message, payload, status)
		SELECT account, position, organization_number, kind, message, payload, status FROM events
		WHERE account = ? AND position IN (?*) ON CONFLICT (account, position) DO NOTHING`, account, positions)
}

// DeleteKeptBefore removes the oldest of what is kept of an account's queue before a position, at most
// limit, and returns how many those were.
func (tx *Tx) DeleteKeptBefore(account model.AccountID, position int64, limit int) (int64, error) {
	return tx.Exec(`DELETE FROM kept_events WHERE account = ? AND position IN (SELECT position FROM kept_events
		WHERE account = ? AND position < ? ORDER BY position LIMIT ? + 0)`, account, account, position, limit)
}

// NoteEraseKept notes the job that looks, when it is due, what is kept of an account's queue for long enough, unless
// it is noted.
func (tx *Tx) NoteEraseKept(account model.AccountID, due, now time.Time) error {
	return tx.NoteJobWhere(&Job{Kind: EraseKept, Subject: account[:], Due: due, Noted: now},
		`WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE due = ? AND kind = ? AND subject = ?)`, Millis(due), int(EraseKept),
		account[:])
}

// HasWebhooks reports whether an account has any, enabled or not.
func (tx *Tx) HasWebhooks(account model.AccountID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM webhooks WHERE account = ? LIMIT 1`, []any{account}, &one)
}

// LastKept returns the position of the newest event of an account, acknowledged and kept or not; 0 where
// there is none.
func (tx *Tx) LastKept(account model.AccountID) (position int64, err error) {
	_, err = tx.One(`SELECT e.position FROM `+EventsAndKept+` WHERE e.account = ? ORDER BY e.position DESC LIMIT 1`,
		[]any{account}, &position)
	return position, err
}

package store

import (
	"math/rand/v2"
	"slices"

	"signet/internal/model"
)

// A queue that has no end would let one account fill the disk of all. Counting it with
// each event would cost every status a read of the reader's queue, or a row that all who
// write to it change. So a hundredth of the limit is left open: of the events besides
// messages one in so many, picked at random, notes its account, and the sweep counts the
// queues of those (grown_queues).

// LimitQueues has queues noted that may hold more events besides messages than so many.
// It comes before the first use of the store. 0: there is no limit.
func (s *Store) LimitQueues(most int) {
	if most > 0 {
		s.oneIn = max(most/100, 1)
	}
}

// NoteGrowth notes some of the accounts that have got an event besides messages.
func (tx *Tx) NoteGrowth(accounts ...model.AccountID) error {
	if tx.oneIn == 0 {
		return nil
	}
	picked := slices.DeleteFunc(slices.Clone(accounts), func(model.AccountID) bool { return rand.IntN(tx.oneIn) > 0 })
	for _, account := range picked {
		if err := tx.Post(`INSERT INTO grown_queues (account) VALUES (?) ON CONFLICT (account) DO NOTHING`,
			account); err != nil {
			return err
		}
	}
	return nil
}

// GrownQueues returns up to limit accounts that were noted, after one.
func (tx *Tx) GrownQueues(after model.AccountID, limit int) ([]model.AccountID, error) {
	return Column[model.AccountID](tx, `SELECT account FROM grown_queues WHERE account > ? ORDER BY account LIMIT ? + 0`,
		after, limit)
}

// ForgetGrowth forgets that a queue has grown.
func (tx *Tx) ForgetGrowth(account model.AccountID) error {
	return tx.Post(`DELETE FROM grown_queues WHERE account = ?`, account)
}

// Surplus returns the newest of the events besides messages that a queue holds after a
// position, above so many; 0 where there are no more.
func (tx *Tx) Surplus(account model.AccountID, after int64, most int) (position int64, err error) {
	_, err = tx.One(`SELECT e.position FROM events e WHERE e.account = ? AND e.position > ? AND e.kind NOT IN (1, 2)`+
		standing+` ORDER BY e.position DESC LIMIT 1 OFFSET ? + 0`, []any{account, after, account, most}, &position)
	return position, err
}

// OldestEvents returns the first of a queue's events besides messages, up to a position.
func (tx *Tx) OldestEvents(account model.AccountID, upTo int64, limit int) (positions []int64, err error) {
	return Column[int64](tx, `SELECT position FROM events WHERE account = ? AND position <= ? AND kind NOT IN (1, 2)
		ORDER BY position LIMIT ? + 0`, account, upTo, limit)
}

// WillReload reports whether a queue has, after a position, an event that makes its reader
// read everything anew.
func (tx *Tx) WillReload(account model.AccountID, after int64) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM events WHERE account = ? AND position > ? AND kind = ? AND organization_number = 0 LIMIT 1`,
		[]any{account, after, KindNumber(model.EventSettings)}, &one)
}

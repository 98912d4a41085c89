package store

import (
	"bytes"
	"slices"

	"signet/internal/model"
)

// A reader is let go within a second of losing its key or its place, whichever server took these
// away, and even where the word about it is lost. To ask about each reader all the time would be
// most of what many idle streams cost. So whatever may take access away writes whose into a log
// (access_changes), in its own transaction. Servers read the log, which is short, and look at the
// readers of those accounts alone. A test finds in the sources all that changes keys, memberships
// and rights, and holds it to this. A server that is alone ends its readers itself, without a log.
//
// The same call replaces the accounts' numbers (access_version.go), for those who remember what
// accounts may do.

// AccessChange says that an account may do less than before.
type AccessChange struct {
	number  JobNumber // given as those of jobs are
	Account model.AccountID
}

// Everybody reports whether the change may be any account's.
func (c *AccessChange) Everybody() bool { return c.Account.IsZero() }

// NoteAccess notes that accounts may do less than before. It locks their queues, as RaiseAccess.
func (tx *Tx) NoteAccess(accounts ...model.AccountID) error {
	if err := tx.RaiseAccess(accounts...); err != nil || tx.Alone() {
		return err
	}
	number := newJobNumber()
	for _, account := range accounts {
		if err := tx.Post(`INSERT INTO access_changes (number, account) VALUES (?, ?)`, number[:], account); err != nil {
			return err
		}
	}
	return nil
}

// NoteAccessOfAll notes that any account may. Where each has a number of its own, all keep it: whoever
// takes something away from a few calls RaiseAccess for these as well.
func (tx *Tx) NoteAccessOfAll() error { return tx.NoteAccess(model.AccountID{}) }

// ForgetAccessOf takes an account out of the log that is not to be named any more. Who has not read of it is to be told
// by NoteAccessOfAll.
func (tx *Tx) ForgetAccessOf(account model.AccountID) error {
	if tx.Alone() {
		return nil
	}
	return tx.Post(`DELETE FROM access_changes WHERE account = ?`, account)
}

// noteAccessByKeys is NoteAccess for whose keys are about to be changed.
func (tx *Tx) noteAccessByKeys(where string, args ...any) error {
	owners, err := tx.ownersOfKeys(where, args...)
	if err == nil {
		err = tx.NoteAccess(owners...)
	}
	return err
}

// ownersOfKeys lists whose the keys of a selection are.
func (tx *Tx) ownersOfKeys(where string, args ...any) ([]model.AccountID, error) {
	return Column[model.AccountID](tx, `SELECT DISTINCT account FROM keys WHERE `+where, args...)
}

// AskAccessChanges asks for all that is noted.
func (tx *Tx) AskAccessChanges(out *[]AccessChange) error {
	return AskList(tx, `SELECT number, account FROM access_changes`, nil, out, func(c *AccessChange, row Row) error {
		var number []byte
		err := row.Scan(&number, &c.Account)
		copy(c.number[:], number)
		return err
	})
}

// ForgetAccessChanges forgets what all servers have seen.
func (tx *Tx) ForgetAccessChanges(changes []AccessChange) error {
	// In one order on every server, so that none waits for another in a circle.
	changes = slices.SortedFunc(slices.Values(changes), func(a, b AccessChange) int {
		if order := bytes.Compare(a.number[:], b.number[:]); order != 0 {
			return order
		}
		return bytes.Compare(a.Account[:], b.Account[:])
	})
	for _, c := range changes {
		if err := tx.Post(`DELETE FROM access_changes WHERE number = ? AND account = ?`, c.number[:], c.Account); err != nil {
			return err
		}
	}
	return nil
}

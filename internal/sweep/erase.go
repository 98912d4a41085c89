package sweep

import (
	"context"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Readers are told of what is erased.
type Readers interface {
	// ForgetMessages drops messages that were erased.
	ForgetMessages(ids ...model.MessageID)
	// Wake tells readers that something has come into their queues.
	Wake(ctx context.Context, accounts ...model.AccountID)
}

// Eraser erases what was given up: deleted organizations, accounts that ended, what a lifted
// hold kept, messages that nobody can read any more. It works in the background of any server,
// and in a command that waits for the end.
type Eraser struct {
	Store   *store.Store
	Readers Readers
	Now     func() time.Time // the store's time

	// EndAccount ends an account that an erased organization has made, as an operator does.
	EndAccount func(ctx context.Context, account model.AccountID) error

	// Wipe asks that what was erased be taken out of the store's files, too.
	Wipe func()

	Counts *Counts // where what is erased is counted
}

// gone counts and forgets messages that were erased before their end.
func (e *Eraser) gone(rows []store.MessageRow) {
	forget(e.Readers, rows)
	e.Counts.Erased.Add(int64(len(rows)))
}

// forget drops messages that are gone.
func forget(readers Readers, gone []store.MessageRow) {
	ids := make([]model.MessageID, len(gone))
	for i := range gone {
		ids[i] = gone[i].ID
	}
	readers.ForgetMessages(ids...)
}

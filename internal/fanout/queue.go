package fanout

import (
	"context"
	"time"

	"signet/internal/backlog"
	"signet/internal/model"
	"signet/internal/store"
)

// EventBatch is how many events of a queue one transaction removes.
const EventBatch = Rows * 2 / 5

// Removal says what is removed from a queue.
type Removal struct {
	Find  func(tx *store.Tx, limit int) ([]int64, error) // the next positions
	First func(*store.Tx) error                          // is done with the first of them; nil: nothing
	Last  func(*store.Tx) error                          // is done with the last of them; nil: nothing
	Keeps bool                                           // the account's webhooks, where it has some, still get them
}

// remove removes some of the events.
func (r *Removal) remove(tx *store.Tx, account model.AccountID, positions []int64) error {
	if r.Keeps {
		has, err := tx.HasWebhooks(account)
		if err != nil {
			return err
		}
		if has {
			return keepAway(tx, account, positions)
		}
	}
	return tx.RemoveEvents(account, positions)
}

// keepAway takes events out of a queue, and keeps them for webhooks.
func keepAway(tx *store.Tx, account model.AccountID, positions []int64) error {
	tx.NoteWithdrawn()
	if err := tx.KeepEvents(account, positions); err != nil {
		return err
	}
	return tx.DeleteEventsAt(account, positions)
}

// RemoveEvents removes events from a queue, some in a transaction. They are looked for
// outside of these, since that may take long.
func RemoveEvents(ctx context.Context, kept *store.Store, account model.AccountID, r Removal) error {
	for more := true; more; {
		begun := time.Now()
		positions, err := store.Read(ctx, kept, func(tx *store.Tx) ([]int64, error) { return r.Find(tx, EventBatch) })
		if err != nil {
			return err
		}
		more = len(positions) == EventBatch
		err = kept.Update(ctx, func(tx *store.Tx) error {
			if err := tx.LockQueues(account); err != nil {
				return err
			}
			if r.First != nil {
				if err := r.First(tx); err != nil {
					return err
				}
			}
			if err := r.remove(tx, account, positions); err != nil || more || r.Last == nil {
				return err
			}
			return r.Last(tx)
		})
		if err != nil {
			return err
		}
		r.First = nil
		if more {
			if err := backlog.Rest(ctx, begun); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// Withdraw removes what was withdrawn from a queue and still lies there.
func Withdraw(ctx context.Context, kept *store.Store, w *store.Withdrawal) error {
	after := int64(0)
	return RemoveEvents(ctx, kept, w.Account, Removal{
		Find: func(tx *store.Tx, limit int) (positions []int64, err error) {
			if positions, err = tx.Withdrawn(w, after, limit); len(positions) > 0 {
				after = positions[len(positions)-1]
			}
			return positions, err
		},
		Last: func(tx *store.Tx) error { return tx.FinishWithdrawal(w) },
	})
}

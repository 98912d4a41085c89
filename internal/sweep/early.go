package sweep

import (
	"context"
	"time"

	"signet/internal/store"
)

const (
	// few is about how many messages that have ended are in the store at the most, where many end in a second. A count
	// of what somebody has unread looks at each of them.
	few = 100
	// leastPause is how long is waited between two sweeps of messages at least.
	leastPause = 20 * time.Millisecond
)

// sweepEarly removes messages that have ended since, and leaves all else to the next round.
func (w *Sweeper) sweepEarly(ctx context.Context) error {
	w.early.Store(0)
	at, err := w.Clock.EndingTime(ctx)
	if err != nil || at.IsZero() {
		return err
	}
	return w.run(ctx, &w.tasks.messages, func(ctx context.Context) error {
		removed, err := w.removeEnded(ctx, at)
		if removed > 0 {
			w.erased.Store(true)
		}
		return err
	})
}

// removeEnded removes the messages that have ended by a time, and plans the next sweep for when about few more have.
// None that comes meanwhile ends before those: a message lives for a minute at least.
func (w *Sweeper) removeEnded(ctx context.Context, at time.Time) (removed int, err error) {
	begun := w.Clock.Elapsed()
	w.early.Store(0)
	if removed, err = w.sweepMessages(ctx, at); err != nil {
		return removed, err
	}
	var next time.Time
	var many bool
	err = w.Store.View(ctx, func(tx *store.Tx) (err error) {
		next, many, err = tx.EndOf(few, at, at.Add(w.round()))
		return err
	})
	if err == nil && many {
		w.early.Store(int64(max(begun+next.Sub(at), w.Clock.Elapsed()+leastPause)))
	}
	return removed, err
}

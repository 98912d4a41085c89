package sweep

import (
	"context"
	"time"

	"signet/internal/backlog"
	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/store"
)

// queueBatch is how many queues one snapshot looks at.
const queueBatch = 200

// sweepQueues removes what queues that have grown hold besides messages above the limit.
func (w *Sweeper) sweepQueues(ctx context.Context, at time.Time) error {
	var last model.AccountID
	for {
		grown, err := store.Read(ctx, w.Store, func(tx *store.Tx) ([]model.AccountID, error) {
			return tx.GrownQueues(last, queueBatch)
		})
		if err != nil {
			return err
		}
		for _, account := range grown {
			last = account
			over, err := w.limitQueue(ctx, account, at)
			if err != nil {
				return err
			}
			if over { // it may have got more meanwhile, and is looked at once more
				continue
			}
			if err := w.Store.Update(ctx, func(tx *store.Tx) error { return tx.ForgetGrowth(account) }); err != nil {
				return err
			}
		}
		if len(grown) < queueBatch {
			return nil
		}
	}
}

// withdraw removes what was withdrawn from an account's long queue.
func (e *Eraser) withdraw(ctx context.Context, j *store.Job) (backlog.Next, error) {
	withdrawals, err := store.Read(ctx, e.Store, func(tx *store.Tx) ([]store.Withdrawal, error) {
		return tx.Withdrawals(model.AccountID(j.Subject))
	})
	if err != nil || len(withdrawals) == 0 {
		return backlog.Over(), err
	}
	for i := range withdrawals {
		if err := fanout.Withdraw(ctx, e.Store, &withdrawals[i]); err != nil {
			return backlog.Next{}, err
		}
	}
	return backlog.Again(), nil
}

// limitQueue removes the oldest of the events besides messages that a queue holds above the
// limit, and has its reader told once to read everything anew: by an event that is one of
// those which stay. over is false where there are no more than the limit.
func (w *Sweeper) limitQueue(ctx context.Context, account model.AccountID, at time.Time) (over bool, err error) {
	if w.QueueMax == 0 {
		return false, nil
	}
	upTo, told := int64(0), false
	err = w.Store.View(ctx, func(tx *store.Tx) (err error) {
		if upTo, err = tx.Surplus(account, w.oldest(at), w.QueueMax); err != nil || upTo == 0 {
			return err
		}
		if told, err = tx.WillReload(account, upTo); err == nil && !told {
			upTo, err = tx.Surplus(account, w.oldest(at), w.QueueMax-1)
		}
		return err
	})
	if err != nil || upTo == 0 {
		return false, err
	}
	tell := func(tx *store.Tx) error {
		if told {
			return nil
		}
		return tx.QueueSettings(account, "")
	}
	err = fanout.RemoveEvents(ctx, w.Store, account, fanout.Removal{
		Find: func(tx *store.Tx, limit int) ([]int64, error) {
			positions, err := tx.OldestEvents(account, upTo, limit)
			w.Counts.Dropped.Add(int64(len(positions)))
			return positions, err
		},
		First: tell,
		Keeps: true, // a webhook that is away for days gets them all the same
	})
	w.Cases.Wake(ctx, account)
	return true, err
}

// trimQueues removes events older than a position, and those above the limit of queues
// that have grown without an event being picked. It writes only where there are some.
func (w *Sweeper) trimQueues(ctx context.Context, now time.Time) error {
	oldest := w.oldest(now)
	var last model.AccountID
	for more := oldest > 0 || w.QueueMax > 0; more; {
		var old, long []model.AccountID
		err := w.Store.View(ctx, func(tx *store.Tx) error {
			old, long, more = nil, nil, true
			for range queueBatch {
				account, first, found, err := tx.NextQueue(last)
				if err != nil || !found {
					more = false
					return err
				}
				if last = account; first < oldest {
					old = append(old, account)
				}
				if w.QueueMax == 0 {
					continue
				}
				if surplus, err := tx.Surplus(account, oldest, w.QueueMax); err != nil {
					return err
				} else if surplus > 0 {
					long = append(long, account)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := w.trimOld(ctx, old, oldest); err != nil {
			return err
		}
		for _, account := range long {
			if _, err := w.limitQueue(ctx, account, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// trimOld removes events older than a position from queues, in the order of these.
func (w *Sweeper) trimOld(ctx context.Context, queues []model.AccountID, oldest int64) error {
	for len(queues) > 0 {
		begun, done := time.Now(), 0
		err := w.Store.Update(ctx, func(tx *store.Tx) error {
			done = 0
			for left := int64(fanout.Rows); done < len(queues); done++ {
				n, err := tx.DeleteEventsBefore(queues[done], oldest, int(left))
				if err != nil {
					return err
				}
				if left -= n; left == 0 { // there may be more
					return nil
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if queues = queues[done:]; len(queues) > 0 {
			if err := backlog.Rest(ctx, begun); err != nil {
				return err
			}
		}
	}
	return nil
}

// oldest is the position before which events are past their retention; 0: none are.
func (w *Sweeper) oldest(now time.Time) int64 {
	if w.Retention == 0 {
		return 0
	}
	return now.Add(-w.Retention).UnixMicro()
}

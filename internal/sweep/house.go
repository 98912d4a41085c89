package sweep

import (
	"context"
	"errors"
	"time"

	"signet/internal/backlog"
	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/presence"
	"signet/internal/store/quota"
)

// nodeMemory is how long a node that has lapsed is remembered.
const nodeMemory = time.Hour

// KeepHouse removes what is merely old: repeated-request notes, counts of past
// days, ended keys, events and audit lines past their retention, uploads that were
// never sent, notes of groups, keys of days that are over. While the clock is in doubt it does nothing.
func (w *Sweeper) KeepHouse(ctx context.Context) (err error) {
	ctx, span := w.Tracer.Task(ctx, "housekeeping")
	defer func() { span.EndTask(ctx, err) }()
	now, err := w.Clock.EndingTime(ctx)
	if err != nil || now.IsZero() {
		return err
	}
	if err := w.run(ctx, &w.tasks.records,
		func(ctx context.Context) error {
			return errors.Join(w.Audit.SumUp(ctx, now), w.trimRecords(ctx, now))
		}); err != nil {
		return err
	}
	if err := w.run(ctx, &w.tasks.auditTrim,
		func(ctx context.Context) error { return w.Audit.Trim(ctx, now) }); err != nil {
		return err
	}
	if err := w.run(ctx, &w.tasks.queues,
		func(ctx context.Context) error { return w.trimQueues(ctx, now) }); err != nil {
		return err
	}
	if err := w.run(ctx, &w.tasks.notes,
		func(ctx context.Context) error { return w.trimNotes(ctx, now) }); err != nil {
		return err
	}
	// Files that cannot be reached hold up no key.
	return errors.Join(
		w.run(ctx, &w.tasks.orphans, func(ctx context.Context) error { return w.sweepOrphans(ctx, now) }),
		w.run(ctx, &w.tasks.pastKeys, func(ctx context.Context) error { return w.endPastKeys(ctx, now) }))
}

// trimRecords removes what only a time was good for. Keys go by themselves, since that locks the queues of
// those who had them.
func (w *Sweeper) trimRecords(ctx context.Context, now time.Time) error {
	err := w.Store.Update(ctx, func(tx *store.Tx) error { return w.Access.DeleteEndedKeys(tx, now) })
	if err != nil {
		return err
	}
	err = w.Store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.DeletePasskeyRest(now); err != nil {
			return err
		}
		if err := tx.DeleteSignInsBefore(now.Add(-model.SignInLife)); err != nil {
			return err
		}
		if err := tx.DropSubjectKeys(); err != nil {
			return err
		}
		if err := quota.DeleteBefore(tx, quota.DayOf(now)-1); err != nil {
			return err
		}
		return presence.DeleteNodesBefore(tx, now.Add(-nodeMemory))
	})
	if err != nil {
		return err
	}
	return w.trimRequests(ctx, now)
}

// trimRequests removes requests that can no longer be repeated. In an hour they are as many as what was sent, so
// that each transaction removes a few.
func (w *Sweeper) trimRequests(ctx context.Context, now time.Time) error {
	for n := fanout.Rows; n == fanout.Rows; {
		begun := time.Now()
		err := w.Store.Update(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.DeleteRequestsBefore(now.Add(-model.RepeatWindow), fanout.Rows)
			return err
		})
		if err != nil {
			return err
		}
		if err := backlog.Rest(ctx, begun); err != nil {
			return err
		}
	}
	return nil
}

package service

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"signet/internal/blob"
	"signet/internal/custody"
	"signet/internal/meter"
	"signet/internal/model"
	"signet/internal/store"
)

const (
	// sweepBatch is how many messages one transaction of the sweep removes: few
	// enough that nobody waits for it.
	sweepBatch = 200
	// housekeeping is how often what is merely old is removed.
	housekeeping = time.Hour
	// repeatFailure is how often a failure that stays the same is logged.
	repeatFailure = 10 * time.Minute
)

// Sweeper removes what has ended. Nobody can read it by then: the sweep only
// makes it gone from the disk too.
type Sweeper struct {
	service  *Service
	interval time.Duration
	soon     chan struct{}

	said   string        // the last failure that was logged
	saidAt time.Duration // by the clock that nobody sets
}

// NewSweeper returns a sweeper that erases within interval.
func (s *Service) NewSweeper(interval time.Duration) *Sweeper {
	w := &Sweeper{service: s, interval: interval, soon: make(chan struct{}, 1)}
	s.sweeper.Store(w)
	return w
}

// complain logs a failure that is tried again every few seconds: the same is said
// again after a while only.
func (w *Sweeper) complain(ctx context.Context, what string, err error) {
	now, text := w.service.time.Elapsed(), what+err.Error()
	if text == w.said && now-w.saidAt < repeatFailure {
		return
	}
	w.said, w.saidAt = text, now
	custody.Complain(ctx, w.service.log, w.service.outages, what, err)
}

// Run sweeps until ctx ends. It sweeps at half its interval, so that what ends
// right after one sweep is erased within the interval too.
func (w *Sweeper) Run(ctx context.Context) {
	tick := time.NewTicker(max(w.interval/2, 10*time.Millisecond))
	defer tick.Stop()
	kept := w.service.time.Elapsed() - housekeeping // at the start too
	for {
		now := w.service.time.Elapsed()
		if err := w.service.Sweep(ctx); err != nil && ctx.Err() == nil {
			w.complain(ctx, "sweep failed and will be tried again", err)
		}
		if now-kept >= housekeeping {
			kept = now
			if err := w.service.KeepHouse(ctx); err != nil && ctx.Err() == nil {
				w.complain(ctx, "housekeeping failed and will be tried again", err)
			}
		}
		select {
		case <-tick.C:
		case <-w.soon:
		case <-ctx.Done():
			return
		}
	}
}

// eraseSoon asks the sweeper to erase what a recall gave up, without waiting for
// its next round.
func (s *Service) eraseSoon() {
	w := s.sweeper.Load()
	if w == nil {
		return
	}
	select {
	case w.soon <- struct{}{}:
	default:
	}
}

// Sweep removes messages that have ended, with their events, counters and
// attachments, makes their content unrecoverable from the store's files, and
// destroys the keys of which nothing is left, which makes it so everywhere else. While
// the clock is in doubt it erases only what somebody asked for: what was recalled, what
// deleted organizations held, what lifted holds kept, and what nobody can read any more.
func (s *Service) Sweep(ctx context.Context) error {
	s.age()
	at, err := s.time.EndingTime(ctx)
	return errors.Join(err, s.eraseEnded(ctx, at), s.run(ctx, &s.tasks.keys, func(ctx context.Context) error { return s.endKeys(ctx, at) }))
}

// eraseEnded removes what has ended by a time; nothing has where that is zero.
func (s *Service) eraseEnded(ctx context.Context, at time.Time) error {
	removed := 0
	counting := func(sweep func(context.Context) (int, error)) func(context.Context) error {
		return func(ctx context.Context) error {
			n, err := sweep(ctx)
			removed += n
			return err
		}
	}
	ended := func(ctx context.Context) (int, error) { return s.sweepMessages(ctx, at) }
	if !at.IsZero() { // else it does not count as done
		if err := s.run(ctx, &s.tasks.messages, counting(ended)); err != nil {
			return err
		}
	}
	if err := s.run(ctx, &s.tasks.unreadable, counting(s.sweepUnreadable)); err != nil {
		return err
	}
	if err := s.run(ctx, &s.tasks.organizations, counting(s.sweepOrganizations)); err != nil {
		return err
	}
	if err := s.run(ctx, &s.tasks.holds, counting(s.sweepHolds)); err != nil {
		return err
	}
	// Files that cannot be reached hold up nothing else: their erasures stay noted. Nor
	// does an audit log that somebody has changed.
	aside := errors.Join(s.run(ctx, &s.tasks.files, s.eraseBlobs), s.run(ctx, &s.tasks.keyUses, s.FlushUses), s.run(ctx, &s.tasks.audit, s.audit.Sweep))
	err := s.run(ctx, &s.tasks.wipe, func(ctx context.Context) error { return s.wipe(ctx, removed > 0) })
	return errors.Join(aside, err)
}

// wipe makes what was removed unrecoverable from the store's files.
func (s *Service) wipe(ctx context.Context, removed bool) error {
	asked, err := s.store.TakeErasure(ctx)
	if recalled := s.recalled.Swap(false); recalled || asked || removed {
		if fault := s.store.Erase(ctx); fault != nil {
			s.recalled.Store(true) // so that the next sweep tries again
			err = errors.Join(err, fault)
		}
	}
	return err
}

// run does a part of the sweep or of housekeeping, and notes how it ended.
func (s *Service) run(ctx context.Context, task *meter.Task, work func(context.Context) error) error {
	return task.Run(ctx, s.clock, func() error { return s.sparing(func() error { return work(ctx) }) })
}

func (s *Service) sweepMessages(ctx context.Context, at time.Time) (total int, err error) {
	for {
		n := 0
		var ended []model.MessageID
		var rows []store.MessageRow
		err := s.store.Update(ctx, func(tx *store.Tx) (err error) {
			if rows, err = tx.EndedMessages(at, sweepBatch); err != nil {
				return err
			}
			n, ended = len(rows), nil
			for i := range rows {
				ended = append(ended, rows[i].ID)
			}
			return endMessages(tx, rows)
		})
		if err != nil {
			return total, err
		}
		if n > 0 {
			s.messages.Forget(ended...)
			s.counts.countEnded(rows)
		}
		if total += n; n < sweepBatch {
			return total, nil
		}
	}
}

// shareOrganizations keeps legal holds from being set while messages are erased. It
// comes after the messages, which are found by their ends: a transaction that locks
// an organization waits for no message.
func shareOrganizations(tx *store.Tx, rows []store.MessageRow) error {
	if !tx.Locks() {
		return nil
	}
	seen := map[model.OrganizationID]bool{}
	for i := range rows {
		seen[rows[i].Organization] = true
	}
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		if err := tx.ShareOrganization(id); err != nil {
			return err
		}
	}
	return nil
}

// endMessages removes messages that the sweep has found, and notes the keys of which
// nothing may be left.
func endMessages(tx *store.Tx, rows []store.MessageRow) error {
	if err := shareOrganizations(tx, rows); err != nil {
		return err
	}
	for i := range rows {
		if err := endMessage(tx, &rows[i]); err != nil {
			return err
		}
	}
	return noteKeyEndings(tx, rows)
}

// endMessage removes a message and everything that refers to it but the status
// events, which hold no content.
func endMessage(tx *store.Tx, row *store.MessageRow) error {
	if !row.Recalled { // a recall did these when it happened
		if err := tx.WithdrawMessage(row.Organization, row.ID); err != nil {
			return err
		}
		if err := tx.NoteEnded(row); err != nil {
			return err
		}
	}
	return tx.DeleteMessage(row.Organization, row.ID, row.Blob)
}

// eraseBlobs removes the bytes that nothing refers to any more.
func (s *Service) eraseBlobs(ctx context.Context) error {
	for {
		var ids []model.BlobID
		err := s.store.View(ctx, func(tx *store.Tx) (err error) {
			ids, err = tx.Erasures(sweepBatch)
			return err
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if err := s.vault.Blobs.Delete(ctx, id); err != nil && !errors.Is(err, blob.ErrNotFound) {
				return err
			}
		}
		if err := s.store.Update(ctx, func(tx *store.Tx) error { return tx.DeleteErasures(ids) }); err != nil {
			return err
		}
		if len(ids) < sweepBatch {
			return nil
		}
	}
}

// KeepHouse removes what is merely old: repeated-request notes, counts of past
// days, ended keys, events and audit lines past their retention, uploads that were
// never sent, keys of days that are over. While the clock is in doubt it does nothing.
func (s *Service) KeepHouse(ctx context.Context) error {
	now, err := s.time.EndingTime(ctx)
	if err != nil || now.IsZero() {
		return err
	}
	if err := s.run(ctx, &s.tasks.records, func(ctx context.Context) error { return s.trimRecords(ctx, now) }); err != nil {
		return err
	}
	if err := s.run(ctx, &s.tasks.auditTrim, func(ctx context.Context) error { return s.audit.Trim(ctx, now) }); err != nil {
		return err
	}
	if err := s.run(ctx, &s.tasks.queues, func(ctx context.Context) error { return s.trimQueues(ctx, s.oldest(now)) }); err != nil {
		return err
	}
	// Files that cannot be reached hold up no key.
	return errors.Join(
		s.run(ctx, &s.tasks.orphans, func(ctx context.Context) error { return s.sweepOrphans(ctx, now) }),
		s.run(ctx, &s.tasks.pastKeys, func(ctx context.Context) error { return s.endPastKeys(ctx, now) }))
}

// nodeMemory is how long a node that has lapsed is remembered.
const nodeMemory = time.Hour

// trimRecords removes what only a time was good for.
func (s *Service) trimRecords(ctx context.Context, now time.Time) error {
	return s.store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.DeleteRequestsBefore(now.Add(-model.RepeatWindow)); err != nil {
			return err
		}
		if err := tx.DeleteQuotasBefore(now.Unix()/86400 - 1); err != nil {
			return err
		}
		if err := tx.DeleteNodesBefore(now.Add(-nodeMemory)); err != nil {
			return err
		}
		return tx.DeleteExpiredKeys(now, now.Add(-loginIdle))
	})
}

// trimQueues removes events older than a position, one account at a time.
func (s *Service) trimQueues(ctx context.Context, oldest int64) error {
	var account model.AccountID
	for {
		found := false
		err := s.store.Update(ctx, func(tx *store.Tx) error {
			next, ok, err := tx.NextQueue(account)
			if found = ok; err != nil || !ok {
				return err
			}
			account = next
			return tx.DeleteEventsBefore(account, oldest)
		})
		if err != nil || !found {
			return err
		}
	}
}

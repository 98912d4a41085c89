// Package sweep does what happens beside calls: it sweeps what has ended from the disk,
// destroys keys with which nothing is sealed any more, erases what calls and commands gave
// up, and counts what waits.
//
// It owns when and in which order something goes. It does not know who may ask for that,
// nor how a call is answered.
package sweep

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"signet/internal/audit"
	"signet/internal/content"
	"signet/internal/custody"
	"signet/internal/disk"
	"signet/internal/health"
	"signet/internal/meter"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/trace"
)

const (
	// batch is how many messages one transaction removes: few enough that no call waits
	// for it.
	batch = 200
	// housekeeping is how often what is merely old is removed.
	housekeeping = time.Hour
	// repeatFailure is how often a failure that stays the same is logged.
	repeatFailure = 10 * time.Minute
)

// Cases are the use cases that the sweep calls.
type Cases interface {
	// Age is told of each sweep: what is remembered is forgotten after two.
	Age()
	// Forget drops all that is remembered of the store.
	Forget()
	// SweepBehind is told when more messages have ended than one transaction removes, and when they are gone.
	SweepBehind(behind bool)
	Readers
}

// Access is what knows of keys.
type Access interface {
	// FlushUses writes when keys were last used, and from where.
	FlushUses(ctx context.Context) error
	// DeleteEndedKeys removes those that have ended by themselves.
	DeleteEndedKeys(tx *store.Tx, now time.Time) error
}

// Options are what a sweeper works with.
type Options struct {
	Store     *store.Store
	Vault     *content.Vault
	Clock     *custody.Clock
	Cases     Cases
	Access    Access
	Audit     *audit.Log
	Log       *slog.Logger
	Warnings  *health.Warnings // nil: none are shown
	Outages   *health.Outages  // nil: each failure is logged
	Room      *disk.Room       // nil: there is room for everything
	Interval  time.Duration    // what has ended is erased within it
	Retention time.Duration    // how long an unacknowledged event stays; 0: for good
	Tracer    *trace.Tracer    // nil: there are no traces
	QueueMax  int              // events besides messages that a queue holds; 0: no limit

	EndAccount func(context.Context, model.AccountID) error // as that of an Eraser
}

// Sweeper removes what has ended. It cannot be read by then: the sweep only takes
// it off the disk too. It is safe for concurrent use, but for Run.
type Sweeper struct {
	Options
	Counts Counts

	tasks    tasks
	begun    time.Time // when it was made
	soon     chan struct{}
	erased   atomic.Bool // content was erased since the last sweep of the files, as far as is known
	allKeys  atomic.Bool // the next housekeeping asks of every key whether something is left
	restored atomic.Bool // this server is the first on a store that was set back

	// early is when messages are swept before the next round, by the monotonic clock; 0: they are not.
	early atomic.Int64

	said   string        // the last failure that was logged
	saidAt time.Duration // by the monotonic clock
}

// NewSweeper returns a sweeper that is not running yet.
func NewSweeper(o Options) *Sweeper {
	w := &Sweeper{Options: o, soon: make(chan struct{}, 1), begun: o.Clock.Now()}
	w.tasks.name()
	w.erased.Store(true) // a server that crashed may have erased something, and wiped nothing
	return w
}

// Eraser returns what erases beside calls what they gave up.
func (w *Sweeper) Eraser() *Eraser {
	return &Eraser{Store: w.Store, Readers: w.Cases, Now: func() time.Time { return w.Clock.StoreTime(w.Clock.Now()) },
		EndAccount: w.EndAccount, Wipe: w.EraseSoon, Counts: &w.Counts}
}

// EraseSoon asks for a sweep of what a call gave up, and of the store's files, without
// waiting for the next round.
func (w *Sweeper) EraseSoon() {
	w.erased.Store(true)
	w.again()
}

// again asks for another sweep, without waiting for the next round.
func (w *Sweeper) again() {
	select {
	case w.soon <- struct{}{}:
	default:
	}
}

// complain logs a failure that is tried again every few seconds: the same is said
// again after a while only.
func (w *Sweeper) complain(ctx context.Context, what string, err error) {
	now, text := w.Clock.Elapsed(), what+err.Error()
	if text == w.said && now-w.saidAt < repeatFailure {
		return
	}
	w.said, w.saidAt = text, now
	health.Complain(ctx, w.Log, w.Outages, what, err)
}

// Run sweeps until ctx ends. It sweeps at half its interval, so that what ends
// right after one sweep is erased within the interval too. Where very many messages end,
// these are removed in between.
func (w *Sweeper) Run(ctx context.Context) {
	tick := time.NewTicker(w.round())
	defer tick.Stop()
	kept := w.Clock.Elapsed() - housekeeping // at the start too
	for {
		now := w.Clock.Elapsed()
		if err := w.Sweep(ctx); err != nil && ctx.Err() == nil {
			w.complain(ctx, "sweep failed and will be tried again", err)
		}
		if now-kept >= housekeeping {
			kept = now
			if err := w.KeepHouse(ctx); err != nil && ctx.Err() == nil {
				w.complain(ctx, "housekeeping failed and will be tried again", err)
			}
		}
		if !w.awaitRound(ctx, tick.C) {
			return
		}
	}
}

// round is the time from one round to the next.
func (w *Sweeper) round() time.Duration { return max(w.Interval/2, 10*time.Millisecond) }

// awaitRound waits until a sweep is to begin, and removes messages meanwhile where very many end. It reports false
// once ctx ends.
func (w *Sweeper) awaitRound(ctx context.Context, tick <-chan time.Time) bool {
	for {
		var early <-chan time.Time
		if due := time.Duration(w.early.Load()); due > 0 {
			early = time.After(due - w.Clock.Elapsed())
		}
		select {
		case <-early:
			if err := w.sweepEarly(ctx); err != nil && ctx.Err() == nil {
				w.complain(ctx, "sweep failed and will be tried again", err)
			}
		case <-tick:
			return true
		case <-w.soon:
			return true
		case <-ctx.Done():
			return false
		}
	}
}

// Sweep removes messages that have ended, with their events, counters and
// attachments, makes their content unrecoverable from the store's files, and
// destroys the keys that sealed nothing else, which makes it so everywhere else. While
// the clock is in doubt it erases nothing by itself.
func (w *Sweeper) Sweep(ctx context.Context) (err error) {
	ctx, span := w.Tracer.Task(ctx, "sweep")
	defer func() { span.EndTask(ctx, err) }()
	w.Cases.Age()
	at, err := w.Clock.EndingTime(ctx)
	return errors.Join(err, w.eraseEnded(ctx, at),
		w.run(ctx, &w.tasks.longQueues, func(ctx context.Context) error { return w.sweepQueues(ctx, at) }),
		w.run(ctx, &w.tasks.keys, func(ctx context.Context) error { return w.endKeys(ctx, at) }))
}

// eraseEnded removes what has ended by a time; nothing has where that is zero.
func (w *Sweeper) eraseEnded(ctx context.Context, at time.Time) error {
	removed := 0
	ended := func(ctx context.Context) (err error) {
		removed, err = w.removeEnded(ctx, at)
		return err
	}
	if !at.IsZero() { // else it does not count as done
		if err := w.run(ctx, &w.tasks.messages, ended); err != nil {
			return err
		}
	}
	// Files that cannot be reached hold up nothing else: their erasures stay noted. Nor
	// does an audit log that was tampered with.
	aside := errors.Join(w.run(ctx, &w.tasks.files, w.eraseBlobs), w.run(ctx, &w.tasks.keyUses, w.Access.FlushUses),
		w.run(ctx, &w.tasks.audit, w.Audit.Sweep))
	err := w.run(ctx, &w.tasks.wipe, func(ctx context.Context) error { return w.wipe(ctx, removed > 0) })
	return errors.Join(aside, err)
}

// wipe makes what was removed unrecoverable from the store's files.
func (w *Sweeper) wipe(ctx context.Context, removed bool) error {
	asked, err := w.Store.TakeErasure(ctx)
	if recalled := w.erased.Swap(false); recalled || asked || removed {
		if fault := w.Store.Erase(ctx); fault != nil {
			w.erased.Store(true) // so that the next sweep tries again
			err = errors.Join(err, fault)
		}
	}
	return err
}

// run does a part of the sweep or of housekeeping, and notes how it ended.
func (w *Sweeper) run(ctx context.Context, task *meter.Task, work func(context.Context) error) error {
	ctx, span := w.Tracer.Task(ctx, task.Name)
	err := task.Run(ctx, w.Clock.Now, func() error { return w.Room.Sparing(func() error { return work(ctx) }) })
	span.EndTask(ctx, err)
	return err
}

package backlog

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"signet/internal/disk"
	"signet/internal/health"
	"signet/internal/store"
	"signet/internal/trace"
)

const (
	// lookInterval is how often a server asks what others have noted, and lookLimit how often the
	// time is looked at: clocks are set.
	lookInterval, lookLimit = 500 * time.Millisecond, time.Second
	// never is when nothing is due.
	never = math.MaxInt64
)

// Options are what a worker works with.
type Options struct {
	Store    *store.Store
	Now      func() time.Time // the store's time, as far as is known
	InDoubt  func() bool      // nothing is erased because of the clock; nil: that is never so
	Log      *slog.Logger
	Outages  *health.Outages  // nil: each failure is logged
	Warnings *health.Warnings // nil: nobody looks at them
	Room     *disk.Room       // nil: there is room for everything
	Tracer   *trace.Tracer    // nil: there are no traces
	Turn     time.Duration    // for how long a job acts before others have their turn; 0: 2 s
}

// Worker does jobs. It is safe for concurrent use, but for Run.
type Worker struct {
	Options
	kinds    map[store.JobKind]*Kind
	failures failures

	soon  chan struct{}
	next  atomic.Int64    // when the next job is due of those that are known of, in milliseconds
	asked []store.JobKind // of which kinds; Run's own

	acts    sync.WaitGroup
	acting  acts                    // but for those that wait
	waiting map[store.JobKind]*acts // of each kind that Waits
	writes  atomic.Bool             // one of them is of a kind that Writes
}

// NewWorker returns a worker that is not running yet.
func NewWorker(o Options) *Worker {
	o.Turn = cmp.Or(o.Turn, 2*time.Second)
	w := &Worker{Options: o, kinds: map[store.JobKind]*Kind{}, soon: make(chan struct{}, 1),
		waiting: map[store.JobKind]*acts{}}
	w.acting.most = actsAtATime
	w.failures = failures{Options: &w.Options, since: map[store.JobNumber]failing{}}
	return w
}

// Register tells of kinds of jobs. A job of another kind waits for a server that knows it. It
// comes before Run.
func (w *Worker) Register(kinds ...*Kind) {
	for _, kind := range kinds {
		w.kinds[kind.Number] = kind
		if kind.Waits {
			w.waiting[kind.Number] = &acts{most: waitsAtATime}
		}
	}
}

// Kinds returns those that were registered, in their order.
func (w *Worker) Kinds() []*Kind {
	out := make([]*Kind, 0, len(w.kinds))
	for _, number := range slices.Sorted(maps.Keys(w.kinds)) {
		out = append(out, w.kinds[number])
	}
	return out
}

// Look has Run ask what is due: another process has perhaps noted something.
func (w *Worker) Look() { w.noted(time.Time{}) }

// noted is told when a job is due that was noted on this server.
func (w *Worker) noted(due time.Time) {
	at := int64(0)
	if !due.IsZero() {
		at = due.UnixMilli()
	}
	if w.lower(at) {
		w.wake()
	}
}

// lower lowers when the next job is due, and reports whether it was later before.
func (w *Worker) lower(at int64) bool {
	for {
		next := w.next.Load()
		if next <= at {
			return false
		}
		if w.next.CompareAndSwap(next, at) {
			return true
		}
	}
}

// wake has Run look at once.
func (w *Worker) wake() {
	select {
	case w.soon <- struct{}{}:
	default:
	}
}

// Run does jobs until ctx ends, and those that act have ended too.
func (w *Worker) Run(ctx context.Context) {
	defer w.acts.Wait()
	w.Store.OnJobs(w.noted)
	interval := lookInterval
	if w.Store.Alone() {
		interval = lookLimit
		w.failures.report(ctx, w.Store.Update(ctx, (*store.Tx).FreeJobs))
	}
	for ctx.Err() == nil {
		wait := interval
		if err := w.round(ctx); err != nil {
			w.next.Store(0)
			w.failures.report(ctx, err)
		} else if next := w.next.Load(); next != never {
			wait = min(wait, time.UnixMilli(next).Sub(w.Now()))
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-w.soon:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// round does what is due. A server that is alone knows when that is; one of several asks.
func (w *Worker) round(ctx context.Context) error {
	for {
		kinds := w.ready()
		if w.Store.Alone() && w.next.Load() > w.Now().UnixMilli() && slices.Equal(kinds, w.asked) {
			return nil
		}
		w.asked = kinds
		w.next.Store(never) // what is noted from here on lowers it
		due, found, err := w.nextDue(ctx, kinds)
		if err != nil || !found {
			return err
		}
		if due.After(w.Now()) {
			w.lower(due.UnixMilli()) // Run waits for it: to be woken by itself, it would ask for ever
			return nil
		}
		if did, err := w.work(ctx, kinds); err != nil || !did { // another server is at what is due
			return err
		}
		w.next.Store(0) // until that was asked for
	}
}

// ready returns the kinds of which jobs can be done now.
func (w *Worker) ready() []store.JobKind {
	doubt := w.InDoubt != nil && w.InDoubt()
	writes := w.writes.Load()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(w.kinds)), func(number store.JobKind) bool {
		kind := w.kinds[number]
		return kind.Erases && doubt || kind.Act != nil && (w.actsOf(kind).full() || kind.Writes && writes)
	})
}

func (w *Worker) nextDue(ctx context.Context, kinds []store.JobKind) (due time.Time, found bool, err error) {
	err = w.Store.View(ctx, func(tx *store.Tx) (err error) {
		due, found, err = tx.NextDue(kinds)
		return err
	})
	return due, found, err
}

// Settle does all that is due by now, of these kinds or of all, one job after the other and without
// a rest. It is for whoever waits for it.
func (w *Worker) Settle(ctx context.Context, kinds ...store.JobKind) error {
	if len(kinds) == 0 {
		kinds = w.ready()
	}
	for {
		t := taken{worker: w, kinds: kinds, limit: 1, stay: true}
		if err := t.commit(ctx); err != nil {
			return err
		}
		if t.settled(ctx); len(t.jobs) == 0 {
			return nil
		}
		w.acts.Wait()
	}
}

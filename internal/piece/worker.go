package piece

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"signet/internal/custody"
	"signet/internal/disk"
	"signet/internal/health"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
)

const (
	// lookInterval is how often a worker looks for what others left, and leftAge how old
	// that is: a server that is there does its own at once.
	lookInterval = time.Second
	leftAge      = 3 * time.Second
	// topic is that of the warning that it fails for longer than stuckAge.
	topic    = "pieces"
	stuckAge = time.Minute
	// together is how many pieces are done in one transaction at most.
	together = 20
	// rest is the longest pause between two pieces.
	rest = 50 * time.Millisecond
)

// Options are what a worker works with.
type Options struct {
	Store    *store.Store
	Hub      *live.Hub
	Clock    func() time.Time
	Log      *slog.Logger
	Outages  *health.Outages  // nil: each failure is logged
	Warnings *health.Warnings // nil: nobody looks at them
	Room     *disk.Room       // nil: there is room for everything
	Rows     int              // that a transaction writes; 0: 500
}

// Worker does pieces. It is safe for concurrent use, but for Run.
type Worker struct {
	Options
	rows int
	soon chan struct{}

	mu  sync.Mutex // guards due
	due map[place]bool
}

// NewWorker returns a worker that is not running yet.
func NewWorker(o Options) *Worker {
	return &Worker{Options: o, rows: cmp.Or(o.Rows, Rows), soon: make(chan struct{}, 1), due: map[place]bool{}}
}

// Carry goes on with a plan whose transaction is on disk: it wakes readers, and returns when
// what the call promises is so. An error says that it is not so yet; it will be.
func (w *Worker) Carry(ctx context.Context, p *Plan) error {
	if rows, ok := ctx.Value(counting{}).(*int); ok {
		*rows += p.Cost
	}
	w.Hub.Wake(p.Told...)
	for _, at := range p.must {
		if err := w.finish(ctx, at); err != nil {
			w.add(p.later...)
			return err
		}
	}
	w.add(p.later...)
	return nil
}

// Finish returns when everybody whom a call has put into a group or taken out of it, is.
func (w *Worker) Finish(ctx context.Context, g *model.Group) error {
	return w.finish(ctx, place{g.Organization, g.ID})
}

func (w *Worker) finish(ctx context.Context, at place) error {
	for {
		waits := false
		err := w.Store.View(ctx, func(tx *store.Tx) (err error) {
			waits, err = tx.HasPieces(at.organization, at.group, store.Enter, store.Leave, store.Recall)
			return err
		})
		if err != nil || !waits {
			return err
		}
		if _, err := w.step(ctx, at, false); err != nil {
			return err
		}
	}
}

// add tells the worker of places with something to do.
func (w *Worker) add(places ...place) {
	if len(places) == 0 {
		return
	}
	w.mu.Lock()
	for _, at := range places {
		w.due[at] = true
	}
	w.mu.Unlock()
	select {
	case w.soon <- struct{}{}:
	default:
	}
}

// Run does pieces until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	tick := time.NewTicker(lookInterval)
	defer tick.Stop()
	var failing time.Time // since when; zero: it does not
	for {
		look := false
		select {
		case <-w.soon:
		case <-tick.C:
			look = true
		case <-ctx.Done():
			return
		}
		var err error
		if look {
			var left []place
			left, err = w.look(ctx, w.Clock().Add(-leftAge))
			w.add(left...)
		}
		failing = w.report(ctx, failing, errors.Join(err, w.work(ctx)))
	}
}

// report tells of the first of what may be many failures in a row, and warns where they do
// not end.
func (w *Worker) report(ctx context.Context, failing time.Time, err error) time.Time {
	switch {
	case ctx.Err() != nil:
	case err == nil:
		if w.Warnings.Holds(topic) {
			w.Warnings.Clear(topic)
		}
		return time.Time{}
	case failing.IsZero():
		custody.Complain(ctx, w.Log, w.Outages, "what calls left to be done in pieces waits, and is tried again", err)
		return time.Now()
	case time.Since(failing) > stuckAge && !w.Warnings.Holds(topic):
		w.Warnings.Set(topic, "what calls left to be done in pieces is not done: members of large groups miss events",
			"error", err)
	}
	return failing
}

// Settle does all that is left, by whichever server, without a rest: one place after the
// other.
func (w *Worker) Settle(ctx context.Context) error {
	left, err := w.look(ctx, w.Clock().Add(time.Hour))
	if err != nil {
		return err
	}
	for _, at := range left {
		for more := true; more; {
			if more, err = w.step(ctx, at, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// look looks for places where something was noted before a time, or where members still get
// earlier messages.
func (w *Worker) look(ctx context.Context, before time.Time) (found []place, err error) {
	err = w.Store.View(ctx, func(tx *store.Tx) error {
		found = nil
		for last := (place{}); ; {
			p, more, err := tx.NextPiece(last.organization, last.group, before)
			if err != nil {
				return err
			}
			if !more {
				break
			}
			last = place{p.Organization, p.Group}
			found = append(found, last)
		}
		for last := (model.GroupID{}); ; {
			group, more, err := tx.NextHistory(last)
			if err != nil || !more {
				return err
			}
			g, _, err := tx.Group(group)
			if err != nil {
				return err
			}
			last = group
			found = append(found, place{g.Organization, group})
		}
	})
	return found, err
}

// work does what is due, a piece of each place in turn.
func (w *Worker) work(ctx context.Context) error {
	for {
		w.mu.Lock()
		due := slices.Collect(maps.Keys(w.due))
		w.mu.Unlock()
		if len(due) == 0 {
			return nil
		}
		for _, at := range due {
			w.mu.Lock() // before it is looked at, so that what is noted meanwhile counts
			delete(w.due, at)
			w.mu.Unlock()
			more, err := w.step(ctx, at, false)
			if err != nil {
				return err // look finds it again
			}
			if more {
				w.mu.Lock()
				w.due[at] = true
				w.mu.Unlock()
			}
		}
	}
}

// step does the next of what is left of a place, as much as one transaction writes, and
// rests unless it is in a hurry. It reports whether there may be more.
func (w *Worker) step(ctx context.Context, at place, hurry bool) (more bool, err error) {
	begun := time.Now()
	var told []model.AccountID
	err = w.Room.Sparing(func() error {
		return w.Store.Update(ctx, func(tx *store.Tx) (err error) {
			told, err = w.next(tx, at)
			return err
		})
	})
	if err != nil || len(told) == 0 {
		return false, err
	}
	w.Hub.Wake(told...)
	if hurry {
		return true, nil
	}
	return true, Rest(ctx, begun)
}

// Rest lasts as long as what was begun then, so that others write half of the time, but not
// longer than some hundredths of a second. It returns the error of ctx where that ends.
func Rest(ctx context.Context, begun time.Time) error {
	timer := time.NewTimer(min(time.Since(begun), rest))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// next does pieces of a place, and returns whom they concern; where there are none, the
// next of its history.
func (w *Worker) next(tx *store.Tx, at place) (told []model.AccountID, err error) {
	g := model.Group{ID: at.group, Organization: at.organization}
	if at.group.IsZero() {
		err = tx.LockOrganization(at.organization)
	} else if err = tx.LockGroup(at.group); err == nil {
		g, _, err = tx.Group(at.group)
	}
	if err != nil {
		return nil, err
	}
	now := w.Clock().UTC().Truncate(time.Millisecond)
	// Where each is small, several are done together.
	pieces, err := tx.Pieces(at.organization, at.group, together)
	if err != nil {
		return nil, err
	}
	left := max(w.rows/workerShare, 1)
	for i := range pieces {
		p := &pieces[i]
		if p.Deed == store.TellAll {
			members, over, err := tellAll(tx, p, max(left/2, 1))
			told = append(told, members...)
			if left -= 2 * len(members); err != nil || !over || left <= 0 {
				return told, err
			}
			continue
		}
		all := p.Accounts
		p.Accounts = all[:min(max(left/rowsOf(p), 1), len(all))]
		if err := do(tx, &g, p, now); err != nil {
			return nil, err
		}
		told = append(told, p.Accounts...)
		left -= rowsOf(p) * len(p.Accounts)
		if p.Accounts = all[len(p.Accounts):]; len(p.Accounts) > 0 {
			return told, tx.ShortenPiece(p)
		}
		if err := tx.DeletePiece(p); err != nil || left <= 0 {
			return told, err
		}
	}
	if len(pieces) > 0 || at.group.IsZero() {
		return told, nil
	}
	told, _, err = tx.Replay(&g, now, max(left/2, 1))
	return told, err
}

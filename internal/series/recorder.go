// Package series keeps figures over time, of the installation and of organizations: by minute for
// a day, by hour for more than a year, across restarts and on any number of servers. It tells
// nothing of content or persons (contract, section 7).
//
// Each server writes a row of its own for each minute in which it ran, and nobody ever changes one
// that is written: figures add up over servers, and a server that starts again in the middle of a
// minute is another one. Of how long sends took there are buckets, of who called there are marks,
// of what was read there is how many minutes before it had been sent: all of these add up too. What
// only the store tells, the server asks that is first in a minute. A job makes an hour out of the rows
// of its minutes, once these are all there; who asks for it before has it made out of them.
//
// It owns what is counted when, and what is told. It does not know who may ask (overview).
package series

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"signet/internal/backlog"
	"signet/internal/health"
	"signet/internal/model"
	"signet/internal/store"
	stored "signet/internal/store/series"
	"signet/internal/tally"
)

const (
	// look is how often the time is looked at: clocks are set.
	look = time.Second
	// mostWaiting is how many minutes are kept while the store is away. Of earlier ones nothing is
	// known, as if there had been no server.
	mostWaiting = 120
	// together is how many organizations one transaction writes about.
	together = backlog.Rows
	// stale is after which time what the store tells is not what it told at the end of a minute.
	stale = time.Minute
	// repeatFailure is how often a failure that stays the same is logged.
	repeatFailure = 10 * time.Minute
)

// Here is what a server has at a time; nil: it does not know.
type Here struct {
	Streams int64
	Memory  *int64         // bytes
	CPU     *time.Duration // used since it started
	Free    *int64         // bytes, where it stores something
}

// Shared is what all servers have together; nil: it is not known.
type Shared struct {
	Queued       *int64 // events
	OldestUnread *time.Duration
	Database     *int64 // bytes
	Log          *int64
}

// Options are what a recorder works with.
type Options struct {
	Store   *store.Store
	Tally   *tally.Tally
	Now     func() time.Time // the store's time, as far as is known
	Here    func() Here
	Shared  func(ctx context.Context) Shared
	Log     *slog.Logger
	Outages *health.Outages // nil: each failure is logged
}

// Recorder writes what its server counts, minute by minute. It is safe for concurrent use.
type Recorder struct {
	Options
	marker marker

	mu      sync.Mutex    // guards all below
	node    model.NodeID  // under which it counts
	begun   time.Time     // the minute that it counts
	used    time.Duration // of the processor, before that
	waiting []*minute     // that are to be written, the oldest first

	// Hours of which it is noted that they are to be made: the last one, and those that are made
	// again because of minutes that came late.
	hour  time.Time
	again map[time.Time]bool

	said   string // the last failure that was logged
	saidAt time.Time
}

// NewRecorder returns a recorder that is not running yet.
func NewRecorder(o Options) *Recorder {
	r := &Recorder{Options: o, marker: newMarker(o.Store.Secret()), node: newNode(), again: map[time.Time]bool{}}
	r.begun = r.now().Truncate(time.Minute)
	if cpu := o.Here().CPU; cpu != nil {
		r.used = *cpu
	}
	return r
}

func newNode() model.NodeID { return model.NodeID(uuid.Must(uuid.NewV7())) }

func (r *Recorder) now() time.Time { return r.Now().UTC() }

// Run writes each minute when it is over, until ctx ends.
func (r *Recorder) Run(ctx context.Context) {
	for {
		now := r.now()
		timer := time.NewTimer(min(now.Truncate(time.Minute).Add(time.Minute).Sub(now), look))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		if err := r.Tick(ctx); err != nil && ctx.Err() == nil {
			r.complain(ctx, err)
		}
	}
}

// complain logs a failure that is tried again every few seconds.
func (r *Recorder) complain(ctx context.Context, err error) {
	if err.Error() == r.said && time.Since(r.saidAt) < repeatFailure {
		return
	}
	r.said, r.saidAt = err.Error(), time.Now()
	health.Complain(ctx, r.Log, r.Outages, "figures could not be written, and are tried again", err)
}

// Tick takes what was counted, where a minute is over, and writes what is not written yet.
func (r *Recorder) Tick(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if begun := now.Truncate(time.Minute); !begun.Equal(r.begun) {
		r.take(now)
		if begun.Before(r.begun) { // the clock was put back: the minute may have its row
			r.node = newNode()
		}
		r.begun = begun
	}
	return r.write(ctx)
}

// Flush writes what was counted of the minute that goes on, for a server that stops.
func (r *Recorder) Flush(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.take(r.begun)
	r.node = newNode() // what is counted from here on is another row
	return r.write(ctx)
}

// take has what was counted since the minute began written, with what the server has now if that is
// about the minute's end.
func (r *Recorder) take(now time.Time) {
	counts, here := r.Tally.Take(), r.Here()
	m := &minute{begun: r.begun, node: r.node, whole: wholeOf(&counts)}
	if here.CPU != nil {
		m.whole.CPU = new(max(*here.CPU-r.used, 0).Seconds())
		r.used = *here.CPU
	}
	if since := now.Sub(r.begun.Add(time.Minute)); since >= 0 && since < stale {
		m.whole.Streams, m.whole.Memory, m.whole.Free = &here.Streams, here.Memory, here.Free
	}
	m.addParts(&counts, r.marker)
	if r.waiting = append(r.waiting, m); len(r.waiting) > mostWaiting {
		r.waiting = r.waiting[1:]
	}
}

// write writes the minutes that wait for it.
func (r *Recorder) write(ctx context.Context) error {
	for len(r.waiting) > 0 {
		if err := r.writeMinute(ctx, r.waiting[0]); err != nil {
			return err
		}
		r.waiting = r.waiting[1:]
	}
	clear(r.again)
	return nil
}

// writeMinute writes a minute, or what is left of it: of the installation in two transactions,
// however much was sent, and then some organizations at a time.
func (r *Recorder) writeMinute(ctx context.Context, m *minute) error {
	if !m.own {
		if err := r.writeOwn(ctx, m); err != nil {
			return err
		}
	}
	if m.first {
		if err := r.writeShared(ctx, m); err != nil {
			return err
		}
	}
	for len(m.parts) > 0 {
		begun := time.Now()
		some := m.parts[:min(len(m.parts), together)]
		if err := r.Store.Update(ctx, func(tx *store.Tx) error { return putParts(tx, some) }); err != nil {
			return err
		}
		if m.parts = m.parts[len(some):]; len(m.parts) == 0 {
			break
		}
		if err := backlog.Rest(ctx, begun); err != nil {
			return err
		}
	}
	return nil
}

// writeOwn writes what the server has counted in all, finds whether it is the first in the minute,
// and notes that the hour is to be made.
func (r *Recorder) writeOwn(ctx context.Context, m *minute) error {
	first, hour, again := false, m.begun.Truncate(time.Hour), r.late(m.begun)
	since := r.now().Sub(m.begun.Add(time.Minute))
	row := stored.Row{Step: stored.Minute, Begun: m.begun, Node: m.node, Counted: m.whole.stored()}
	err := r.Store.Update(ctx, func(tx *store.Tx) (err error) {
		if err := stored.Put(tx, &row); err != nil {
			return err
		}
		if since >= 0 { // else this server stops, and another one may be there at the minute's end
			if first, err = stored.Claim(tx, &stored.Row{Step: stored.Minute, Begun: m.begun}); err != nil {
				return err
			}
		}
		if !hour.Equal(r.hour) {
			if err := noteHour(tx, hour, r.now()); err != nil {
				return err
			}
		}
		for _, hour := range again {
			if err := noteAgain(tx, hour, r.now()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	m.own, r.hour = true, hour
	for _, hour := range again {
		r.again[hour] = true
	}
	m.first = first && since < stale
	return nil
}

// late returns the hours that were made, or nearly, without a minute that belongs to them: its own,
// and the one before, of whose messages it tells what became. Each is made again once.
func (r *Recorder) late(minute time.Time) (again []time.Time) {
	for _, hour := range []time.Time{minute.Truncate(time.Hour).Add(-time.Hour), minute.Truncate(time.Hour)} {
		if r.now().After(hour.Add(time.Hour+lateSettled)) && !r.again[hour] {
			again = append(again, hour)
		}
	}
	return again
}

// writeShared asks the store what it tells of all servers, and writes that.
func (r *Recorder) writeShared(ctx context.Context, m *minute) error {
	shared := r.Shared(ctx)
	w := whole{Queued: shared.Queued, Database: shared.Database, Log: shared.Log}
	if oldest := shared.OldestUnread; oldest != nil {
		w.OldestUnread = new(int64(*oldest / time.Second))
	}
	row := stored.Row{Step: stored.Minute, Begun: m.begun, Counted: w.stored()}
	err := r.Store.Update(ctx, func(tx *store.Tx) error { return stored.Put(tx, &row) })
	m.first = m.first && err != nil
	return err
}

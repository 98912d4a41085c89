package backlog

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/store"
)

// Work that waits for others than the store holds up no other work, and is not held up by it, nor by other work
// that waits: many of each act at a time, as many as its limit lets.
func TestWhatWaitsForOthersHoldsUpNothing(t *testing.T) {
	c := newCity(t)
	release := make(chan struct{})
	var waiting, others, acting atomic.Int64
	block := func(counted *atomic.Int64) func(context.Context, *store.Job) (Next, error) {
		return func(ctx context.Context, _ *store.Job) (Next, error) {
			counted.Add(1)
			defer counted.Add(-1)
			select {
			case <-release:
			case <-ctx.Done():
			}
			return Over(), ctx.Err()
		}
	}
	waits := &Kind{Number: count, Name: "waits", Lease: time.Minute, Waits: true, Act: block(&waiting)}
	acts := &Kind{Number: 2, Name: "acts", Lease: time.Minute, Act: block(&acting)}
	steps := counting()
	steps.Number = 3
	waitsToo := &Kind{Number: 4, Name: "waits too", Lease: time.Minute, Waits: true, Act: block(&others)}
	s := c.start([]*Kind{waits, acts, steps, waitsToo}, 0)
	const each, many = 40, waitsAtATime + 10
	err := s.store.Update(t.Context(), func(tx *store.Tx) error {
		for range many {
			if err := tx.NoteJob(&store.Job{Kind: waits.Number}); err != nil {
				return err
			}
		}
		for i := range each {
			for _, kind := range []*Kind{acts, waitsToo} {
				if err := tx.NoteJob(&store.Job{Kind: kind.Number}); err != nil {
					return err
				}
			}
			last := job(uint64(i), 1, time.Time{})
			last.Kind = steps.Number
			if err := tx.NoteJob(last); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for (waiting.Load() < waitsAtATime || others.Load() < each || acting.Load() < actsAtATime || steps.Done() < each) &&
		t.Context().Err() == nil {
		runtime.Gosched()
	}
	if acts, waits := acting.Load(), waiting.Load(); acts != actsAtATime || waits != waitsAtATime {
		t.Errorf("%d act at a time, and %d wait, want %d and %d", acts, waits, actsAtATime, waitsAtATime)
	}
	close(release)
	for waits.Done()+waitsToo.Done()+acts.Done() < many+2*each && t.Context().Err() == nil {
		runtime.Gosched()
	}
}

// What became of a job that ends while its server stops is stored: it is not done again. One that could not be
// ended is left to others at once.
func TestWhatEndsWhileItsServerStopsIsOver(t *testing.T) {
	c := newCity(t)
	begun := make(chan struct{}, 2)
	act := func(end func(context.Context) (Next, error)) func(context.Context, *store.Job) (Next, error) {
		return func(ctx context.Context, j *store.Job) (Next, error) {
			begun <- struct{}{}
			<-ctx.Done()
			j.State = []byte("begun")
			return end(ctx)
		}
	}
	ends := &Kind{Number: count, Name: "ends", Lease: time.Minute,
		Act: act(func(context.Context) (Next, error) { return Over(), nil })}
	goesOn := &Kind{Number: 2, Name: "goes on", Lease: time.Minute,
		Act: act(func(context.Context) (Next, error) { return At(time.UnixMilli(1)), nil })}
	breaks := &Kind{Number: 3, Name: "breaks off", Lease: time.Minute,
		Act: act(func(ctx context.Context) (Next, error) { return Next{}, ctx.Err() })}
	kinds := []*Kind{ends, goesOn, breaks}
	s := c.start(kinds, 0)
	err := s.store.Update(t.Context(), func(tx *store.Tx) error {
		for _, kind := range kinds {
			if err := tx.NoteJob(&store.Job{Kind: kind.Number}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range kinds {
		<-begun
	}
	s.stop()
	left := map[store.JobKind]string{}
	err = c.start(nil, 0).store.View(t.Context(), func(tx *store.Tx) error {
		return tx.Query(`SELECT kind, due, state FROM jobs`, nil, func(row store.Row) error {
			var kind, due int
			var state []byte
			err := row.Scan(&kind, &due, &state)
			left[store.JobKind(kind)] = fmt.Sprintf("%s, due at %d", state, due)
			return err
		})
	})
	want := map[store.JobKind]string{goesOn.Number: "begun, due at 1", breaks.Number: "begun, due at 0"}
	if err != nil || !maps.Equal(left, want) {
		t.Errorf("the jobs %v are left (%v), want %v", left, err, want)
	}
}

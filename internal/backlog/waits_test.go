package backlog

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/store"
)

// Work that waits for others than the store holds up no other work, and is not held up by it: many of either
// act at a time, as many as its limit lets.
func TestWhatWaitsForOthersHoldsUpNothing(t *testing.T) {
	c := newCity(t)
	release := make(chan struct{})
	var waiting, acting atomic.Int64
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
	s := c.start([]*Kind{waits, acts, steps}, 0)
	const each = 40
	err := s.store.Update(t.Context(), func(tx *store.Tx) error {
		for i := range each {
			for kind := range 2 {
				if err := tx.NoteJob(&store.Job{Kind: store.JobKind(1 + kind)}); err != nil {
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
	for (waiting.Load() < each || acting.Load() < actsAtATime || steps.Done() < each) && t.Context().Err() == nil {
		runtime.Gosched()
	}
	if n := acting.Load(); n != actsAtATime {
		t.Errorf("%d act at a time, want %d", n, actsAtATime)
	}
	close(release)
	for waits.Done()+acts.Done() < 2*each && t.Context().Err() == nil {
		runtime.Gosched()
	}
}

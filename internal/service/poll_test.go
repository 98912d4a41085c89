package service_test

import (
	"context"
	"sync/atomic"
	"testing"

	"signet/internal/service"
	"signet/internal/store"
)

// failingEngine fails one Update, that which comes after so many less one.
type failingEngine struct {
	store.Engine
	at atomic.Int64
}

func (e *failingEngine) Update(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	if e.at.Add(-1) == 0 {
		return store.ErrUnavailable
	}
	return e.Engine.Update(ctx, fn, traits...)
}

// A poll that acknowledges what it returns brings everything at least once, also where only some of it
// could be acknowledged.
func TestAPollReturnsWhatItAcknowledged(t *testing.T) {
	const events = 400 // which take several transactions
	failing := &failingEngine{}
	h := newHouseOn(t, 1, func(e store.Engine) store.Engine { failing.Engine = e; return failing })
	reader := h.actors[0]
	_, err := h.service.DeleteEvents(t.Context(), reader, false)
	must(t, err)
	h.mustQueueOther(t, reader, events)
	poll := func() (ids []string) {
		t.Helper()
		got, err := h.service.Poll(t.Context(), reader, service.PollOptions{Limit: events, AutoAck: true})
		must(t, err)
		for i := range got {
			ids = append(ids, got[i].ID)
		}
		return ids
	}
	failing.at.Store(2)
	first, second := poll(), poll()
	seen := map[string]bool{}
	for _, id := range append(first, second...) {
		seen[id] = true
	}
	if len(seen) != events {
		t.Errorf("%d of %d events came", len(seen), events)
	}
	if len(second) == 0 || len(second) >= events {
		t.Errorf("%d events came again, want those that were not acknowledged", len(second))
	}
	if rest := poll(); len(rest) != 0 {
		t.Errorf("%d events are left", len(rest))
	}
}

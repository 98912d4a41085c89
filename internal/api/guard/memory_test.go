package guard

import (
	"errors"
	"testing"
	"time"

	"signet/internal/model"
)

func TestMemoryOfBodies(t *testing.T) {
	m := NewMemory(800<<10, 8)
	wantTaken := func(h *Held, bytes int) {
		t.Helper()
		if err := h.Take(bytes); err != nil {
			t.Fatalf("%d bytes of %d used: %v", bytes, m.Used(), err)
		}
	}
	wantRefused := func(h *Held, bytes int) {
		t.Helper()
		told, ok := errors.AsType[*model.Error](h.Take(bytes))
		if !ok || told.Kind != model.Unavailable || told.Code != CodeTooManyBodies || told.RetryAfter != time.Second {
			t.Fatalf("%d bytes of %d used: got %v", bytes, m.Used(), told)
		}
	}
	// One counter has an eighth, of which the first 8 KiB of each body are no part.
	alice, phone := m.Hold("alice"), m.Hold("alice")
	wantTaken(&alice, 108<<10)
	wantRefused(&alice, 1)
	wantTaken(&phone, 8<<10)
	wantRefused(&phone, 1)
	if got := m.Used(); got != 100<<10 {
		t.Errorf("%d bytes are used", got)
	}
	if m.Crowded() {
		t.Error("an eighth is a crowd")
	}
	// All together have all of it, and what is small is still taken.
	var others []Held
	for _, name := range []string{"bob", "carl", "dora", "emil", "finn", "gina", "hans"} {
		others = append(others, m.Hold(name))
	}
	for i := range others {
		for range 27 {
			wantTaken(&others[i], 4<<10)
		}
	}
	if !m.Crowded() {
		t.Error("all of it is no crowd")
	}
	last := m.Hold("eve")
	wantTaken(&last, 8<<10)
	wantRefused(&last, 1)
	others[0].Release()
	wantTaken(&last, 100<<10)
	for _, h := range append(others, alice, phone, last) {
		h.Release()
		h.Release()
	}
	if got := m.Used(); got != 0 || len(m.by) != 0 {
		t.Errorf("%d bytes of %d counters are used at the end", got, len(m.by))
	}
	none := NewMemory(0, 8).Hold("alice")
	wantTaken(&none, 1<<30)
	none.Release()
	var empty Held
	empty.Release()
}

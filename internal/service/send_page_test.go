package service_test

import (
	"slices"
	"testing"

	"signet/internal/store"
)

// pagesOfSend returns how many pages one send writes to the log.
func (h *house) pagesOfSend(t *testing.T, recipient string) int {
	t.Helper()
	frames := func() int {
		// The log is counted when its writer goes on to the next.
		must(t, h.engine.Update(t.Context(), func(store.Session) error { return nil }))
		return int(h.engine.Stats().LogFrames)
	}
	before := frames()
	h.mustSendTo(t, recipient)
	return frames() - before
}

// TestGroupMessageWritesAPageForEachMember: its queue's. What else changes lies
// together, as many as they are.
func TestGroupMessageWritesAPageForEachMember(t *testing.T) {
	const members = 50
	h := newHouse(t, members)
	group := h.mustGroup(t, members)
	for range 60 { // so that each queue has pages of its own
		h.mustSendTo(t, group)
	}
	var pages []int
	for range 11 {
		pages = append(pages, h.pagesOfSend(t, group))
	}
	// Some queues' pages get full and are split, in some sends more of them.
	if got := slices.Min(pages); got > members*7/4 {
		t.Errorf("a message to %d members writes %d pages, in other sends %v", members, got, pages)
	}
}

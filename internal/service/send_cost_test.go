package service_test

import (
	"slices"
	"strings"
	"testing"

	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store"
)

func (h *house) mustGroup(t *testing.T, members int) string {
	t.Helper()
	var names []string
	for _, a := range h.actors[:members] {
		names = append(names, a.Account.String())
	}
	g, err := h.service.CreateGroup(t.Context(), h.actors[0], service.GroupCommand{Members: names})
	must(t, err)
	return g.ID.String()
}

func (h *house) mustSend(t *testing.T, sender *model.Actor, recipient string) {
	t.Helper()
	_, err := h.service.Send(t.Context(), sender, service.SendCommand{Recipient: recipient, Body: strings.Repeat("x", 200)})
	must(t, err)
}

// statementsOfSend returns how many one send takes, among people who wrote before.
func (h *house) statementsOfSend(t *testing.T, recipient string) int64 {
	t.Helper()
	h.mustSend(t, h.actors[0], recipient)
	before := h.statements.Load()
	h.mustSend(t, h.actors[0], recipient)
	return h.statements.Load() - before
}

// pagesOfSend returns how many pages one send writes to the log.
func (h *house) pagesOfSend(t *testing.T, recipient string) int {
	t.Helper()
	frames := func() int {
		// The log is counted when its writer goes on to the next.
		must(t, h.engine.Update(t.Context(), func(store.Session) error { return nil }))
		return int(h.engine.Stats().LogFrames)
	}
	before := frames()
	h.mustSend(t, h.actors[0], recipient)
	return frames() - before
}

// TestSendTakesFewStatements: whoever adds one to the way of each message does so
// knowingly.
func TestSendTakesFewStatements(t *testing.T) {
	h := newHouse(t, 40)
	// Whether both are members; message, sender's roster, copy, event, recipient's roster.
	if got := h.statementsOfSend(t, h.actors[1].Account.String()); got > 6 {
		t.Errorf("a message takes %d statements, want 6", got)
	}
	few, many := h.statementsOfSend(t, h.mustGroup(t, 3)), h.statementsOfSend(t, h.mustGroup(t, 40))
	if few != many {
		t.Errorf("a message to a group of 3 takes %d statements, and to one of 40 %d", few, many)
	}
	if many > 12 {
		t.Errorf("a message to a group takes %d statements, want 12", many)
	}
}

// TestGroupMessageWritesAPageForEachMember: its queue's. What else changes lies
// together, as many as they are.
func TestGroupMessageWritesAPageForEachMember(t *testing.T) {
	const members = 50
	h := newHouse(t, members)
	group := h.mustGroup(t, members)
	for range 60 { // so that each queue has pages of its own
		h.mustSend(t, h.actors[0], group)
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

// TestSendAllocatesLittle: what is left behind is collected at the cost of all.
func TestSendAllocatesLittle(t *testing.T) {
	h := newHouse(t, 100)
	allocations := func(recipient string) int {
		h.mustSend(t, h.actors[0], recipient)
		return int(testing.AllocsPerRun(50, func() { h.mustSend(t, h.actors[0], recipient) }))
	}
	if got := allocations(h.actors[1].Account.String()); got > 90 {
		t.Errorf("a message allocates %d times, want 90 at most", got)
	}
	few, many := allocations(h.mustGroup(t, 10)), allocations(h.mustGroup(t, 100))
	if each := float64(many-few) / 90; each > 0.5 {
		t.Errorf("a message to a group of 10 allocates %d times, and to one of 100 %d: %.2f for each member", few, many, each)
	}
}

package service_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/store/sqlite"
)

// counted counts the statements that pass through an engine.
type counted struct {
	*sqlite.Engine
	statements atomic.Int64
}

func (e *counted) View(ctx context.Context, fn func(store.Session) error) error {
	return e.Engine.View(ctx, e.counting(fn))
}

func (e *counted) ViewTogether(ctx context.Context, fn func(store.Session) error) error {
	return e.Engine.ViewTogether(ctx, e.counting(fn))
}

func (e *counted) Update(ctx context.Context, fn func(store.Session) error) error {
	return e.Engine.Update(ctx, e.counting(fn))
}

func (e *counted) UpdateTogether(ctx context.Context, fn func(store.Session) error) error {
	return e.Engine.UpdateTogether(ctx, e.counting(fn))
}

func (e *counted) counting(fn func(store.Session) error) func(store.Session) error {
	return func(s store.Session) error { return fn(&countedSession{s, &e.statements}) }
}

type countedSession struct {
	store.Session
	statements *atomic.Int64
}

func (s *countedSession) Exec(text string, args ...any) (int64, error) {
	s.statements.Add(1)
	return s.Session.Exec(text, args...)
}

func (s *countedSession) Post(text string, args ...any) error {
	s.statements.Add(1)
	return s.Session.Post(text, args...)
}

func (s *countedSession) Query(text string, args []any, each func(store.Row) error) error {
	s.statements.Add(1)
	return s.Session.Query(text, args, each)
}

// costs is a house whose statements and pages are counted.
type costs struct {
	*house
	engine *counted
}

func newCosts(t *testing.T, people int) *costs {
	t.Helper()
	engine, err := sqlite.Open(filepath.Join(t.TempDir(), "signet.db"), sqlite.Options{})
	must(t, err)
	c := &costs{engine: &counted{Engine: engine}}
	c.house = newHouseOn(t, c.engine, people)
	return c
}

func (c *costs) mustGroup(t *testing.T, members int) string {
	t.Helper()
	var names []string
	for _, a := range c.actors[:members] {
		names = append(names, a.Account.String())
	}
	g, err := c.service.CreateGroup(t.Context(), c.actors[0], service.GroupCommand{Members: names})
	must(t, err)
	return g.ID.String()
}

func (c *costs) mustSend(t *testing.T, sender *model.Actor, recipient string) {
	t.Helper()
	_, err := c.service.Send(t.Context(), sender, service.SendCommand{Recipient: recipient, Body: strings.Repeat("x", 200)})
	must(t, err)
}

// statements returns how many one send takes, among people who wrote before.
func (c *costs) statements(t *testing.T, recipient string) int64 {
	t.Helper()
	c.mustSend(t, c.actors[0], recipient)
	before := c.engine.statements.Load()
	c.mustSend(t, c.actors[0], recipient)
	return c.engine.statements.Load() - before
}

// pages returns how many pages one send writes to the log.
func (c *costs) pages(t *testing.T, recipient string) int {
	t.Helper()
	frames := func() int {
		// The log is counted when its writer goes on to the next.
		must(t, c.engine.Engine.Update(t.Context(), func(store.Session) error { return nil }))
		return int(c.engine.Stats().LogFrames)
	}
	before := frames()
	c.mustSend(t, c.actors[0], recipient)
	return frames() - before
}

// TestSendTakesFewStatements: whoever adds one to the way of each message does so
// knowingly.
func TestSendTakesFewStatements(t *testing.T) {
	c := newCosts(t, 40)
	// Whether both are members; message, sender's roster, copy, event, recipient's roster.
	if got := c.statements(t, c.actors[1].Account.String()); got > 6 {
		t.Errorf("a message takes %d statements, want 6", got)
	}
	few, many := c.statements(t, c.mustGroup(t, 3)), c.statements(t, c.mustGroup(t, 40))
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
	c := newCosts(t, members)
	group := c.mustGroup(t, members)
	for range 60 { // so that each queue has pages of its own
		c.mustSend(t, c.actors[0], group)
	}
	var pages []int
	for range 11 {
		pages = append(pages, c.pages(t, group))
	}
	// Some queues' pages get full and are split, in some sends more of them.
	if got := slices.Min(pages); got > members*7/4 {
		t.Errorf("a message to %d members writes %d pages, in other sends %v", members, got, pages)
	}
}

// TestSendAllocatesLittle: what is left behind is collected at the cost of all.
func TestSendAllocatesLittle(t *testing.T) {
	c := newCosts(t, 100)
	allocations := func(recipient string) int {
		c.mustSend(t, c.actors[0], recipient)
		return int(testing.AllocsPerRun(50, func() { c.mustSend(t, c.actors[0], recipient) }))
	}
	if got := allocations(c.actors[1].Account.String()); got > 90 {
		t.Errorf("a message allocates %d times, want 90 at most", got)
	}
	few, many := allocations(c.mustGroup(t, 10)), allocations(c.mustGroup(t, 100))
	if each := float64(many-few) / 90; each > 0.5 {
		t.Errorf("a message to a group of 10 allocates %d times, and to one of 100 %d: %.2f for each member", few, many, each)
	}
}

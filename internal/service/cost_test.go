package service_test

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"

	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store"
)

// What a use case costs is held down here by what can be counted. Time is for the
// benchmarks.

// countedEngine counts the statements that an engine runs.
type countedEngine struct {
	store.Engine
	statements atomic.Int64
}

func (e *countedEngine) counted(fn func(store.Session) error) func(store.Session) error {
	return func(s store.Session) error { return fn(countedSession{s, &e.statements}) }
}

func (e *countedEngine) View(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	return e.Engine.View(ctx, e.counted(fn), traits...)
}

func (e *countedEngine) Update(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	return e.Engine.Update(ctx, e.counted(fn), traits...)
}

type countedSession struct {
	store.Session
	statements *atomic.Int64
}

func (s countedSession) Exec(query string, args ...any) (int64, error) {
	s.statements.Add(1)
	return s.Session.Exec(query, args...)
}

func (s countedSession) Post(query string, args ...any) error {
	s.statements.Add(1)
	return s.Session.Post(query, args...)
}

func (s countedSession) Query(query string, args []any, each func(store.Row) error) error {
	s.statements.Add(1)
	return s.Session.Query(query, args, each)
}

// wantStatements runs fn and compares how many statements it took.
func (h *house) wantStatements(t *testing.T, what string, want int64, fn func()) {
	t.Helper()
	before := h.statements.Load()
	fn()
	if got := h.statements.Load() - before; got != want {
		t.Errorf("%s takes %d statements, want %d", what, got, want)
	}
}

// wantMemory runs fn many times and bounds what it allocates each time: objects, and
// bytes. The bounds leave a third for what the race detector and others add.
func wantMemory(t *testing.T, what string, objects, size uint64, fn func()) {
	t.Helper()
	const times = 100
	var before, after runtime.MemStats
	fn()
	runtime.ReadMemStats(&before)
	for range times {
		fn()
	}
	runtime.ReadMemStats(&after)
	t.Logf("%s: %d objects, %d bytes", what, (after.Mallocs-before.Mallocs)/times, (after.TotalAlloc-before.TotalAlloc)/times)
	if got := (after.Mallocs - before.Mallocs) / times; got > objects {
		t.Errorf("%s allocates %d objects, want at most %d", what, got, objects)
	}
	if got := (after.TotalAlloc - before.TotalAlloc) / times; got > size {
		t.Errorf("%s allocates %d bytes, want at most %d", what, got, size)
	}
}

func (h *house) mustFillQueue(t *testing.T, n int) {
	t.Helper()
	for range n {
		h.mustSend(t, h.actors[0], h.actors[1].Account.String())
	}
}

func (h *house) mustPoll(t *testing.T, want, limit int) []model.Event {
	t.Helper()
	events, err := h.service.Poll(t.Context(), h.actors[1], service.PollOptions{Limit: limit})
	must(t, err)
	if len(events) != want {
		t.Fatalf("got %d events, want %d", len(events), want)
	}
	return events
}

// mustForget lets the service forget what it remembers of messages.
func (h *house) mustForget(t *testing.T) {
	t.Helper()
	for range 2 {
		must(t, h.service.Sweep(t.Context()))
	}
}

func TestReadingAQueueTakesAsManyStatementsHoweverMuchIsInIt(t *testing.T) {
	h := newHouse(t, 2)
	h.wantStatements(t, "a poll that finds nothing", 1, func() { h.mustPoll(t, 0, 100) })
	h.mustFillQueue(t, 50)
	h.wantStatements(t, "a poll of 50 that were sent a moment ago", 2, func() { h.mustPoll(t, 50, 50) })
	h.mustForget(t)
	// The queue, its messages, and what the reader muted.
	h.wantStatements(t, "a poll of 50 that nobody has read", 3, func() { h.mustPoll(t, 50, 50) })
	h.wantStatements(t, "the same poll again", 2, func() { h.mustPoll(t, 50, 50) })
	h.wantStatements(t, "a poll of one of them", 2, func() { h.mustPoll(t, 1, 1) })
	wantMemory(t, "a poll of 50", 50, 24<<10, func() { h.mustPoll(t, 50, 50) })
}

func TestQueueShowsWhatIsRememberedAsItIsStored(t *testing.T) {
	h := newHouse(t, 2)
	ttl, dor, priority := 5, true, 1
	to := h.actors[1].Account.String()
	data := []model.DataItem{{MimeType: "text/plain", Payload: "seven"}}
	for _, c := range []service.SendCommand{
		{Recipient: to, Body: "plain"},
		{Recipient: to, Body: "short-lived", TTL: &ttl},
		{Recipient: to, Body: "once", DOR: &dor},
		{Recipient: to, Body: "urgent", Priority: &priority, RequestID: "1"},
		{Recipient: to, Body: "with data", Data: data},
		{Recipient: to, Data: data},
		{Recipient: h.mustGroup(t, 2), Body: "to all"},
	} {
		sent, err := h.service.Send(t.Context(), h.actors[0], c)
		must(t, err)
		_, err = h.service.Forward(t.Context(), h.actors[0], service.ForwardCommand{Message: sent.Message, Recipient: to})
		must(t, err)
	}
	poll := func() []model.Event {
		events, err := h.service.Poll(t.Context(), h.actors[1], service.PollOptions{Limit: 100})
		must(t, err)
		return events
	}
	remembered := poll()
	h.mustForget(t)
	if stored := poll(); !reflect.DeepEqual(remembered, stored) {
		t.Errorf("got %+v\nwant %+v", remembered, stored)
	}
}

func TestAcknowledgingTakesTwoStatementsAMessage(t *testing.T) {
	h := newHouse(t, 2)
	for _, n := range []int{1, 2, 40} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			h.mustFillQueue(t, n)
			var ids []string
			for _, e := range h.mustPoll(t, n, 100) {
				ids = append(ids, e.ID)
			}
			// What they bring, and out of the queue with them; for each message its copy,
			// and the event to the sender.
			h.wantStatements(t, "an acknowledgement", int64(2+2*n), func() { must(t, h.service.Acknowledge(t.Context(), h.actors[1], ids)) })
			h.wantStatements(t, "the same again", 2, func() { must(t, h.service.Acknowledge(t.Context(), h.actors[1], ids)) })
			wantMemory(t, "the same again", uint64(36+n), uint64(1600+24*n), func() { must(t, h.service.Acknowledge(t.Context(), h.actors[1], ids)) })
		})
	}
}

func TestCountingUnreadTakesOneStatement(t *testing.T) {
	h := newHouse(t, 2)
	h.mustFillQueue(t, 10)
	count := func() {
		unread, err := h.service.Unread(t.Context(), h.actors[1], "me")
		must(t, err)
		if unread.Messages != 10 {
			t.Fatalf("%d are unread, want 10", unread.Messages)
		}
	}
	h.wantStatements(t, "a count", 1, count)
	wantMemory(t, "a count", 33, 1600, count)
}

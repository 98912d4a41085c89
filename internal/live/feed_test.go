package live

import (
	"context"
	"slices"
	"testing"

	"signet/internal/model"
)

func stream(h *Hub, account model.AccountID) *Subscription {
	return h.Subscribe(Subscriber{Account: account, Stream: true})
}

func at(position int64) func() *Event { return func() *Event { return &Event{Position: position} } }

// feed is a commit that queued one event with accounts.
func feed(h *Hub, position int64, accounts ...model.AccountID) {
	h.Feed(accounts, at(position))
	h.WakeFed()
}

// touch is a commit that did something else to queues.
func touch(h *Hub, accounts ...model.AccountID) {
	h.Touch(accounts)
	h.WakeFed()
}

// wantTaken checks for the positions of the events that a reader has, and whether it is
// to look.
func wantTaken(t *testing.T, s *Subscription, look bool, positions ...int64) []*Event {
	t.Helper()
	p := s.Take()
	var got []int64
	var events []*Event
	for _, item := range p.Items {
		got, events = append(got, item.Event.Position), append(events, item.Event)
	}
	if p.Look != look || !slices.Equal(got, positions) {
		t.Errorf("it is to look: %t, and has events of %v; want %t, %v", p.Look, got, look, positions)
	}
	return events
}

func TestReadersShareWhatIsFedInItsOrder(t *testing.T) {
	h := NewHub(0)
	h.FeedInOrder()
	s, other, poll := stream(h, alice), stream(h, bob), h.Subscribe(Subscriber{Account: alice})
	h.Feed([]model.AccountID{alice, bob}, at(1))
	h.Feed([]model.AccountID{alice}, at(2))
	for _, awake := range []bool{false, true, false} { // once, for all that it was fed
		for _, reader := range []*Subscription{s, other, poll} {
			wantAwake(t, reader, awake)
		}
		h.WakeFed()
	}
	mine, its := wantTaken(t, s, false, 1, 2), wantTaken(t, other, false, 1)
	if len(mine) == 0 || len(its) == 0 || mine[0] != its[0] {
		t.Error("they do not share the event")
	}
	h.Wake(context.Background(), alice, bob) // they know it already
	wantAwake(t, s, false)
	wantTaken(t, s, false)
}

func TestNothingIsMadeForNobody(t *testing.T) {
	h := NewHub(0)
	none := func() *Event { t.Error("an event is made that nobody gets"); return &Event{} }
	h.Feed([]model.AccountID{alice}, none)
	h.Subscribe(Subscriber{Account: bob})
	h.Feed([]model.AccountID{alice}, none)
}

func TestWhoIsToLookNeedsNoEvents(t *testing.T) {
	h := NewHub(0)
	h.FeedInOrder()
	s := stream(h, alice)
	feed(h, 1, alice)
	touch(h, alice)
	feed(h, 3, alice)
	wantTaken(t, s, true)
	wantAwake(t, s, true)
	feed(h, 4, alice)
	wantAwake(t, s, true)
	wantTaken(t, s, false, 4)
	touch(h, alice)
	wantAwake(t, s, true)
	wantTaken(t, s, true)
	for i := range buffer + 1 {
		h.Feed([]model.AccountID{alice}, at(int64(5+i)))
	}
	wantTaken(t, s, true) // it does not take what it has
}

func TestAllReadersLookOnceTheyAreToldTo(t *testing.T) {
	h := NewHub(0)
	h.FeedInOrder()
	s, other, poll := stream(h, alice), stream(h, bob), h.Subscribe(Subscriber{Account: bob})
	h.Feed([]model.AccountID{alice}, at(1))
	h.TouchAll()
	h.Feed([]model.AccountID{alice, bob}, at(2))
	h.WakeFed()
	for _, reader := range []*Subscription{s, other, poll} {
		wantAwake(t, reader, true)
	}
	wantTaken(t, s, true)
	wantTaken(t, other, true)
}

func TestReaderIsNotWokenForWhatItHasTaken(t *testing.T) {
	h := NewHub(0)
	h.FeedInOrder()
	s, gone := stream(h, alice), stream(h, alice)
	h.Feed([]model.AccountID{alice}, at(1))
	h.Signal(context.Background(), Signal{}, alice)
	wantAwake(t, s, true) // by the signal, before the commit's readers are
	if n := len(s.Take().Items); n != 2 {
		t.Errorf("it takes %d items, want the event and the signal", n)
	}
	wantAwake(t, gone, true)
	gone.Close()
	h.WakeFed()
	wantAwake(t, s, false)
	wantAwake(t, gone, false)
	feed(h, 2, alice)
	wantAwake(t, s, true)
	wantTaken(t, s, false, 2)
}

// A poll takes nothing from the hub: it reads its queue, which may hold nothing that it is
// to see. It then waits for the next.
func TestPollIsWokenEachTime(t *testing.T) {
	h := NewHub(0)
	h.FeedInOrder()
	poll := h.Subscribe(Subscriber{Account: alice})
	for position := range int64(3) {
		feed(h, position, alice)
		wantAwake(t, poll, true)
		wantAwake(t, poll, false)
	}
}

func TestEventIsCurrentUntilSomethingElseHappensToTheQueue(t *testing.T) {
	for name, happens := range map[string]func(h *Hub){
		"something else is queued":   func(h *Hub) { h.Touch([]model.AccountID{alice}) },
		"something is withdrawn":     func(h *Hub) { h.Withdraw() },
		"the account's streams end":  func(h *Hub) { h.CloseAccount(alice, Revoked) },
		"the streams of a key end":   func(h *Hub) { h.CloseKey(alice, "", Revoked) },
		"all streams of the node do": func(h *Hub) { h.Close() },
	} {
		h := NewHub(0)
		h.FeedInOrder()
		s := stream(h, alice)
		h.Feed([]model.AccountID{alice}, at(1))
		e := wantTaken(t, s, false, 1)[0]
		h.Feed([]model.AccountID{alice}, at(2))
		h.Touch([]model.AccountID{bob})
		if !s.Current(e) {
			t.Errorf("before %s the event is not current", name)
		}
		happens(h)
		if s.Current(e) {
			t.Errorf("after %s the event is still current", name)
		}
	}
}

func TestJSONIsMadeOnceForAll(t *testing.T) {
	e, made := &Event{Event: model.Event{ID: "x"}}, 0
	for range 3 {
		text, err := e.JSON(func(e *model.Event) ([]byte, error) { made++; return []byte(e.ID), nil })
		if err != nil || string(text) != "x" {
			t.Errorf("got %q, %v", text, err)
		}
	}
	if made != 1 {
		t.Errorf("it was made %d times", made)
	}
}

package live

import (
	"slices"
	"testing"

	"signet/internal/model"
)

func stream(h *Hub, account model.AccountID) *Subscription {
	return h.Subscribe(Subscriber{Account: account, Stream: true})
}

func at(position int64) func() *Event { return func() *Event { return &Event{Position: position} } }

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
	for _, reader := range []*Subscription{s, other, poll} {
		wantAwake(t, reader, true)
	}
	mine, its := wantTaken(t, s, false, 1, 2), wantTaken(t, other, false, 1)
	if len(mine) == 0 || len(its) == 0 || mine[0] != its[0] {
		t.Error("they do not share the event")
	}
	h.Wake(alice, bob) // they know it already
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
	h.Feed([]model.AccountID{alice}, at(1))
	h.Touch([]model.AccountID{alice})
	h.Feed([]model.AccountID{alice}, at(3))
	wantTaken(t, s, true)
	wantAwake(t, s, true)
	h.Feed([]model.AccountID{alice}, at(4))
	wantAwake(t, s, true)
	wantTaken(t, s, false, 4)
	h.Touch([]model.AccountID{alice})
	wantAwake(t, s, true)
	wantTaken(t, s, true)
	for i := range buffer + 1 {
		h.Feed([]model.AccountID{alice}, at(int64(5+i)))
	}
	wantTaken(t, s, true) // it does not take what it has
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

package live

import (
	"slices"
	"testing"

	"signet/internal/model"
)

// reader is a subscription that is told by a function, as streams are.
func reader(h *Hub, account model.AccountID, notices *int) *Subscription {
	return h.Subscribe(Subscriber{Account: account, Stream: true, Notify: func() { *notices++ }})
}

func at(position int64) func() *Copy { return func() *Copy { return &Copy{Position: position} } }

// wantTaken checks for the positions of the copies that a reader has, and whether it is
// to look.
func wantTaken(t *testing.T, s *Subscription, look bool, positions ...int64) []*Copy {
	t.Helper()
	p := s.Take()
	var got []int64
	for _, c := range p.Copies {
		got = append(got, c.Position)
	}
	if p.Look != look || !slices.Equal(got, positions) {
		t.Errorf("it is to look: %t, and has copies of %v; want %t, %v", p.Look, got, look, positions)
	}
	return p.Copies
}

func TestReadersShareWhatIsFedInItsOrder(t *testing.T) {
	h := NewHub(0)
	h.FeedInOrder()
	var told, others int
	s, other := reader(h, alice, &told), reader(h, bob, &others)
	poll := h.Subscribe(Subscriber{Account: alice})
	h.Feed([]model.AccountID{alice, bob}, at(1))
	h.Feed([]model.AccountID{alice}, at(2))
	if told != 0 || others != 0 {
		t.Error("they were told before all was there")
	}
	wantAwake(t, poll, false)
	h.Tell()
	h.Tell()
	h.Wake(alice, bob) // they know it already
	wantAwake(t, poll, true)
	if told != 1 || others != 1 {
		t.Errorf("they were told %d and %d times, want once", told, others)
	}
	mine, its := wantTaken(t, s, false, 1, 2), wantTaken(t, other, false, 1)
	if len(mine) == 0 || len(its) == 0 || mine[0] != its[0] {
		t.Error("they do not share the copy")
	}
	wantTaken(t, s, false)
}

func TestNothingIsCopiedForNobody(t *testing.T) {
	h := NewHub(0)
	none := func() *Copy { t.Error("a copy is made that nobody gets"); return &Copy{} }
	h.Feed([]model.AccountID{alice}, none)
	h.Subscribe(Subscriber{Account: bob})
	h.Feed([]model.AccountID{alice}, none)
}

func TestWhoIsToLookNeedsNoCopies(t *testing.T) {
	h := NewHub(0)
	h.FeedInOrder()
	var told int
	s := reader(h, alice, &told)
	h.Feed([]model.AccountID{alice}, at(1))
	h.Touch([]model.AccountID{alice})
	h.Feed([]model.AccountID{alice}, at(3))
	wantTaken(t, s, true)
	h.Tell()
	h.Feed([]model.AccountID{alice}, at(4))
	h.Tell()
	if told != 2 {
		t.Errorf("it was told %d times, want once after each time that it had taken all", told)
	}
	wantTaken(t, s, false, 4)
	h.Touch([]model.AccountID{alice})
	h.Tell()
	if told != 3 {
		t.Error("it was not told that it is to look")
	}
	wantTaken(t, s, true)
	for i := range feedBuffer + 1 {
		h.Feed([]model.AccountID{alice}, at(int64(5+i)))
	}
	wantTaken(t, s, true) // it does not take what it has
}

func TestCopyIsCurrentUntilSomethingElseHappensToTheQueue(t *testing.T) {
	for name, happens := range map[string]func(h *Hub){
		"something else is queued":   func(h *Hub) { h.Touch([]model.AccountID{alice}) },
		"something is withdrawn":     func(h *Hub) { h.Withdraw() },
		"the account's streams end":  func(h *Hub) { h.CloseAccount(alice, Revoked) },
		"the streams of a key end":   func(h *Hub) { h.CloseKey(alice, "", Revoked) },
		"all streams of the node do": func(h *Hub) { h.Close() },
	} {
		h := NewHub(0)
		h.FeedInOrder()
		var told int
		s := reader(h, alice, &told)
		h.Feed([]model.AccountID{alice}, at(1))
		c := wantTaken(t, s, false, 1)[0]
		h.Feed([]model.AccountID{alice}, at(2))
		h.Touch([]model.AccountID{bob})
		if !s.Current(c) {
			t.Errorf("before %s the copy is not current", name)
		}
		happens(h)
		if s.Current(c) {
			t.Errorf("after %s the copy is still current", name)
		}
	}
}

func TestTextIsMadeOnceForAll(t *testing.T) {
	c, made := &Copy{Event: model.Event{ID: "x"}}, 0
	for range 3 {
		text, err := c.Text(func(e *model.Event) ([]byte, error) { made++; return []byte(e.ID), nil })
		if err != nil || string(text) != "x" {
			t.Errorf("got %q, %v", text, err)
		}
	}
	if made != 1 {
		t.Errorf("it was made %d times", made)
	}
}

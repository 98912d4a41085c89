package live

import (
	"context"
	"errors"
	"slices"
	"testing"

	"signet/internal/model"
)

// record is a bus that carries nothing and notes what it is told.
type record struct {
	notices   []Notice
	listening []Topic
	barred    error
}

func (r *record) Publish(n Notice) { r.notices = append(r.notices, n) }
func (r *record) Listen(a Topic)   { r.listening = append(r.listening, a) }
func (r *record) Connected() bool  { return r.barred == nil }
func (r *record) Barred() error    { return r.barred }
func (r *record) Ignore(a Topic) {
	r.listening = slices.DeleteFunc(r.listening, func(b Topic) bool { return a == b })
}

func (r *record) wantListening(t *testing.T, want ...Topic) {
	t.Helper()
	if !slices.Equal(r.listening, want) {
		t.Errorf("it listens for %v, want %v", r.listening, want)
	}
}

func TestHubListensForWhatItsReadersWant(t *testing.T) {
	h, bus := NewHub(2), new(record)
	h.Connect(bus)
	ofAlice, ofBob := Topic{Account: alice}, Topic{Account: bob}
	one, two := h.Subscribe(Subscriber{Account: alice, Stream: true}), h.Subscribe(Subscriber{Account: alice})
	bus.wantListening(t, ofAlice)
	asks := []string{"unknown", FeatureSelfCopies, FeatureSelfCopies, FeatureTyping}
	poll := h.Subscribe(Subscriber{Account: bob, Features: asks})
	bus.wantListening(t, ofAlice, ofBob)
	three := h.Subscribe(Subscriber{Account: bob, Stream: true, Features: asks})
	typing, copies := Topic{bob, FeatureTyping}, Topic{bob, FeatureSelfCopies}
	bus.wantListening(t, ofAlice, ofBob, typing, copies)
	one.Close()
	bus.wantListening(t, ofAlice, ofBob, typing, copies)
	two.Close()
	two.Close()
	bus.wantListening(t, ofBob, typing, copies)
	three.Close()
	bus.wantListening(t, ofBob)
	h.Close()
	bus.wantListening(t)
	poll.Close()
	three.Close()
	h.Subscribe(Subscriber{Account: alice})
	bus.wantListening(t)
}

func TestHubTellsOtherNodesAndRepeatsNothing(t *testing.T) {
	h, bus := NewHub(0), new(record)
	h.Connect(bus)
	if !h.Connected() || NewHub(0).Connected() {
		t.Error("a hub is connected by its bus, and only so")
	}
	bus.barred = errors.New("a pooler is in the way")
	if err := h.Barred(); !errors.Is(err, bus.barred) || h.Connected() || NewHub(0).Barred() != nil {
		t.Errorf("a hub whose bus is barred says %v", err)
	}
	bus.barred = nil
	s := h.Subscribe(Subscriber{Account: alice, Stream: true, ID: model.StreamID{1}})
	h.Wake(context.Background(), alice)
	h.Wake(context.Background())
	h.Signal(context.Background(), Signal{}, bob)
	h.CloseKey(bob, "key", Revoked)
	h.CloseStreams(bob, Replaced)
	h.CloseStreams(bob, Replaced, model.StreamID{2})
	h.Forget(alice)
	var kinds []NoticeKind
	for _, n := range bus.notices {
		kinds = append(kinds, n.Kind)
	}
	if want := []NoticeKind{NoticeWake, NoticeSignal, NoticeEnd, NoticeEnd, NoticeForget}; !slices.Equal(kinds, want) {
		t.Errorf("published %q, want %q", kinds, want)
	}
	wantAwake(t, s, true)

	bus.notices = nil
	h.Hear(Notice{Kind: NoticeWake, Accounts: []model.AccountID{alice}})
	wantAwake(t, s, true)
	h.Hear(Notice{Kind: NoticeForget, Accounts: []model.AccountID{alice}}) // nobody remembers anything
	h.Hear(Notice{Kind: "of a later version", Accounts: []model.AccountID{alice}})
	h.Hear(Notice{Kind: NoticeSignal, Accounts: []model.AccountID{alice}})
	h.Hear(Notice{Kind: NoticeEnd, Accounts: []model.AccountID{alice}})
	wantEnded(t, s, 0)
	h.Hear(Notice{Kind: NoticeEnd, Accounts: []model.AccountID{alice}, Ending: &Ending{Reason: Deleted}})
	wantEnded(t, s, Deleted)
	if len(bus.notices) != 0 {
		t.Errorf("what was heard is said again: %v", bus.notices)
	}
}

func TestReadersAreWokenForWhatTheyHaveNotRead(t *testing.T) {
	h := NewHub(0)
	fresh, behind, abreast := h.Subscribe(Subscriber{Account: alice}), h.Subscribe(Subscriber{Account: alice}),
		h.Subscribe(Subscriber{Account: alice})
	other := h.Subscribe(Subscriber{Account: bob})
	behind.Saw(6)
	abreast.Saw(7)
	for _, want := range []bool{true, false} { // once for each position
		h.WakeBehind(map[model.AccountID]int64{alice: 7})
		wantAwake(t, fresh, want)
		wantAwake(t, behind, want)
		wantAwake(t, abreast, false)
		wantAwake(t, other, false)
		behind.Saw(6) // it found nothing more
	}
	h.WakeBehind(map[model.AccountID]int64{alice: 8, bob: 1})
	for _, s := range []*Subscription{fresh, behind, abreast, other} {
		wantAwake(t, s, true)
	}
}

func TestStreamsAreCounted(t *testing.T) {
	h := NewHub(0)
	one := h.Subscribe(Subscriber{Account: alice, Stream: true})
	h.Subscribe(Subscriber{Account: bob, Stream: true})
	h.Subscribe(Subscriber{Account: bob})
	if n, all := h.AllStreams(), len(h.Subscriptions()); n != 2 || all != 3 {
		t.Errorf("%d streams of %d subscriptions, want 2 of 3", n, all)
	}
	one.Close()
	one.Close()
	h.CloseAccount(bob, Deleted)
	if n, all := h.AllStreams(), len(h.Subscriptions()); n != 0 || all != 0 {
		t.Errorf("%d streams of %d subscriptions are left", n, all)
	}
}

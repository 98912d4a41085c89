package live

import (
	"context"
	"slices"
	"testing"

	"signet/internal/model"
)

var (
	alice = model.AccountID{1}
	bob   = model.AccountID{2}
)

// wantAwake reports whether a subscription was woken, once.
func wantAwake(t *testing.T, s *Subscription, want bool) {
	t.Helper()
	select {
	case <-s.Wake():
		if !want {
			t.Error("it was woken, want asleep")
		}
	default:
		if want {
			t.Error("it is asleep, want woken")
		}
	}
}

func wantEnded(t *testing.T, s *Subscription, want Reason) {
	t.Helper()
	select {
	case <-s.Done():
		if s.Reason() != want {
			t.Errorf("ended for reason %d, want %d", s.Reason(), want)
		}
	default:
		if want != 0 {
			t.Errorf("it goes on, want ended for reason %d", want)
		}
	}
}

func TestWakeReachesTheAccountsSubscriptionsOnly(t *testing.T) {
	h := NewHub(0)
	one, two := h.Subscribe(Subscriber{Account: alice, Stream: true}), h.Subscribe(Subscriber{Account: alice})
	other := h.Subscribe(Subscriber{Account: bob, Stream: true})
	h.Wake(context.Background(), alice, alice)
	wantAwake(t, one, true)
	wantAwake(t, one, false)
	wantAwake(t, two, true)
	wantAwake(t, other, false)
}

func TestSignalReachesStreamsThatAskForItsFeature(t *testing.T) {
	h := NewHub(0)
	with := h.Subscribe(Subscriber{Account: alice, Stream: true, Features: []string{"is-typing"}})
	without := h.Subscribe(Subscriber{Account: alice, Stream: true})
	poll := h.Subscribe(Subscriber{Account: alice, Features: []string{"is-typing"}})
	h.Signal(context.Background(), Signal{Kind: "typing", Feature: "is-typing"}, alice)
	h.Signal(context.Background(), Signal{Kind: "update"}, alice, bob)
	for s, want := range map[*Subscription][]model.EventKind{with: {"typing", "update"}, without: {"update"}, poll: nil} {
		var got []model.EventKind
		for _, item := range s.Take().Items {
			got = append(got, item.Signal.Kind)
		}
		if !slices.Equal(got, want) {
			t.Errorf("got the signals %q, want %q", got, want)
		}
	}
}

func TestStreamThatTakesNoSignalsEnds(t *testing.T) {
	h := NewHub(0)
	slow := h.Subscribe(Subscriber{Account: alice, Stream: true})
	for range buffer {
		h.Signal(context.Background(), Signal{}, alice)
	}
	wantEnded(t, slow, 0)
	h.Signal(context.Background(), Signal{}, alice)
	wantEnded(t, slow, Slow)
	if n := len(h.StreamScopes(alice)); n != 0 {
		t.Errorf("%d streams are left, want none", n)
	}
}

func TestOldestStreamEndsPastTheLimit(t *testing.T) {
	h := NewHub(2)
	poll := h.Subscribe(Subscriber{Account: alice})
	oldest := h.Subscribe(Subscriber{Account: alice, Stream: true})
	second := h.Subscribe(Subscriber{Account: alice, Stream: true})
	wantEnded(t, oldest, 0)
	third := h.Subscribe(Subscriber{Account: alice, Stream: true})
	wantEnded(t, oldest, Replaced)
	for _, s := range []*Subscription{poll, second, third} {
		wantEnded(t, s, 0)
	}
}

func TestSubscriptionsEndByKeyByAccountAndAll(t *testing.T) {
	h := NewHub(0)
	one := h.Subscribe(Subscriber{Account: alice, Key: "one", Stream: true})
	two := h.Subscribe(Subscriber{Account: alice, Key: "two", Stream: true})
	poll := h.Subscribe(Subscriber{Account: alice, Key: "two"})
	other := h.Subscribe(Subscriber{Account: bob, Key: "three", Stream: true})
	if n := h.CloseKey(alice, "one", Revoked); n != 1 {
		t.Errorf("%d streams ended with the key, want 1", n)
	}
	wantEnded(t, one, Revoked)
	wantEnded(t, two, 0)
	if n := h.CloseAccount(alice, Deleted); n != 1 {
		t.Errorf("%d streams ended with the account, want 1: a poll is none", n)
	}
	wantEnded(t, poll, Deleted)
	h.Close()
	wantEnded(t, other, Shutdown)
	wantEnded(t, h.Subscribe(Subscriber{Account: bob, Stream: true}), Shutdown)
}

func TestSubscriptionMayBeClosedTwice(t *testing.T) {
	h := NewHub(0)
	s := h.Subscribe(Subscriber{Account: alice, Stream: true})
	s.Close()
	s.Close()
	wantEnded(t, s, 0)
	if n := len(h.StreamScopes(alice)); n != 0 {
		t.Errorf("%d streams are left, want none", n)
	}
}

func TestASignalThatNobodyHearsIsNotMade(t *testing.T) {
	h, accounts := NewHub(0), []model.AccountID{alice, bob}
	defer h.Close()
	h.Subscribe(Subscriber{Account: alice, Features: []string{FeatureSelfCopies}}) // a poll
	h.Subscribe(Subscriber{Account: bob, Stream: true, Features: []string{FeatureTyping}})
	made := testing.AllocsPerRun(100, func() {
		h.Signal(context.Background(), Signal{Feature: FeatureSelfCopies}, accounts...)
	})
	if made != 0 {
		t.Errorf("%v objects are made for it", made)
	}
}

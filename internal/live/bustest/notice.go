package bustest

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"signet/internal/live"
	"signet/internal/model"
)

func nodesWakeReaders(t *testing.T, p *place) {
	here, there := p.open(t), p.open(t)
	a, b, own := p.read(t, there, Alice), p.read(t, there, Bob), p.read(t, here, Alice)
	here.Wake(context.Background(), Bob)
	Wait(t, "the wake-up", b.Wake())
	there.Told(t, here)
	wantQuiet(t, "a reader of another account", a)
	wantQuiet(t, "a reader of another account on the same node", own)
	wantQuiet(t, "a reader that was woken once", b)

	// What is said while much waits is said all the same.
	for range 100 {
		here.Wake(context.Background(), Alice, Bob)
	}
	for _, s := range []*live.Subscription{a, b} {
		Wait(t, "the wake-up", s.Wake())
	}
	there.Told(t, here)
	if got := there.Bus.Stats(); got.Received == 0 || got.Dropped != 0 {
		t.Errorf("the one that hears counted %+v", got)
	}
	if got := here.Bus.Stats(); got.Published == 0 || got.Received != 0 || got.Dropped != 0 {
		t.Errorf("the one that says counted %+v", got)
	}
}

// every is a signal of every kind, with all that it can hold.
var every = []live.Signal{
	{Kind: model.EventTyping, Feature: live.FeatureTyping,
		Typing: &model.Typing{Sender: Alice, Group: model.GroupID{3}, Active: true}},
	{Kind: model.EventPresence, Feature: live.FeaturePresence, Within: []model.OrganizationID{"abcdefghijklmnopqrstuvwx"},
		Presence: &model.Presence{Account: Alice, Available: true}},
	{Kind: model.EventUpdate, Account: Alice},
	{Kind: model.EventGroupMessage, Feature: live.FeatureSelfCopies, Message: model.MessageID{5}},
}

func signalsComeInOrder(t *testing.T, p *place) {
	here, there := p.open(t), p.open(t)
	s := p.read(t, there, Bob, live.FeatureTyping, live.FeaturePresence, live.FeatureSelfCopies)
	own := here.Subscribe(live.Subscriber{Account: Bob, Stream: true, Features: s.Features})
	for _, signal := range every {
		here.Signal(context.Background(), signal, Alice, Bob)
	}
	var got []live.Item
	for len(got) < len(every) {
		Wait(t, "a signal", s.Wake())
		got = append(got, s.Take().Items...)
	}
	if want := own.Take().Items; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func signalsAreForWhoAsked(t *testing.T, p *place) {
	here, there, elsewhere := p.open(t), p.open(t), p.open(t)
	asked := p.read(t, there, Alice, live.FeatureSelfCopies)
	other := p.read(t, elsewhere, Alice, live.FeatureTyping, "unknown")
	here.Signal(context.Background(), live.Signal{Kind: model.EventMessage, Feature: live.FeatureSelfCopies,
		Message: model.MessageID{5}}, Alice)
	Wait(t, "the signal", asked.Wake())
	elsewhere.Told(t, here)
	if got := live.Signals(asked.Take().Items); len(got) != 1 || got[0].Message != (model.MessageID{5}) {
		t.Errorf("the stream that asked got %+v", got)
	}
	if got := live.Signals(other.Take().Items); len(got) != 0 {
		t.Errorf("a stream that did not ask got %+v", got)
	}
}

func endingsReachSubscriptions(t *testing.T, p *place) {
	here, there := p.open(t), p.open(t)
	other := p.read(t, there, Bob)
	for i, end := range []func(model.AccountID){
		func(account model.AccountID) { here.CloseAccount(account, live.Revoked) },
		func(account model.AccountID) { here.CloseKey(account, "key", live.Revoked) },
		func(account model.AccountID) { here.CloseStreams(account, live.Revoked, model.StreamID(account)) },
	} {
		account := model.AccountID{0xa, byte(i)}
		s := p.read(t, there, account)
		poll := there.Subscribe(live.Subscriber{Account: account, Key: "another"})
		here.CloseKey(account, "a third", live.Deleted)
		here.CloseStreams(account, live.Deleted)
		here.CloseStreams(account, live.Deleted, model.StreamID(Bob))
		end(account)
		Wait(t, "the end", s.Done())
		if s.Reason() != live.Revoked {
			t.Errorf("it ended for reason %d", s.Reason())
		}
		there.Told(t, here)
		select {
		case <-poll.Done():
			if i > 0 {
				t.Error("a poll with another key has ended")
			}
		default:
			if i == 0 {
				t.Error("a poll of the account goes on")
			}
		}
		poll.Close()
	}
	wantQuiet(t, "a stream of another account", other)
}

func allNodesForget(t *testing.T, p *place) {
	here, there := p.open(t), p.open(t)
	many := make([]model.AccountID, 5000) // more than one message names
	for i := range many {
		many[i] = model.AccountID{byte(i >> 8), byte(i)}
	}
	here.Forget(many...)
	var got []model.AccountID
	for len(got) < len(many) {
		got = append(got, Wait(t, "what is to be forgotten", there.Forgotten)...)
	}
	if !slices.Equal(got, many) {
		t.Errorf("%d accounts were forgotten, want %d", len(got), len(many))
	}
	there.Forget(Bob)
	if got := Wait(t, "what is to be forgotten", here.Forgotten); !slices.Equal(got, []model.AccountID{Bob}) {
		t.Errorf("a node hears itself: it is to forget %d accounts", len(got))
	}
}

package natsbus

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/nats-io/nats.go"

	"signet/internal/live"
	"signet/internal/model"
)

func TestNodesWakeEachOthersReaders(t *testing.T) {
	server := startNATS(t)
	here, there := mustOpen(t, server.URL()), mustOpen(t, server.URL())
	a, b := there.mustRead(t, alice), there.mustRead(t, bob)
	here.Wake(bob)
	wait(t, "the wake-up", b.Wake())
	there.told(t, here)
	select {
	case <-a.Wake():
		t.Error("a reader of another account was woken")
	default:
	}
}

// every is a signal of every kind, with all that it can hold.
var every = []live.Signal{
	{Kind: model.EventTyping, Feature: live.FeatureTyping,
		Typing: &model.Typing{Sender: alice, Group: model.GroupID{3}, Active: true}},
	{Kind: model.EventPresence, Feature: live.FeaturePresence,
		Presence: &model.Presence{Account: alice, Available: true}},
	{Kind: model.EventUpdate, Account: alice},
	{Kind: model.EventGroupMessage, Feature: live.FeatureSelfCopies, Message: model.MessageID{5}},
}

func TestSignalsComeAsTheyWereAndInTheirOrder(t *testing.T) {
	server := startNATS(t)
	here, there := mustOpen(t, server.URL()), mustOpen(t, server.URL())
	s := there.mustRead(t, bob, live.FeatureTyping, live.FeaturePresence, live.FeatureSelfCopies)
	own := here.Subscribe(live.Subscriber{Account: bob, Stream: true, Features: s.Features})
	for _, signal := range every {
		here.Signal(signal, alice, bob)
	}
	var got []live.Item
	for len(got) < len(every) {
		wait(t, "a signal", s.Wake())
		got = append(got, s.Take().Items...)
	}
	if want := own.Take().Items; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// NATS hands a signal to the nodes with a stream that asked for its feature, and to no
// other one.
func TestSignalsGoOnlyWhereAStreamAskedForThem(t *testing.T) {
	server := startNATS(t)
	here, asked, other := mustOpen(t, server.URL()), mustOpen(t, server.URL()), mustOpen(t, server.URL())
	s := asked.mustRead(t, alice, live.FeatureSelfCopies)
	plain := other.mustRead(t, alice, live.FeatureTyping, "unknown")
	copied := live.Signal{Kind: model.EventMessage, Feature: live.FeatureSelfCopies, Message: model.MessageID{5}}
	allHear := func() {
		here.Forget(alice)
		wait(t, "the notice for all", asked.forgotten)
		wait(t, "the notice for all", other.forgotten)
	}
	here.Signal(copied, alice, bob)
	wait(t, "the signal", s.Wake())
	allHear()
	if got := asked.bus.Stats().Received; got != 2 {
		t.Errorf("the node whose stream asked received %d messages, want the signal and one for all", got)
	}
	if got := other.bus.Stats().Received; got != 1 {
		t.Errorf("a node whose stream did not ask received %d messages, want the one for all", got)
	}
	s.Close()
	marker := asked.mustRead(t, bob) // the worker does one thing after the other
	here.Signal(copied, alice)
	allHear()
	if got := asked.bus.Stats().Received; got != 3 {
		t.Errorf("a node whose stream was closed received %d messages, want one more, for all", got)
	}
	marker.Close()
	plain.Close()
}

func TestEndingsReachTheSubscriptionsThatTheyAreFor(t *testing.T) {
	server := startNATS(t)
	here, there := mustOpen(t, server.URL()), mustOpen(t, server.URL())
	other := there.mustRead(t, bob)
	for i, end := range []func(model.AccountID){
		func(account model.AccountID) { here.CloseAccount(account, live.Revoked) },
		func(account model.AccountID) { here.CloseKey(account, "key", live.Revoked) },
		func(account model.AccountID) { here.CloseStreams(account, live.Revoked, model.StreamID(account)) },
	} {
		account := model.AccountID{0xa, byte(i)}
		s := there.mustRead(t, account)
		poll := there.Subscribe(live.Subscriber{Account: account, Key: "another"})
		here.CloseKey(account, "a third", live.Deleted)
		here.CloseStreams(account, live.Deleted)
		here.CloseStreams(account, live.Deleted, model.StreamID(bob))
		end(account)
		wait(t, "the end", s.Done())
		if s.Reason() != live.Revoked {
			t.Errorf("it ended for reason %d", s.Reason())
		}
		there.told(t, here)
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
	select {
	case <-other.Done():
		t.Error("a stream of another account has ended")
	default:
	}
}

func TestAllNodesForget(t *testing.T) {
	server := startNATS(t)
	here, there := mustOpen(t, server.URL()), mustOpen(t, server.URL())
	many := make([]model.AccountID, forgetBatch+1)
	for i := range many {
		many[i] = model.AccountID{byte(i >> 8), byte(i)}
	}
	here.Forget(many...)
	got := append(wait(t, "the first", there.forgotten), wait(t, "the rest", there.forgotten)...)
	if !slices.Equal(got, many) {
		t.Errorf("%d accounts were forgotten, want %d", len(got), len(many))
	}
	select {
	case <-here.forgotten:
		t.Error("a node hears itself")
	default:
	}
}

func TestNodesHearOfTheirReadersAccountsOnly(t *testing.T) {
	server := startNATS(t)
	here, reading, idle := mustOpen(t, server.URL()), mustOpen(t, server.URL()), mustOpen(t, server.URL())
	s := reading.mustRead(t, alice)
	for range 10 {
		here.Wake(alice, bob)
	}
	here.Forget(alice)
	wait(t, "the notice for all", reading.forgotten)
	wait(t, "the notice for all", idle.forgotten)
	if got := reading.bus.Stats().Received; got != 11 {
		t.Errorf("a node with a reader of one of two accounts got %d messages, want 10 and one for all", got)
	}
	if got := idle.bus.Stats().Received; got != 1 {
		t.Errorf("a node without readers got %d messages, want the one for all", got)
	}
	if got := here.bus.Stats(); got != (Stats{Published: 21}) {
		t.Errorf("the sender counted %+v", got)
	}

	before := server.Subscriptions()
	again := reading.Subscribe(live.Subscriber{Account: alice})
	s.Close()
	again.Close()
	marker := reading.mustRead(t, bob) // the worker does one thing after the other
	if got := server.Subscriptions(); got != before {
		t.Errorf("%d subscriptions are left, want %d: one went and one came", got, before)
	}
	marker.Close()
}

func TestInstallationsOnOneNATSDoNotMix(t *testing.T) {
	server := startNATS(t)
	ours := mustOpen(t, server.URL())
	for name, change := range map[string]func(*Options){
		"another secret": func(o *Options) { o.Secret = []byte("another") },
		"another epoch":  func(o *Options) { o.Epoch = "another" },
	} {
		others := []*node{mustOpen(t, server.URL(), change), mustOpen(t, server.URL(), change)}
		others[0].mustRead(t, alice)
		ours.Wake(alice)
		ours.Forget(alice)
		if err := ours.bus.flush(patience); err != nil {
			t.Fatal(err)
		}
		others[0].told(t, others[1])
		if got := others[0].bus.Stats().Received; got != 1 {
			t.Errorf("%s: %d messages came, want only its own", name, got)
		}
	}
}

func TestWhatNobodySealedIsPassedOver(t *testing.T) {
	server := startNATS(t)
	here, there := mustOpen(t, server.URL()), mustOpen(t, server.URL())
	s, other := there.mustRead(t, alice), there.mustRead(t, bob)
	stranger, err := nats.Connect(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	overheard := make(chan *nats.Msg, 8)
	if _, err := stranger.ChanSubscribe(here.bus.subjects.of(live.Topic{Account: alice}), overheard); err != nil {
		t.Fatal(err)
	}
	if err := stranger.Flush(); err != nil {
		t.Fatal(err)
	}
	here.CloseStreams(alice, live.Revoked, model.StreamID(bob)) // of alice there is none of this name
	sealed := wait(t, "what a stranger overhears", overheard).Data

	bent := slices.Clone(sealed)
	bent[len(bent)-1] ^= 1
	for _, forged := range [][]byte{nil, {format}, []byte(`{"kind":"end","ending":{"reason":3}}`), make([]byte, 1000),
		bent} {
		if err := stranger.Publish(here.bus.subjects.of(live.Topic{Account: alice}), forged); err != nil {
			t.Fatal(err)
		}
	}
	// What was meant for one account is not for another, and what was heard is not heard
	// again.
	for _, account := range []model.AccountID{bob, alice} {
		if err := stranger.Publish(here.bus.subjects.of(live.Topic{Account: account}), sealed); err != nil {
			t.Fatal(err)
		}
	}
	if err := stranger.Flush(); err != nil {
		t.Fatal(err)
	}
	there.told(t, here)
	for _, s := range []*live.Subscription{s, other} {
		select {
		case <-s.Done():
			t.Error("a stranger ended a stream")
		case <-s.Wake():
			t.Error("a stranger woke a reader")
		default:
		}
	}
	if got := there.bus.Stats().Dropped; got != 7 {
		t.Errorf("%d messages were not taken in, want 7", got)
	}
	there.wantLogged(t, "none of this installation", 1)
}

func TestSealedMessagesOpenForTheirSubjectOnly(t *testing.T) {
	one, err := newEnvelope(secret, "epoch")
	if err != nil {
		t.Fatal(err)
	}
	two, err := newEnvelope(secret, "epoch")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i := range 100 {
		want := fmt.Sprint("text ", i%2)
		sealed := one.seal("subject", []byte(want))
		if seen[string(sealed[:headSize])] {
			t.Fatal("a nonce comes twice under one key")
		}
		seen[string(sealed[:headSize])] = true
		if got, err := two.open("subject", sealed); err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
		if _, err := two.open("another", sealed); err == nil {
			t.Error("it opens under another subject")
		}
	}
}

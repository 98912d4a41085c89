package natsbus

import (
	"context"
	"testing"

	"signet/internal/live"
	"signet/internal/live/bustest"
	"signet/internal/live/link"
	"signet/internal/model"
)

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
		bustest.Wait(t, "the notice for all", asked.Forgotten)
		bustest.Wait(t, "the notice for all", other.Forgotten)
	}
	here.Signal(context.Background(), copied, alice, bob)
	bustest.Wait(t, "the signal", s.Wake())
	allHear()
	if got := asked.bus.Stats().Received; got != 2 {
		t.Errorf("the node whose stream asked received %d messages, want the signal and one for all", got)
	}
	if got := other.bus.Stats().Received; got != 1 {
		t.Errorf("a node whose stream did not ask received %d messages, want the one for all", got)
	}
	s.Close()
	marker := asked.mustRead(t, bob) // the worker does one thing after the other
	here.Signal(context.Background(), copied, alice)
	allHear()
	if got := asked.bus.Stats().Received; got != 3 {
		t.Errorf("a node whose stream was closed received %d messages, want one more, for all", got)
	}
	marker.Close()
	plain.Close()
}

func TestNodesHearOfTheirReadersAccountsOnly(t *testing.T) {
	server := startNATS(t)
	here, reading, idle := mustOpen(t, server.URL()), mustOpen(t, server.URL()), mustOpen(t, server.URL())
	s := reading.mustRead(t, alice)
	for range 10 {
		here.Wake(context.Background(), alice, bob)
	}
	here.Forget(alice)
	bustest.Wait(t, "the notice for all", reading.Forgotten)
	bustest.Wait(t, "the notice for all", idle.Forgotten)
	if got := reading.bus.Stats().Received; got != 11 {
		t.Errorf("a node with a reader of one of two accounts got %d messages, want 10 and one for all", got)
	}
	if got := idle.bus.Stats().Received; got != 1 {
		t.Errorf("a node without readers got %d messages, want the one for all", got)
	}
	if got := here.bus.Stats(); got != (link.Stats{Published: 21}) {
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

// What is sealed for one account wakes nobody of another, even where somebody repeats it there.
func TestMessageIsForTheAccountOfItsSubject(t *testing.T) {
	n := &network{startNATS(t)}
	here, there := mustOpen(t, n.URL()), mustOpen(t, n.URL())
	there.mustRead(t, alice)
	other := there.mustRead(t, bob)
	stranger := n.overhear(t, here.bus.subjects.of(live.Topic{Account: alice}))
	here.Wake(context.Background(), alice)
	stranger.says = here.bus.subjects.of(live.Topic{Account: bob})
	stranger.Say(t, stranger.Next(t))
	there.Told(t, here.Node)
	select {
	case <-other.Wake():
		t.Error("a reader of another account was woken")
	default:
	}
	if got := there.bus.Stats().Dropped; got != 1 {
		t.Errorf("%d messages were not taken in, want the one that was repeated", got)
	}
}

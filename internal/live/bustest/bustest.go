// Package bustest holds what every bus between nodes has to do, whatever carries its
// messages: the cases that natsbus and pgbus both run. It is imported by tests only.
package bustest

import (
	"crypto/rand"
	"log/slog"
	"testing"

	"signet/internal/live"
	"signet/internal/live/link"
	"signet/internal/model"
)

// Bus is what both buses are.
type Bus interface {
	live.Bus
	Stats() link.Stats
	Close() error
}

// Options are those that all buses have.
type Options struct {
	Secret []byte
	Epoch  string
	Log    *slog.Logger
	Via    string // host and port by which the bus is reached; empty: its own
}

// Network is a real server that carries what buses say.
type Network interface {
	// Open makes a bus on it, whether or not it is there.
	Open(hub *live.Hub, o Options) (Bus, error)

	// Await returns once notices reach a subscription that was just opened.
	Await(t *testing.T, s *live.Subscription)

	// Overhear returns a stranger who hears what nodes with these options say about Alice's
	// account, and may speak.
	Overhear(t *testing.T, o Options) Stranger

	Addr() string
	Stop(t *testing.T)
	Restart(t *testing.T)
}

// Stranger is on the same network, and has no secret.
type Stranger interface {
	Next(t *testing.T) (sealed []byte) // that was said since, or will be
	Say(t *testing.T, sealed []byte)   // where it would be heard; it returns once that was taken
}

// Run runs all cases, each on a network of its own. The network that start returns may be shared
// with others, unless it is to be stopped.
func Run(t *testing.T, start func(t *testing.T, stopped bool) Network) {
	for name, run := range map[string]func(*testing.T, *place){
		"nodes_wake_each_others_readers":                    nodesWakeReaders,
		"signals_come_as_they_were_and_in_their_order":      signalsComeInOrder,
		"signals_are_for_streams_that_asked":                signalsAreForWhoAsked,
		"endings_reach_the_subscriptions_that_they_are_for": endingsReachSubscriptions,
		"all_nodes_forget":                                  allNodesForget,
		"installations_do_not_mix":                          installationsDoNotMix,
		"what_nobody_sealed_is_passed_over":                 strangersArePassedOver,
		"publishing_does_not_wait_for_the_network":          publishingDoesNotWait,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, newPlace(start(t, false)))
		})
	}
	t.Run("the_network_may_come_later_and_go_and_come_back", func(t *testing.T) {
		t.Parallel()
		networkGoesAndComes(t, newPlace(start(t, true)))
	})
}

// place is a network with an installation of the case's own on it.
type place struct {
	Network
	secret []byte
}

func newPlace(n Network) *place { return &place{n, []byte(rand.Text())} }

// Alice and Bob are accounts of every installation.
var (
	Alice = model.AccountID{1}
	Bob   = model.AccountID{2}
)

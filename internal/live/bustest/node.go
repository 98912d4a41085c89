package bustest

import (
	"log/slog"
	"testing"
	"time"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/testlog"
)

// patience is how long a test waits for what takes moments.
const patience = 20 * time.Second

// Node is a hub on a bus, as every server has one.
type Node struct {
	*live.Hub
	Bus       Bus
	Log       *testlog.Log
	Forgotten chan []model.AccountID // what other nodes say is to be forgotten
}

// NewNode makes a node on the bus that open makes, until the test ends.
func NewNode(t testing.TB, open func(*live.Hub, *slog.Logger) (Bus, error)) *Node {
	t.Helper()
	n := &Node{Hub: live.NewHub(0), Log: new(testlog.Log), Forgotten: make(chan []model.AccountID, 64)}
	n.OnForget(func(accounts ...model.AccountID) { n.Forgotten <- accounts })
	bus, err := open(n.Hub, slog.New(slog.NewTextHandler(n.Log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bus.Close() })
	n.Bus = bus
	n.Connect(bus)
	return n
}

// Wait returns what comes on a channel.
func Wait[T any](t testing.TB, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatalf("%s does not come", what)
	}
	return v
}

// WantMissed waits until the node looks for what it may have missed, as it does whenever
// its bus is there.
func (n *Node) WantMissed(t testing.TB) {
	t.Helper()
	Wait(t, "the word that notices may have been missed", n.Missed())
}

// Told returns once the node has heard everything that another one has said so far.
func (n *Node) Told(t *testing.T, by *Node) {
	t.Helper()
	mark := model.AccountID{0xff}
	by.Forget(mark)
	for {
		if got := Wait(t, "a notice for all nodes", n.Forgotten); got[0] == mark {
			return
		}
	}
}

// WantLogged checks how often something was logged.
func (n *Node) WantLogged(t *testing.T, what string, want int) {
	t.Helper()
	if got := n.Log.Count(what); got != want {
		t.Errorf("%q is %d times in the log, want %d:\n%s", what, got, want, n.Log)
	}
}

// open makes a node that is connected by the time that it returns.
func (p *place) open(t *testing.T, changes ...func(*Options)) *Node {
	t.Helper()
	n := p.prepare(t, changes...)
	n.WantMissed(t)
	return n
}

// prepare makes a node, whether or not the network is there.
func (p *place) prepare(t *testing.T, changes ...func(*Options)) *Node {
	t.Helper()
	return NewNode(t, func(hub *live.Hub, log *slog.Logger) (Bus, error) {
		o := Options{Secret: p.secret, Epoch: "epoch", Log: log}
		for _, change := range changes {
			change(&o)
		}
		return p.Open(hub, o)
	})
}

// read opens a stream on a node whose notices come from everywhere by the time that it returns.
func (p *place) read(t *testing.T, n *Node, account model.AccountID, features ...string) *live.Subscription {
	t.Helper()
	s := n.Subscribe(live.Subscriber{Account: account, Stream: true, Key: "key", Features: features,
		ID: model.StreamID(account)})
	t.Cleanup(s.Close)
	p.Await(t, s)
	return s
}

// wantQuiet checks that a reader was neither woken nor ended.
func wantQuiet(t *testing.T, who string, s *live.Subscription) {
	t.Helper()
	select {
	case <-s.Done():
		t.Errorf("%s has ended", who)
	case <-s.Wake():
		t.Errorf("%s was woken", who)
	default:
	}
}

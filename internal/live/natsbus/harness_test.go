package natsbus

import (
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"signet/internal/live"
	"signet/internal/live/natstest"
	"signet/internal/model"
	"signet/internal/testenv"
	"signet/internal/testlog"
)

func TestMain(m *testing.M) { testenv.Clear(); goleak.VerifyTestMain(m) }

// patience is how long a test waits for what takes moments.
const patience = 20 * time.Second

var (
	alice = model.AccountID{1}
	bob   = model.AccountID{2}
)

var secret = []byte("the secret of an installation...")

// node is a hub on a bus, as every server has one.
type node struct {
	*live.Hub
	bus       *Bus
	log       *testlog.Log
	forgotten chan []model.AccountID
}

// mustOpen makes a node that is connected by the time that it returns.
func mustOpen(t *testing.T, url string, changes ...func(*Options)) *node {
	t.Helper()
	n := mustPrepare(t, url, changes...)
	n.wantMissed(t) // at the first connection everybody looks
	return n
}

// mustPrepare makes a node, whether or not NATS is there.
func mustPrepare(t *testing.T, url string, changes ...func(*Options)) *node {
	t.Helper()
	n := &node{Hub: live.NewHub(0), log: new(testlog.Log), forgotten: make(chan []model.AccountID, 16)}
	n.OnForget(func(accounts ...model.AccountID) { n.forgotten <- accounts })
	o := Options{URL: url, Secret: secret, Epoch: "epoch", Log: slog.New(slog.NewTextHandler(n.log, nil))}
	for _, change := range changes {
		change(&o)
	}
	var err error
	if n.bus, err = Open(n.Hub, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.bus.Close() })
	n.Connect(n.bus)
	return n
}

// wait returns what comes on a channel.
func wait[T any](t *testing.T, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatalf("%s does not come", what)
	}
	return v
}

func (n *node) wantMissed(t *testing.T) {
	t.Helper()
	wait(t, "the word that notices may have been missed", n.Missed())
}

// mustRead opens a stream whose notices come from everywhere by the time that it
// returns.
func (n *node) mustRead(t *testing.T, account model.AccountID, features ...string) *live.Subscription {
	t.Helper()
	s := n.Subscribe(live.Subscriber{Account: account, Stream: true, Key: "key", Features: features,
		ID: model.StreamID(account)})
	t.Cleanup(s.Close)
	wait(t, "the word that NATS knows of the subscription", s.Wake())
	return s
}

// told returns once a node has heard everything that another one has said so far.
func (n *node) told(t *testing.T, by *node) {
	t.Helper()
	mark := model.AccountID{0xff}
	by.Forget(mark)
	for {
		if got := wait(t, "a notice for all nodes", n.forgotten); got[0] == mark {
			return
		}
	}
}

// wantLogged checks how often something was logged.
func (n *node) wantLogged(t *testing.T, what string, want int) {
	t.Helper()
	if got := n.log.Count(what); got != want {
		t.Errorf("%q is %d times in the log, want %d:\n%s", what, got, want, n.log)
	}
}

func startNATS(t *testing.T) *natstest.Server { t.Helper(); return natstest.Start(t) }

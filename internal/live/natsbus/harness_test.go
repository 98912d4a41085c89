package natsbus

import (
	"log/slog"
	"testing"

	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"signet/internal/live"
	"signet/internal/live/bustest"
	"signet/internal/live/envelope"
	"signet/internal/live/natstest"
	"signet/internal/model"
	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); goleak.VerifyTestMain(m) }

func TestNodesHearEachOtherOverNATS(t *testing.T) {
	testenv.Long(t)
	bustest.Run(t, func(t *testing.T, _ bool) bustest.Network { return &network{startNATS(t)} })
}

// network is a NATS server, for the cases that all buses share.
type network struct{ *natstest.Server }

func (n *network) Open(hub *live.Hub, o bustest.Options) (bustest.Bus, error) {
	url := n.URL()
	if o.Via != "" {
		url = "nats://" + o.Via
	}
	return Open(hub, Options{URL: url, Secret: o.Secret, Epoch: o.Epoch, Log: o.Log})
}

func (n *network) Await(t *testing.T, s *live.Subscription) {
	t.Helper()
	bustest.Wait(t, "the word that NATS knows of the subscription", s.Wake())
}

func (n *network) Overhear(t *testing.T, o bustest.Options) bustest.Stranger {
	t.Helper()
	name, err := envelope.Installation(o.Secret, o.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	subjects := newSubjects(name)
	return n.overhear(t, subjects.of(live.Topic{Account: bustest.Alice}))
}

func (n *network) Stop(t *testing.T)    { t.Helper(); n.Server.Stop(t) }
func (n *network) Restart(t *testing.T) { t.Helper(); n.Server.Restart(t) }

// stranger is somebody else on the same NATS.
type stranger struct {
	conn  *nats.Conn
	heard chan *nats.Msg
	says  string // the subject
}

// overhear returns a stranger who hears what is said under a subject, and speaks there.
func (n *network) overhear(t *testing.T, subject string) *stranger {
	t.Helper()
	conn, err := nats.Connect(n.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	s := &stranger{conn, make(chan *nats.Msg, 64), subject}
	if _, err = conn.ChanSubscribe(subject, s.heard); err == nil {
		err = conn.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stranger) Next(t *testing.T) []byte {
	t.Helper()
	return bustest.Wait(t, "what a stranger overhears", s.heard).Data
}

func (s *stranger) Say(t *testing.T, sealed []byte) {
	t.Helper()
	err := s.conn.Publish(s.says, sealed)
	if err == nil {
		err = s.conn.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
}

var (
	alice = bustest.Alice
	bob   = bustest.Bob
)

var secret = []byte("the secret of an installation...")

// node is a hub on a bus, as every server has one.
type node struct {
	*bustest.Node
	bus *Bus
}

// mustOpen makes a node that is connected by the time that it returns.
func mustOpen(t *testing.T, url string, changes ...func(*Options)) *node {
	t.Helper()
	n := mustPrepare(t, url, changes...)
	n.WantMissed(t) // at the first connection everybody looks
	return n
}

// mustPrepare makes a node, whether or not NATS is there.
func mustPrepare(t *testing.T, url string, changes ...func(*Options)) *node {
	t.Helper()
	n := new(node)
	n.Node = bustest.NewNode(t, func(hub *live.Hub, log *slog.Logger) (_ bustest.Bus, err error) {
		o := Options{URL: url, Secret: secret, Epoch: "epoch", Log: log}
		for _, change := range changes {
			change(&o)
		}
		n.bus, err = Open(hub, o)
		return n.bus, err
	})
	return n
}

// mustRead opens a stream whose notices come from everywhere by the time that it
// returns.
func (n *node) mustRead(t *testing.T, account model.AccountID, features ...string) *live.Subscription {
	t.Helper()
	s := n.Subscribe(live.Subscriber{Account: account, Stream: true, Key: "key", Features: features,
		ID: model.StreamID(account)})
	t.Cleanup(s.Close)
	bustest.Wait(t, "the word that NATS knows of the subscription", s.Wake())
	return s
}

func startNATS(t *testing.T) *natstest.Server { t.Helper(); return natstest.Start(t) }

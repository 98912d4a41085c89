package pgbus

import (
	"context"
	"encoding/base64"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"signet/internal/live"
	"signet/internal/live/bustest"
	"signet/internal/live/envelope"
	"signet/internal/model"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); goleak.VerifyTestMain(m) }

func TestNodesHearEachOtherThroughPostgreSQL(t *testing.T) {
	testenv.Long(t)
	bustest.Run(t, func(t *testing.T, stopped bool) bustest.Network {
		if !stopped {
			url := postgrestest.URL(t)
			return &network{url: url, addr: postgrestest.Host(t, url)}
		}
		server := postgrestest.Start(t)
		return &network{url: server.URL(t), addr: server.Addr(), server: server}
	})
}

// network is a database, for the cases that all buses share.
type network struct {
	url    string
	addr   string
	server *postgrestest.Server // nil: it is not the test's alone
}

func (n *network) Open(hub *live.Hub, o bustest.Options) (bustest.Bus, error) {
	url := n.url
	if o.Via != "" {
		url = strings.Replace(url, n.addr, o.Via, 1)
	}
	return Open(hub, Options{URL: url, Secret: o.Secret, Epoch: o.Epoch, Log: o.Log})
}

// Await has nothing to wait for: the channel is heard before anybody reads.
func (n *network) Await(*testing.T, *live.Subscription) {}

func (n *network) Addr() string { return n.addr }

func (n *network) Stop(t *testing.T)    { t.Helper(); n.server.Stop(t, true) }
func (n *network) Restart(t *testing.T) { t.Helper(); n.server.Restart(t) }

func (n *network) Overhear(t *testing.T, o bustest.Options) bustest.Stranger {
	t.Helper()
	name, err := envelope.Installation(o.Secret, o.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	return overhear(t, n.url, "signet_"+name)
}

// stranger is somebody else who may connect to the database.
type stranger struct {
	conn    *pgx.Conn
	channel string
}

func overhear(t *testing.T, url, channel string) *stranger {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	if _, err := conn.Exec(t.Context(), "LISTEN "+channel); err != nil {
		t.Fatal(err)
	}
	return &stranger{conn, channel}
}

// Next returns what was said but for heartbeats, which are shorter than everything else.
func (s *stranger) Next(t *testing.T) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		heard, err := s.conn.WaitForNotification(ctx)
		if err != nil {
			t.Fatalf("what a stranger overhears does not come: %v", err)
		}
		sealed, err := base64.RawStdEncoding.DecodeString(heard.Payload)
		if err != nil {
			t.Fatal(err)
		}
		if len(sealed) > len(hello)+envelope.Overhead {
			return sealed
		}
	}
}

// wantConnected waits until a bus has connected, which says nothing.
func (s *stranger) wantConnected(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for payload := "-"; payload != ""; {
		heard, err := s.conn.WaitForNotification(ctx)
		if err != nil {
			t.Fatalf("no bus connects: %v", err)
		}
		payload = heard.Payload
	}
}

func (s *stranger) Say(t *testing.T, sealed []byte) {
	t.Helper()
	s.say(t, base64.RawStdEncoding.EncodeToString(sealed))
}

func (s *stranger) say(t *testing.T, payload string) {
	t.Helper()
	if _, err := s.conn.Exec(t.Context(), "SELECT pg_notify($1, $2)", s.channel, payload); err != nil {
		t.Fatal(err)
	}
}

// patience is how long a test waits for what takes moments.
const patience = 20 * time.Second

var secret = []byte("the secret of an installation...")

// hurried is a pace at which a test does not wait long for what the bus waits for.
var hurried = pace{beat: 20 * time.Millisecond, patience: time.Second, retry: 20 * time.Millisecond,
	barred: 100 * time.Millisecond, gap: time.Millisecond, alone: time.Minute}

// node is a hub on a bus, as every server has one.
type node struct {
	*bustest.Node
	bus *Bus
}

// mustPrepare makes a node of a hurried pace, whether or not the database is there.
func mustPrepare(t *testing.T, url string) *node {
	t.Helper()
	return mustPrepareAt(t, url, hurried)
}

func mustPrepareAt(t *testing.T, url string, pace pace) *node {
	t.Helper()
	n := new(node)
	n.Node = bustest.NewNode(t, func(hub *live.Hub, log *slog.Logger) (_ bustest.Bus, err error) {
		n.bus, err = open(hub, Options{URL: url, Secret: secret, Epoch: t.Name(), Log: log}, pace)
		return n.bus, err
	})
	return n
}

// mustOpen makes a node that is connected by the time that it returns.
func mustOpen(t *testing.T, url string) *node {
	t.Helper()
	n := mustPrepare(t, url)
	n.WantMissed(t)
	return n
}

// reader is one who has a stream for an account.
func reader(account model.AccountID) live.Subscriber {
	return live.Subscriber{Account: account, Stream: true}
}

// eventually waits until something holds, asking again and again.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("it does not come about that %s", what)
		}
	}
}

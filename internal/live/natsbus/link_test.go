package natsbus

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"signet/internal/live"
	"signet/internal/live/natstest"
	"signet/internal/model"
)

func TestNATSMayComeLaterAndGoAndComeBack(t *testing.T) {
	server := startNATS(t)
	server.Stop(t)
	here, there := mustPrepare(t, server.URL()), mustPrepare(t, server.URL())
	s := there.Subscribe(live.Subscriber{Account: alice, Stream: true})
	if here.Connected() {
		t.Error("it is connected without NATS")
	}
	here.Wake(alice)
	if got := here.bus.Stats(); got != (Stats{Dropped: 1}) {
		t.Errorf("counted %+v, want one message dropped", got)
	}
	for range 2 {
		server.Restart(t)
		here.wantMissed(t)
		there.wantMissed(t)
		if !here.Connected() || !there.Connected() {
			t.Error("they are not connected")
		}
		here.Wake(alice)
		wait(t, "the wake-up", s.Wake())
		server.Stop(t)
		for here.Connected() { // it learns of it from its connection
			here.Wake(alice)
		}
	}
	_ = here.bus.Close()
	here.wantLogged(t, "the bus is away", 3) // at the start, and after each connection
	here.wantLogged(t, "connected to the bus", 2)
}

func TestPasswordIsUsedAndNotLogged(t *testing.T) {
	guarded := natstest.Start(t, func(o *server.Options) { o.Username, o.Password = "signet", "Pa55-word" })
	n := mustOpen(t, guarded.URLAs("signet", "Pa55-word"))
	if !n.Connected() {
		t.Error("it is not connected")
	}
	wrong := mustPrepare(t, guarded.URLAs("signet", "Pa55-wrong"))
	for !strings.Contains(wrong.log.String(), "the bus is away") {
		wrong.Wake(alice)
	}
	_, err := Open(live.NewHub(0), Options{URL: "nats://signet:Pa55-word@bad host:x", Secret: secret})
	if err == nil {
		t.Fatal("a wrong address is accepted")
	}
	for _, text := range []string{n.log.String(), wrong.log.String(), err.Error()} {
		if text == "" || strings.Contains(text, "Pa55") {
			t.Errorf("the password is told, or nothing: %q", text)
		}
	}
}

func TestFirstOfManyRefusalsIsTold(t *testing.T) {
	n := mustOpen(t, startNATS(t).URL())
	for range 3 {
		n.bus.failed(nats.ErrPermissionViolation)
	}
	n.wantLogged(t, "the bus refused something", 1)
}

func TestReaderThatFallsBehindIsToLook(t *testing.T) {
	n := mustOpen(t, startNATS(t).URL())
	n.bus.failed(nats.ErrSlowConsumer)
	n.wantMissed(t)
}

// A connection that takes nothing holds up the worker, which then waits for as long
// as a write may take. Nobody else does.
func TestPublishingDoesNotWaitForTheNetwork(t *testing.T) {
	gate := mustOpenGate(t, startNATS(t).Addr())
	n := mustOpen(t, "nats://"+gate.addr)
	gate.shut()
	many := make([]model.StreamID, 2000) // 64 KiB and more
	for range 60 {                       // more than the sockets on the way hold
		n.CloseStreams(alice, live.Revoked, many...)
	}
	for range outgoing + 1 {
		n.Wake(alice)
	}
	s := n.Subscribe(live.Subscriber{Account: alice})
	s.Close()
	if !n.Connected() {
		t.Error("the connection has been given up: something waited for it")
	}
	if n.bus.Stats().Dropped == 0 {
		t.Error("nothing was dropped: nothing was held up")
	}
	gate.open()
}

// gate passes bytes on to a server, while it is open.
type gate struct {
	addr string
	mu   sync.Mutex // held while it is shut
}

func mustOpenGate(t *testing.T, to string) *gate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{addr: l.Addr().String()}
	var running sync.WaitGroup
	var ends []net.Conn
	running.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				client.Close()
				return
			}
			if err := client.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
				t.Error(err) // it would hold more than is sent
			}
			ends = append(ends, client, server)
			running.Go(func() { g.pass(server, client) })
			running.Go(func() { g.pass(client, server) })
		}
	})
	t.Cleanup(func() { // before the bus is closed, which would wait for it
		l.Close()
		for _, end := range ends {
			end.Close()
		}
		running.Wait()
	})
	return g
}

func (g *gate) pass(to io.Writer, from io.Reader) {
	chunk := make([]byte, 32<<10)
	for {
		n, err := from.Read(chunk)
		g.mu.Lock()
		g.mu.Unlock() //lint:ignore SA2001 passing is waiting until it is open
		if _, broken := to.Write(chunk[:n]); err != nil || broken != nil {
			return
		}
	}
}

func (g *gate) shut() { g.mu.Lock() }
func (g *gate) open() { g.mu.Unlock() }

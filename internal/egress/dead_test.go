package egress

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/testenv"
)

// line is a way to a server that can die: what goes over its connections then arrives nowhere, and nobody is told.
type line struct {
	net.Listener
	to string

	mu    sync.Mutex // guards dead
	dead  *atomic.Bool
	calls sync.WaitGroup
}

func newLine(t *testing.T, to string) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{Listener: listener, to: to, dead: new(atomic.Bool)}
	l.calls.Go(l.accept)
	t.Cleanup(func() { _ = l.Close(); l.calls.Wait() })
	return l
}

// die kills the connections that there are. Later ones live.
func (l *line) die() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead.Store(true)
	l.dead = new(atomic.Bool)
}

func (l *line) accept() {
	for {
		near, err := l.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", l.to)
		if err != nil {
			_ = near.Close()
			continue
		}
		l.mu.Lock()
		dead := l.dead
		l.mu.Unlock()
		for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
			l.calls.Go(func() {
				_, _ = io.Copy(mute{way[1], dead}, way[0])
				_ = near.Close()
				_ = far.Close()
			})
		}
	}
}

// mute drops what it is given once it is dead.
type mute struct {
	io.Writer
	dead *atomic.Bool
}

func (m mute) Write(b []byte) (int, error) {
	if m.dead.Load() {
		return len(b), nil
	}
	return m.Writer.Write(b)
}

// A connection of HTTP/2 that died without a word is found out before the call on it has used up its time, and
// later calls do not take it.
func TestDeadConnectionFailsNoLaterCall(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(fine))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	way := newLine(t, server.Listener.Addr().String())
	g := newGuard(t, Options{Hosts: mustHosts(t, "*"), Roots: (&receiver{Server: server}).roots(),
		Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	url := "https://" + way.Addr().String()
	answer, err := get(g, url)
	if err != nil || answer.ProtoMajor != 2 {
		t.Fatalf("got %v (%v), want an answer over HTTP/2", answer, err)
	}
	way.die()
	begun := time.Now()
	if _, err := get(g, url); err == nil {
		t.Fatal("the connection lives")
	}
	if took := time.Since(begun); took >= Timeout {
		t.Errorf("it took %v until the connection was given up", took)
	}
	if _, err := get(g, url); err != nil {
		t.Errorf("the next call fails too: %v", err)
	}
}

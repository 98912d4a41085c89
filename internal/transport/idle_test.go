package transport

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// stand is a server on a lease of a socket, as one program after another has it.
type stand struct {
	t      *testing.T
	idle   *Idle
	lease  *Lease
	handed *Handed
	server *http.Server
	served sync.WaitGroup
}

func mustStand(t *testing.T, socket Socket, handler http.HandlerFunc) *stand {
	t.Helper()
	lease, err := NewLease(socket)
	if err != nil {
		t.Fatal(err)
	}
	s := &stand{t: t, idle: NewIdle(), lease: lease, handed: NewHanded(),
		server: NewServer(context.Background(), handler, times, 64<<10, quiet())}
	s.server.ConnState = s.idle.Track
	for _, l := range []net.Listener{lease, s.handed} {
		s.served.Go(func() { _ = s.server.Serve(s.idle.Listener(l)) })
	}
	return s
}

// leave ends the server, and returns the connections that another one can go on with.
func (s *stand) leave() []net.Conn {
	s.t.Helper()
	s.handed.Close()
	if err := s.lease.Close(); err != nil {
		s.t.Error(err)
	}
	s.served.Wait()
	s.idle.Detach()
	detached := s.idle.Await(s.t.Context())
	if left := len(s.idle.open); left > 0 {
		s.t.Errorf("%d connections are left", left)
	}
	s.server.Close()
	return detached
}

// mustListen opens a socket that ends with the test.
func mustListen(t *testing.T) Socket {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.(Socket)
}

// Clients that never give a connection up, and send again as soon as they have an answer or
// some time later, notice nothing of servers that follow one another.
func TestConnectionsOutliveTheirServers(t *testing.T) {
	const clients, servers, each = 16, 8, 400
	var answered atomic.Int64
	handler := func(name int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			n, _ := io.Copy(io.Discard, r.Body)
			answered.Add(1)
			fmt.Fprintf(w, "%d bytes, server %d", n, name)
		}
	}
	socket := mustListen(t)
	now := mustStand(t, socket, handler(0))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	seen := make([]map[string]bool, clients)
	changed := make([]chan struct{}, servers+1) // closed when there is the server of this number
	for n := range changed {
		changed[n] = make(chan struct{})
	}
	for i := range clients {
		seen[i] = map[string]bool{}
		conn, err := net.Dial("tcp", socket.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		running.Go(func() {
			defer conn.Close()
			r := bufio.NewReader(conn)
			body := strings.Repeat("x", 1+i*600) // in one segment with the head, or not
			for n := 0; ctx.Err() == nil; n = (n + 1) % servers {
				if _, err := fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body),
					body); err != nil {
					t.Errorf("client %d: %v", i, err)
					return
				}
				answer, err := http.ReadResponse(r, nil)
				if err != nil {
					t.Errorf("client %d: %v", i, err)
					return
				}
				text, err := io.ReadAll(answer.Body)
				size, server, _ := strings.Cut(string(text), ", ")
				if err != nil || answer.Close || size != fmt.Sprintf("%d bytes", len(body)) {
					t.Errorf("client %d: got %q, close %t, %v", i, text, answer.Close, err)
					return
				}
				seen[i][server] = true
				if i%4 == 3 { // its connection is idle until there is another server, and once more
					<-changed[n+1]
				}
			}
		})
	}
	for n := 1; n < servers; n++ {
		for goal := answered.Load() + each; answered.Load() < goal && !t.Failed(); {
			answer, err := http.Get("http://" + socket.Addr().String()) // each a connection of its own
			if err != nil {
				t.Error(err)
				break
			}
			answer.Body.Close()
			http.DefaultClient.CloseIdleConnections()
		}
		detached := now.leave()
		now = mustStand(t, socket, handler(n))
		for _, c := range detached {
			now.handed.Hand(c)
		}
		close(changed[n])
	}
	cancel()
	close(changed[servers])
	running.Wait()
	now.leave()
	for i, servers := range seen {
		if len(servers) < 2 {
			t.Errorf("client %d was answered by %v only", i, servers)
		}
	}
}

// What a server has read of a request stays with it: here the first bytes of one that was sent
// behind another, which net/http holds in its buffer.
func TestConnectionWithTheBeginningOfARequestStays(t *testing.T) {
	socket := mustListen(t)
	now := mustStand(t, socket, countBody)
	conn, err := net.Dial("tcp", socket.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const request = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
	mustSend(t, conn, "%s", request+request[:3])
	r := bufio.NewReader(conn)
	mustAnswer(t, r, http.StatusOK)
	now.handed.Close()
	now.lease.Close()
	now.served.Wait()
	now.idle.Detach()
	mustSend(t, conn, "%s", request[3:])
	if got := mustAnswer(t, r, http.StatusOK); got != "3" {
		t.Errorf("the second request read %s bytes, want 3", got)
	}
	detached := now.idle.Await(t.Context()) // it waits now, with nothing read
	if left := len(now.idle.open); len(detached) != 1 || left != 0 {
		t.Errorf("%d connections were taken, and %d are left; want the one", len(detached), left)
	}
	for _, c := range detached {
		c.Close()
	}
	now.server.Close()
}

// A lease that has ended leaves those who connect then to the next one.
func TestClientsWaitBetweenTwoLeases(t *testing.T) {
	socket := mustListen(t)
	mustStand(t, socket, countBody).leave()
	answered := make(chan error, 1)
	go func() {
		answer, err := http.Post("http://"+socket.Addr().String(), "text/plain", strings.NewReader("abc"))
		if err == nil {
			err = answer.Body.Close()
		}
		http.DefaultClient.CloseIdleConnections()
		answered <- err
	}()
	select {
	case err := <-answered:
		t.Fatalf("somebody answered: %v", err)
	default:
	}
	next := mustStand(t, socket, countBody)
	if err := <-answered; err != nil {
		t.Error(err)
	}
	for _, c := range next.leave() {
		c.Close()
	}
}

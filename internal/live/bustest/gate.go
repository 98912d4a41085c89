package bustest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Gate passes bytes on to a server, while it is open.
type Gate struct {
	Addr string
	mu   sync.Mutex // held while it is shut
}

// OpenGate returns an open gate before a server.
func OpenGate(t *testing.T, to string) *Gate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &Gate{Addr: l.Addr().String()}
	var accepting, passing sync.WaitGroup
	var ends []net.Conn // the accepting goroutine's, until that has ended
	accepting.Go(func() {
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
			passing.Go(func() { g.pass(server, client) })
			passing.Go(func() { g.pass(client, server) })
		}
	})
	t.Cleanup(func() { // after the bus was closed
		l.Close()
		accepting.Wait()
		for _, end := range ends {
			end.Close()
		}
		passing.Wait()
	})
	return g
}

func (g *Gate) pass(to io.Writer, from io.Reader) {
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

// Shut holds up what is under way. It neither ends connections nor refuses them.
func (g *Gate) Shut() { g.mu.Lock() }

// Open lets everything pass again.
func (g *Gate) Open() { g.mu.Unlock() }

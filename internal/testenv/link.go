package testenv

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
)

// little is how much of what is sent a cut link itself takes, about: the rest holds up whoever sends it.
const little = 4 << 10

// Link passes connections on to a server, and can be cut. A cut link is like a network that drops everything: nobody
// gets an answer or hears of an end, and what was sent arrives once it is mended.
type Link struct {
	listen net.Listener
	target func() string
	broad  bool

	mu      sync.Mutex // guards all below
	changed *sync.Cond
	cut     bool
	closed  bool
	conns   map[net.Conn]bool
	pumps   sync.WaitGroup
}

// NewLink begins to pass on, from a free port to an address where somebody may listen later. It ends with the test.
func NewLink(t testing.TB, target string) *Link {
	t.Helper()
	return NewLinkTo(t, func() string { return target })
}

// NewLinkTo is NewLink to an address that changes: each connection goes where it is at that time.
func NewLinkTo(t testing.TB, target func() string) *Link {
	t.Helper()
	return newLink(t, target, false)
}

// NewBroadLink is NewLink of one by which clients send more than some kilobytes at once, of which the rest would wait
// for a timer of 200 ms in the other kind. When it is cut it takes some megabytes itself.
func NewBroadLink(t testing.TB, target string) *Link {
	t.Helper()
	return newLink(t, func() string { return target }, true)
}

func newLink(t testing.TB, target func() string, broad bool) *Link {
	t.Helper()
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{listen: listen, target: target, broad: broad, conns: map[net.Conn]bool{}}
	l.changed = sync.NewCond(&l.mu)
	l.pumps.Go(l.accept)
	t.Cleanup(l.close)
	return l
}

// Addr is the host and port at which the link takes connections.
func (l *Link) Addr() string { return l.listen.Addr().String() }

// Cut lets nothing through any more, of old connections and of new ones.
func (l *Link) Cut() { l.set(true) }

// Break ends the connections that are open, as a router does that starts anew. Both ends hear of it.
func (l *Link) Break() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.conns {
		_ = conn.Close() // its other end is told, or gone
	}
}

// Mend ends a cut.
func (l *Link) Mend() { l.set(false) }

func (l *Link) set(cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = cut
	l.changed.Broadcast()
}

func (l *Link) close() {
	_ = l.listen.Close() // it was open
	l.mu.Lock()
	l.closed = true
	l.changed.Broadcast()
	for conn := range l.conns {
		_ = conn.Close() // its other end is told, or gone
	}
	l.mu.Unlock()
	l.pumps.Wait()
}

// wait returns when the link lets through, and false when it has been closed.
func (l *Link) wait() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.cut && !l.closed {
		l.changed.Wait()
	}
	return !l.closed
}

// keep notes a connection, to be closed with the link. It is false when the link has been closed already.
func (l *Link) keep(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[conn] = true
	return !l.closed
}

// drop closes connections.
func (l *Link) drop(conns ...net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range conns {
		_ = conn.Close() // its other end is told, or gone
		delete(l.conns, conn)
	}
}

func (l *Link) accept() {
	for {
		client, err := l.listen.Accept()
		if err != nil {
			return
		}
		l.pumps.Go(func() { l.pass(client) })
	}
}

// pass carries one connection until both sides have ended it, or one has broken it off.
func (l *Link) pass(client net.Conn) {
	defer l.drop(client)
	if !l.broad { // a buffer so small lets some kilobytes through, and then waits for a timer
		_ = client.(*net.TCPConn).SetReadBuffer(little) // it may be closed already
	}
	if !l.keep(client) || !l.wait() {
		return
	}
	server, err := net.Dial("tcp", l.target())
	if err != nil {
		return
	}
	defer l.drop(server)
	if !l.keep(server) {
		return
	}
	var back sync.WaitGroup
	back.Go(func() { l.pump(client, server) })
	l.pump(server, client)
	back.Wait()
}

// pump passes on what one side sends. The end of what it sends is passed on too; if it broke off, so does the other.
func (l *Link) pump(to, from net.Conn) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if !l.wait() {
			return
		}
		if n > 0 {
			if _, failed := to.Write(buffer[:n]); failed != nil {
				l.drop(to, from)
				return
			}
		}
		if errors.Is(err, io.EOF) {
			_ = to.(*net.TCPConn).CloseWrite() // it may be closed already
			return
		}
		if err != nil {
			l.drop(to, from)
			return
		}
	}
}

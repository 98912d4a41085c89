package transport

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Idle takes a server's connections away from it while they wait for a request, so that another
// server can go on with them. net/http can only close such a connection, and a request that
// was just sent on it then fails: its client finds the connection reset, and cannot know
// whether a POST was carried out. Here nothing was read of a connection that is taken: what
// has arrived, or arrives meanwhile, waits in the system's buffer for whoever reads next.
//
// It is for connections without TLS, whose state would have to go along. It is safe for concurrent use.
type Idle struct {
	detaching atomic.Bool

	mu       sync.Mutex // guards all below
	open     map[*connection]struct{}
	detached []net.Conn
	settled  bool          // no more are taken
	empty    chan struct{} // closed when none is open any more; nil: nothing waits for that
}

// NewIdle returns one that takes nothing yet.
func NewIdle() *Idle { return &Idle{open: map[*connection]struct{}{}} }

// Listener is Frugal whose connections can be taken.
func (i *Idle) Listener(l net.Listener) net.Listener { return idleListener{l, i} }

type idleListener struct {
	net.Listener
	idle *Idle
}

// Accept returns the next connection.
func (l idleListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	own := newConnection(c)
	own.idle, own.fresh = l.idle, true
	l.idle.mu.Lock()
	defer l.idle.mu.Unlock()
	l.idle.open[own] = struct{}{}
	return own, nil
}

// Track is the ConnState of the server. It notes that a connection waits for its next request,
// of which nothing was read yet.
func (i *Idle) Track(c net.Conn, state http.ConnState) {
	if state != http.StateIdle {
		return
	}
	if counted, ok := c.(*countedConn); ok {
		c = counted.Conn
	}
	if own, ok := c.(*connection); ok {
		own.fresh = true
	}
}

// Detach takes from now on each connection that waits for a request, also where it begins to wait later. The
// server may accept none any more.
func (i *Idle) Detach() {
	i.detaching.Store(true)
	i.mu.Lock()
	defer i.mu.Unlock()
	for c := range i.open {
		c.reading.rouse()
	}
}

// Await waits until each connection has been taken or closed, or ctx ends, and returns those that
// were taken, which are the caller's to close. From then on none is taken any more.
func (i *Idle) Await(ctx context.Context) (detached []net.Conn) {
	i.mu.Lock()
	empty := make(chan struct{})
	if len(i.open) == 0 {
		close(empty)
	} else {
		i.empty = empty
	}
	i.mu.Unlock()
	select {
	case <-empty:
	case <-ctx.Done():
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	detached, i.detached, i.settled = i.detached, nil, true
	return detached
}

// waits reports whether a read of net/http is for the beginning of a request, of which
// it has nothing yet: its buffer is as large as what it asks for.
func (c *connection) waits(p []byte) bool { return c.idle != nil && c.fresh && len(p) == headBytes }

// leave ends a connection of the server, and reports whether it stays open for another one.
func (i *Idle) leave(c *connection) (stays bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if _, open := i.open[c]; !open {
		return c.detached.Load() // it was closed before
	}
	delete(i.open, c)
	if len(i.open) == 0 && i.empty != nil {
		close(i.empty)
		i.empty = nil
	}
	if !c.detached.Load() || i.settled {
		return false
	}
	_ = c.Conn.SetDeadline(time.Time{}) // it is another server's to set
	i.detached = append(i.detached, c.Conn)
	return true
}

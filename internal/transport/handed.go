package transport

import (
	"net"
	"sync"
)

// Handed is a listener of connections that come from another server.
type Handed struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// NewHanded returns a listener without connections.
func NewHanded() *Handed {
	return &Handed{conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Hand adds a connection. It is closed where the listener is.
func (h *Handed) Hand(c net.Conn) {
	select {
	case h.conns <- c:
	case <-h.closed:
		_ = c.Close() // nobody is there for it
	}
}

// Accept returns the next connection.
func (h *Handed) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

// Close ends the listener; it may be called twice.
func (h *Handed) Close() error { h.once.Do(func() { close(h.closed) }); return nil }

// Addr is none: its connections came by other listeners.
func (h *Handed) Addr() net.Addr { return &net.TCPAddr{} }

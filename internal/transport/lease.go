package transport

import (
	"errors"
	"net"
	"sync/atomic"
	"time"
)

// Lease is a listener that can be given back: Close ends it and leaves the socket below open, for
// the next lease or another process. Clients that come meanwhile wait in the system's queue.
type Lease struct {
	Socket
	ended atomic.Bool
}

// Socket is a listener that can stop accepting, as those of TCP.
type Socket interface {
	net.Listener
	SetDeadline(deadline time.Time) error
}

// NewLease returns a lease of a socket. There is one at a time.
func NewLease(s Socket) (*Lease, error) { return &Lease{Socket: s}, s.SetDeadline(time.Time{}) }

// Accept returns the next connection, and net.ErrClosed where the lease has ended.
func (l *Lease) Accept() (net.Conn, error) {
	c, err := l.Socket.Accept()
	if err != nil && l.ended.Load() {
		return nil, net.ErrClosed
	}
	return c, err
}

// Close ends the lease, also of a socket that is closed; it may be called twice.
func (l *Lease) Close() error {
	l.ended.Store(true)
	if err := l.Socket.SetDeadline(time.Unix(1, 0)); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

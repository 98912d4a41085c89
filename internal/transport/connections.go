package transport

import (
	"net"
	"net/netip"
	"sync"

	"signet/internal/model"
)

// LimitConnections returns a listener on which one address has at most so many
// connections open; 0 is no limit. Further ones are closed before a byte is read, and
// reported to refused. The limit does not hold for trusted proxies, which speak for
// many clients, nor for this machine, where a proxy that is not named may speak for
// all of them.
func (p *Proxies) LimitConnections(l net.Listener, most int, refused func()) net.Listener {
	if most <= 0 {
		return l
	}
	return &limitedListener{Listener: l, proxies: p, most: most, refused: refused, open: map[netip.Addr]int{}}
}

type limitedListener struct {
	net.Listener
	proxies *Proxies
	most    int
	refused func()

	mu   sync.Mutex // guards open
	open map[netip.Addr]int
}

// Accept returns the next connection that is within the limit.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		remote, err := netip.ParseAddrPort(c.RemoteAddr().String())
		if err != nil || remote.Addr().Unmap().IsLoopback() || l.proxies.trusts(remote.Addr()) {
			return c, nil
		}
		client := model.ClientOf(remote.Addr())
		if l.enter(client) {
			return &countedConn{Conn: c, left: sync.OnceFunc(func() { l.leave(client) })}, nil
		}
		_ = c.Close()
		l.refused()
	}
}

func (l *limitedListener) enter(client netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[client] >= l.most {
		return false
	}
	l.open[client]++
	return true
}

func (l *limitedListener) leave(client netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[client]--; l.open[client] == 0 {
		delete(l.open, client)
	}
}

// countedConn is a connection that counts until it is closed.
type countedConn struct {
	net.Conn
	left func()
}

// Close closes the connection; it may be called twice.
func (c *countedConn) Close() error {
	defer c.left()
	return c.Conn.Close()
}

// CloseWrite is how net/http ends a connection while the client still sends.
func (c *countedConn) CloseWrite() error { return closeWrite(c.Conn) }

// closeWrite closes a connection for writing, if it can be closed so.
func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

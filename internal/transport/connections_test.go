package transport

import (
	"io"
	"net"
	"net/netip"
	"testing"
)

// callers is a listener whose connections come from the addresses that a test says.
type callers struct{ waiting chan net.Conn }

func (c *callers) Accept() (net.Conn, error) {
	conn, ok := <-c.waiting
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (c *callers) Close() error   { close(c.waiting); return nil }
func (c *callers) Addr() net.Addr { return &net.TCPAddr{} }

// fromAddress is a connection that comes from an address.
type fromAddress struct {
	net.Conn
	remote net.Addr
}

func (f fromAddress) RemoteAddr() net.Addr { return f.remote }

// call makes a connection from an address, and returns the caller's end.
func (c *callers) call(address string) net.Conn {
	ours, theirs := net.Pipe()
	c.waiting <- fromAddress{theirs, net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(address), 4711))}
	return ours
}

func TestConnectionsOfAnAddressAreLimited(t *testing.T) {
	p, err := NewProxies([]string{"10.0.0.0/8"}, "Forwarded")
	if err != nil {
		t.Fatal(err)
	}
	l := &callers{waiting: make(chan net.Conn, 1)}
	refused := 0
	limited := p.LimitConnections(l, 2, func() { refused++ })
	accept := func(address string) net.Conn {
		t.Helper()
		ours := l.call(address)
		t.Cleanup(func() { ours.Close() })
		c, err := limited.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	// wantRefused makes a call that is to be refused; another one, which is not, shows
	// that Accept has gone past it.
	wantRefused := func(address, other string) net.Conn {
		t.Helper()
		before := refused
		ours := l.call(address)
		accepted := make(chan net.Conn)
		go func() {
			c, err := limited.Accept()
			if err != nil {
				t.Error(err)
			}
			accepted <- c
		}()
		if _, err := ours.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("a connection too many from %s reads %v, want its end", address, err)
		}
		l.call(other)
		c := <-accepted
		if refused != before+1 || c.RemoteAddr().(*net.TCPAddr).IP.String() != other {
			t.Errorf("%d were refused, and %v was let in", refused-before, c.RemoteAddr())
		}
		return c
	}

	first := accept("192.0.2.7")
	accept("::ffff:192.0.2.7")
	wantRefused("192.0.2.7", "192.0.2.8")
	first.Close()
	first.Close() // counts once
	accept("192.0.2.7")
	wantRefused("192.0.2.7", "192.0.2.9")

	accept("2001:db8::1")
	accept("2001:db8::2")
	wantRefused("2001:db8::ffff", "2001:db8:0:1::1") // another network of its size

	for range 5 { // proxies, and this machine
		accept("10.0.0.5")
		accept("127.0.0.1")
		accept("::1")
	}
	l.Close()
	if _, err := limited.Accept(); err == nil {
		t.Error("a closed listener accepts")
	}
	if same := p.LimitConnections(l, 0, nil); same != net.Listener(l) {
		t.Error("no limit is a limit")
	}
}

func TestALimitedConnectionClosesInTwoSteps(t *testing.T) {
	ours, theirs := net.Pipe()
	defer ours.Close()
	half := &halfClosing{Conn: theirs}
	var c net.Conn = &countedConn{Conn: half, left: func() {}}
	if err := c.(interface{ CloseWrite() error }).CloseWrite(); err != nil || len(half.did) != 1 {
		t.Errorf("closing for writing did %q, %v", half.did, err)
	}
	c.Close()
}

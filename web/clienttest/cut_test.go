package clienttest

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
)

// cutter is a line to a server that is cut again and again: each connection after some
// bytes of what the server says.
type cutter struct {
	to       string
	from, up int64 // bytes
	listener net.Listener
	done     sync.WaitGroup

	mu    sync.Mutex // guards conns
	conns map[net.Conn]bool
}

// mustCut opens the line, which ends with the test, and returns its address. A
// connection lasts for between the two numbers of bytes.
func mustCut(t *testing.T, to string, from, up int64) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{to: to, from: from, up: up, listener: listener, conns: make(map[net.Conn]bool)}
	c.done.Go(c.serve)
	t.Cleanup(func() {
		_ = listener.Close() // ends serve
		c.mu.Lock()
		for conn := range c.conns {
			_ = conn.Close()
		}
		c.mu.Unlock()
		c.done.Wait()
	})
	return listener.Addr().String()
}

func (c *cutter) serve() {
	for {
		conn, err := c.listener.Accept()
		if err != nil {
			return // closed
		}
		c.done.Go(func() { c.pass(conn) })
	}
}

// pass connects a client with the server until enough has passed.
func (c *cutter) pass(near net.Conn) {
	far, err := net.Dial("tcp", c.to)
	if err != nil {
		_ = near.Close()
		return
	}
	c.keep(near, far)
	defer c.drop(near, far)
	c.done.Go(func() {
		_, _ = io.Copy(far, near) // ends with the connections
		_ = far.(*net.TCPConn).CloseWrite()
	})
	n := c.from + rand.Int64N(c.up-c.from)
	_, _ = io.CopyN(near, far, n)
	if n%2 == 0 {
		_ = near.(*net.TCPConn).SetLinger(0) // reset, instead of ended in order
	}
}

func (c *cutter) keep(conns ...net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range conns {
		c.conns[conn] = true
	}
}

func (c *cutter) drop(conns ...net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range conns {
		delete(c.conns, conn)
		_ = conn.Close()
	}
}

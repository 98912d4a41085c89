package s3test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// Proxy passes connections on to a server, until it is told to disturb them.
type Proxy struct {
	listener net.Listener
	to       string

	mu      sync.Mutex // guards all below
	heads   strings.Builder
	passed  int64
	limit   int64 // of bytes in the server's answers; -1: none
	stall   bool
	open    map[net.Conn]bool
	running sync.WaitGroup
}

// NewProxy starts a proxy to a host and port, which ends with the test.
func NewProxy(t testing.TB, to string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: l, to: to, limit: -1, open: map[net.Conn]bool{}}
	p.running.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.mu.Lock()
		for conn := range p.open {
			conn.Close()
		}
		p.mu.Unlock()
		p.running.Wait()
	})
	return p
}

// Addr is the host and port of the proxy.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// CutAfter closes every connection, once, after so many more bytes of answers.
func (p *Proxy) CutAfter(bytes int64) { p.set(bytes, false) }

// StallAfter lets nothing through, on any connection, after so many more bytes of
// answers.
func (p *Proxy) StallAfter(bytes int64) { p.set(bytes, true) }

// Open lets everything through again.
func (p *Proxy) Open() { p.set(-1, false) }

func (p *Proxy) set(limit int64, stall bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limit, p.stall = limit, stall
}

// Passed is how many bytes of answers went through.
func (p *Proxy) Passed() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.passed
}

// Headers returns the values of a header in all requests.
func (p *Proxy) Headers(name string) (values []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for line := range strings.Lines(p.heads.String()) {
		key, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(key, name) {
			values = append(values, strings.TrimSpace(value))
		}
	}
	return values
}

func (p *Proxy) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.pass(conn) })
	}
}

func (p *Proxy) keep(conn net.Conn, open bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if open {
		p.open[conn] = true
	} else {
		delete(p.open, conn)
		conn.Close()
	}
}

func (p *Proxy) pass(client net.Conn) {
	p.keep(client, true)
	defer p.keep(client, false)
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	p.keep(server, true)
	defer p.keep(server, false)
	p.running.Go(func() {
		_, _ = io.Copy(server, io.TeeReader(client, &headWriter{p})) // ends with either
		server.Close()
	})
	_, _ = io.Copy(&answerWriter{p, client}, server)
	client.Close()
}

// headWriter keeps the heads of requests, each of which a client writes at once.
type headWriter struct{ proxy *Proxy }

func (w *headWriter) Write(b []byte) (int, error) {
	head, _, found := bytes.Cut(b, []byte("\r\n\r\n"))
	if found && bytes.Contains(head, []byte(" HTTP/1.1\r\n")) {
		w.proxy.mu.Lock()
		defer w.proxy.mu.Unlock()
		w.proxy.heads.Write(head)
		w.proxy.heads.WriteByte('\n')
	}
	return len(b), nil
}

// answerWriter passes answers on within the limit.
type answerWriter struct {
	proxy *Proxy
	conn  net.Conn
}

var errCut = errors.New("cut off")

func (w *answerWriter) Write(b []byte) (int, error) {
	n, stalled := w.proxy.allow(len(b))
	if n > 0 {
		if _, err := w.conn.Write(b[:n]); err != nil {
			return 0, err
		}
	}
	switch {
	case n == len(b):
		return n, nil
	case stalled:
		return len(b), nil // swallowed
	}
	return n, errCut
}

// allow returns how many of n bytes may pass. A cut happens once.
func (p *Proxy) allow(n int) (allowed int, stalled bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	allowed = n
	if p.limit >= 0 && int64(n) > p.limit {
		allowed = int(p.limit)
	}
	p.passed += int64(allowed)
	if p.limit >= 0 {
		p.limit -= int64(allowed)
	}
	if allowed < n && !p.stall {
		p.limit = -1
	}
	return allowed, p.stall
}

package postgrestest

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
)

// Pooled returns the same address by way of a pooler that hands out connections by the
// transaction, as PgBouncer can: a transaction of a client is on another connection to the
// server than the one before it, and what the server says in between, such as notifications, is
// dropped. The server has to trust its clients.
func Pooled(t TB, address string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &pooler{server: Host(t, address), open: map[net.Conn]bool{}}
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			p.serving.Go(func() { p.serve(client) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		accepting.Wait()
		p.end()
		p.serving.Wait()
	})
	return Through(t, address, l.Addr().String())
}

// The first messages of a client, by the code that they have in the place of a version.
const (
	codeCancel = 80877102
	codeTLS    = 80877103
	codeGSS    = 80877104
)

// perClient is how many connections to the server take turns for a client.
const perClient = 2

// pooler stands between clients and a server.
type pooler struct {
	server  string
	serving sync.WaitGroup

	mu    sync.Mutex // guards all below
	open  map[net.Conn]bool
	ended bool
}

// keep remembers a connection, to be closed at the end.
func (p *pooler) keep(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[c] = true
	if p.ended {
		c.Close()
	}
}

func (p *pooler) drop(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
	c.Close()
}

func (p *pooler) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for c := range p.open {
		c.Close()
	}
}

// serve passes on what a client says, a transaction to each of its connections in turn.
func (p *pooler) serve(client net.Conn) {
	p.keep(client)
	defer p.drop(client)
	startup, ok := readStartup(client)
	if !ok {
		return
	}
	var servers [perClient]net.Conn
	for i := range servers {
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			return
		}
		p.keep(server)
		defer p.drop(server)
		servers[i] = server
		to := io.Discard
		if i == 0 {
			to = client
		}
		if _, err := server.Write(startup); err != nil {
			return
		}
		if idle, ok := passAnswer(to, server); !ok || !idle {
			return
		}
	}
	for turn := 0; ; {
		message, ok := readMessage(client)
		if !ok {
			return
		}
		server := servers[turn%perClient]
		if _, err := server.Write(message); err != nil {
			return
		}
		switch message[0] {
		case 'Q', 'S': // a statement, or the end of several: now the server answers
			idle, ok := passAnswer(client, server)
			if !ok {
				return
			}
			if idle {
				turn++
			}
		}
	}
}

// readStartup reads how a client begins.
func readStartup(client net.Conn) (message []byte, ok bool) {
	for {
		message = make([]byte, 8)
		if _, err := io.ReadFull(client, message); err != nil {
			return nil, false
		}
		switch binary.BigEndian.Uint32(message[4:]) {
		case codeTLS, codeGSS:
			if _, err := client.Write([]byte("N")); err != nil {
				return nil, false
			}
			continue
		case codeCancel:
			return nil, false
		}
		rest := make([]byte, int(binary.BigEndian.Uint32(message))-len(message))
		_, err := io.ReadFull(client, rest)
		return append(message, rest...), err == nil
	}
}

// readMessage reads a message: its kind, its length and the rest.
func readMessage(from io.Reader) (message []byte, ok bool) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(from, head); err != nil {
		return nil, false
	}
	rest := make([]byte, int(binary.BigEndian.Uint32(head[1:]))-4)
	_, err := io.ReadFull(from, rest)
	return append(head, rest...), err == nil
}

// passAnswer passes on what a server says until it is ready for the next statement, and reports
// whether a transaction has ended with that.
func passAnswer(client io.Writer, server io.Reader) (idle, ok bool) {
	for {
		message, ok := readMessage(server)
		if !ok {
			return false, false
		}
		switch message[0] {
		case 'A': // a notification, for whoever listened on this connection
			continue
		case 'K':
			message[5] ^= 0x40 // a pooler's clients have process numbers of its own
		}
		if _, err := client.Write(message); err != nil {
			return false, false
		}
		if message[0] == 'Z' {
			return message[5] == 'I', true
		}
	}
}

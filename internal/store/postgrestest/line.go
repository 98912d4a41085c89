package postgrestest

import (
	"io"
	"net"
	"sync"
)

// Line returns the address by which a server of the program reaches a database through a line of its own, and
// what cuts that: the server is gone for the database then, without a word, as one is that was killed.
func Line(t TB, address string) (through string, cut func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{listener: listener, to: Host(t, address)}
	l.running.Go(l.serve)
	t.Cleanup(l.cut)
	return Through(t, address, listener.Addr().String()), l.cut
}

// line is what a server's connections to its database pass through.
type line struct {
	listener net.Listener
	to       string
	running  sync.WaitGroup

	mu   sync.Mutex // guards open
	open []net.Conn
}

func (l *line) serve() {
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", l.to)
		if err != nil {
			near.Close()
			continue
		}
		l.mu.Lock()
		l.open = append(l.open, near, far)
		l.mu.Unlock()
		for _, ends := range [][2]net.Conn{{near, far}, {far, near}} {
			l.running.Go(func() {
				_, _ = io.Copy(ends[0], ends[1]) // ends with the line
				ends[0].Close()
			})
		}
	}
}

func (l *line) cut() {
	l.listener.Close()
	l.mu.Lock()
	for _, conn := range l.open {
		conn.Close()
	}
	l.mu.Unlock()
	l.running.Wait()
}

package postgres

import (
	"context"
	"crypto/tls"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// link is a connection as the network has it. It notes for how long an answer has been waited for.
type link struct {
	net.Conn
	of *links

	// waits is since when, as Unix nanoseconds; 0 while no answer is due. Nobody reads from an idle connection.
	waits atomic.Int64

	// life names one run of the server at the other end; nil until the connection was made.
	life atomic.Pointer[string]
}

// Write sends, for which an answer is due.
func (l *link) Write(b []byte) (int, error) {
	l.waits.CompareAndSwap(0, time.Now().UnixNano())
	return l.Conn.Write(b)
}

// Read waits for an answer.
func (l *link) Read(b []byte) (int, error) {
	l.waits.CompareAndSwap(0, time.Now().UnixNano())
	n, err := l.Conn.Read(b)
	if n > 0 {
		l.waits.Store(0)
	}
	return n, err
}

// Close also has the engine forget the link.
func (l *link) Close() error {
	l.of.forget(l)
	return l.Conn.Close()
}

// silent reports whether the server has owed an answer for that long.
func (l *link) silent(now time.Time, since time.Duration) bool {
	waits := l.waits.Load()
	return waits != 0 && now.Sub(time.Unix(0, waits)) > since
}

// isOneOf reports whether the link leads to one of these servers, as far as is known: one that is being made leads to
// whoever is found at its address.
func (l *link) isOneOf(alive []living) bool {
	life, address := l.life.Load(), l.RemoteAddr().String()
	return slices.ContainsFunc(alive, func(one living) bool {
		if life == nil {
			return one.address == address
		}
		return one.life == *life
	})
}

// links are the connections of an engine, and those that are being made.
type links struct {
	dialer net.Dialer

	mu      sync.Mutex // guards the two below
	open    map[*link]bool
	shunned map[string]time.Time // addresses that were given up, and until when nobody connects to them
}

// shun is how long nobody connects to a server that was given up. When pgx ends a connection it first asks the server
// to stop what runs there, and holds the connection's place in the pool until it has an answer.
const shun = 5 * time.Second

func newLinks() *links {
	return &links{open: make(map[*link]bool), shunned: make(map[string]time.Time), dialer: net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3},
		Control:         limitUnsent,
	}}
}

// dial makes a connection.
func (s *links) dial(ctx context.Context, network, address string) (net.Conn, error) {
	s.mu.Lock()
	until, shunned := s.shunned[address]
	if shunned && time.Now().After(until) {
		delete(s.shunned, address)
		shunned = false
	}
	s.mu.Unlock()
	if shunned {
		return nil, &net.OpError{Op: "dial", Net: network, Err: errShunned}
	}
	conn, err := s.dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	l := &link{Conn: conn, of: s}
	s.mu.Lock()
	s.open[l] = true
	s.mu.Unlock()
	return l, nil
}

func (s *links) forget(l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, l)
}

// silent returns those from which an answer has been due for that long.
func (s *links) silent(since time.Duration) (found []*link) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.open {
		if l.silent(now, since) {
			found = append(found, l)
		}
	}
	return found
}

// giveUp closes the connections to the addresses of silent ones on which an answer is due, but for those to the servers
// that live, and returns how many. What ran there is judged as after any loss of a connection.
func (s *links) giveUp(silent []*link, alive []living) int {
	away := make(map[string]bool)
	for _, l := range silent {
		if !l.isOneOf(alive) {
			away[l.RemoteAddr().String()] = true
		}
	}
	var doomed []*link
	s.mu.Lock()
	for l := range s.open {
		address := l.RemoteAddr().String()
		if !away[address] || l.waits.Load() == 0 || l.isOneOf(alive) {
			continue
		}
		doomed = append(doomed, l)
		// A server may follow another one under the same address.
		if !slices.ContainsFunc(alive, func(one living) bool { return one.address == address }) {
			s.shunned[address] = time.Now().Add(shun)
		}
	}
	s.mu.Unlock()
	for _, l := range doomed {
		_ = l.Close() // whoever waits on it is told
	}
	return len(doomed)
}

// linkOf returns the link of a connection; nil where something else dialled it.
func linkOf(server *pgconn.PgConn) *link {
	conn := server.Conn()
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	l, _ := conn.(*link)
	return l
}

package transport

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Frugal returns a listener whose connections behave as those of the one below, and make
// less work.
func Frugal(l net.Listener) net.Listener { return frugalListener{l} }

type frugalListener struct{ net.Listener }

// Accept returns the next connection.
func (l frugalListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newConnection(c), nil
}

// connection sets its deadlines only where something may wait for them. For each request
// net/http moves them eight times, and pace and who reads the body six times more. Each time
// costs nearly as much as a write (docs/performance/notes.md), and mostly for nothing: the
// deadline is moved again before anything is read or written.
type connection struct {
	net.Conn
	reading, writing limit
	joint            *joint // nil: what is written need not wait

	idle     *Idle       // nil: it stays with its server
	fresh    bool        // nothing was read since it was opened, or since the last answer
	detached atomic.Bool // it is another server's
}

func newConnection(c net.Conn) *connection {
	return &connection{Conn: c, reading: limit{set: c.SetReadDeadline}, writing: limit{set: c.SetWriteDeadline}}
}

func (c *connection) Read(p []byte) (int, error) {
	waits := c.waits(p)
	for {
		if err := c.reading.begin(); err != nil {
			return 0, err
		}
		if waits && c.idle.detaching.Load() {
			c.reading.end(nil)
			c.detached.Store(true)
			return 0, os.ErrDeadlineExceeded // at which net/http closes a connection without a word
		}
		n, err := c.Conn.Read(p)
		if n > 0 {
			c.fresh = false
		}
		if !c.reading.end(err) {
			return n, err
		}
	}
}

func (c *connection) Write(p []byte) (n int, err error) {
	if j := c.joint; j != nil {
		if j.keep(p) {
			return len(p), nil
		}
		if j.held > 0 {
			return c.writeJoined(j, p)
		}
	}
	for {
		if err := c.writing.begin(); err != nil {
			return n, err
		}
		m, err := c.Conn.Write(p[n:])
		n += m
		if !c.writing.end(err) {
			return n, err
		}
	}
}

// SetDeadline sets both deadlines.
func (c *connection) SetDeadline(deadline time.Time) error {
	return errors.Join(c.reading.ask(deadline), c.writing.ask(deadline))
}

// SetReadDeadline sets the deadline of what is read, also of what is being read.
func (c *connection) SetReadDeadline(deadline time.Time) error { return c.reading.ask(deadline) }

// SetWriteDeadline sets the deadline of what is written, also of what is being written.
func (c *connection) SetWriteDeadline(deadline time.Time) error { return c.writing.ask(deadline) }

// Close closes the connection, unless it is another server's from now on. It may be called twice.
func (c *connection) Close() error {
	if c.idle != nil && c.idle.leave(c) {
		return nil
	}
	return c.Conn.Close()
}

// CloseWrite is how net/http ends a connection while the client still sends.
func (c *connection) CloseWrite() error { return closeWrite(c.Conn) }

// limit is a deadline of a connection, for what it reads or for what it writes. The
// connection below may have an earlier one: when that passes, nobody is told, and what was
// under way goes on.
type limit struct {
	set func(time.Time) error // sets that of the connection below

	mu     sync.Mutex // guards what follows
	asked  time.Time  // zero, as that of the connection below: none
	stands time.Time  // that of the connection below
	busy   int        // how many reads, or writes, are under way
}

// ask moves the deadline, also that of what is under way.
func (l *limit) ask(deadline time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked = deadline; l.busy == 0 {
		return nil
	}
	return l.hold()
}

// begin comes before a read or a write, and end after it.
func (l *limit) begin() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.hold(); err != nil {
		return err
	}
	l.busy++
	return nil
}

// rouse ends what is under way for a moment, after which it goes on.
func (l *limit) rouse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy > 0 {
		l.stands = time.Unix(1, 0)
		_ = l.set(l.stands) // one that is closed has nothing under way
	}
}

// end reports whether a read or a write that failed so has to go on: the deadline of the
// connection below has passed, and the one that was asked for has not.
func (l *limit) end(err error) (again bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy--
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	now := time.Now()
	if !l.asked.IsZero() && !l.asked.After(now) {
		return false
	}
	l.stands = now // it has passed, whatever the clock said of it
	return true
}

// hold sees to it that nothing waits past the deadline. The lock is held.
func (l *limit) hold() error {
	if l.stands.IsZero() && l.asked.IsZero() {
		return nil
	}
	early := l.asked.IsZero() || !l.asked.Before(l.stands)
	if early && l.stands.After(time.Now()) {
		return nil
	}
	l.stands = l.asked
	return l.set(l.asked)
}

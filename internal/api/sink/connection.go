package sink

import (
	"net"
	"net/http"
	"time"

	"signet/internal/api/output"
)

// patience is how long one write to a stream may take. A reader that is
// slower is closed: its events wait in the queue.
const patience = 10 * time.Second

// Output is how the bytes of server-sent events reach their client: an Answer or a Connection.
type Output interface {
	send(text []byte) error // all of it, within patience, or little more
	abort()
}

// Answer writes to the answer of a call.
type Answer struct {
	writer  *output.Writer
	control *http.ResponseController
	hijack  bool // the connection is to be hijacked
}

// Begin makes an answer one of server-sent events. hijack says that its connection is to be
// hijacked once the beginning is written, which takes HTTP/1.
func Begin(w *output.Writer, hijack bool) *Answer {
	h := w.Header()
	// Without a charset: JavaScript clients compare the whole value.
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	a := &Answer{writer: w, control: http.NewResponseController(w), hijack: hijack}
	// Nothing is to cut a stream but its own deadlines.
	_ = a.control.SetReadDeadline(time.Time{})
	return a
}

func (a *Answer) send(text []byte) error {
	if a.writer.Status == 0 && a.hijack {
		// This tells net/http to write what follows to the connection without framing it,
		// until the connection ends.
		a.writer.Header().Set("Transfer-Encoding", "identity")
	}
	if err := a.control.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := a.writer.Write(text); err != nil {
		return err
	}
	return a.control.Flush()
}

func (a *Answer) abort() {} // the server closes the connections of calls

// An event stream lasts for hours and does nothing most of the time. What net/http
// keeps for a call that runs (two buffers, two goroutines with the stacks that they
// once needed, the request) would be most of what a stream costs. So a stream of
// HTTP/1 hijacks its connection once its beginning is written: its call returns, and
// what stays is the connection and two goroutines with small stacks. One runs the
// stream, the other waits for the client to leave.

// strayBytes is how much a client may send that has nothing to say any more.
const strayBytes = 4 << 10

// Connection is that of a stream whose call has returned.
type Connection struct {
	net.Conn
	deadline time.Time     // of writes
	left     chan struct{} // closed when its reader has left
}

// NewConnection takes over a connection that was hijacked. One goroutine watches it, and
// another writes and ends it.
func NewConnection(hijacked net.Conn) *Connection {
	return &Connection{Conn: hijacked, left: make(chan struct{})}
}

// send writes all of a text. To set a deadline costs a good part of a write: one serves
// those of two seconds.
func (c *Connection) send(text []byte) error {
	if now := time.Now(); c.deadline.Sub(now) < patience {
		c.deadline = now.Add(patience + 2*time.Second)
		if err := c.SetWriteDeadline(c.deadline); err != nil {
			return err
		}
	}
	_, err := c.Write(text)
	return err
}

func (c *Connection) abort() { _ = c.Close() }

// Watch closes the stream when the client has left, or sends what it has no reason to.
func (c *Connection) Watch(stream interface{ Close() }) {
	defer close(c.left)
	var b [64]byte
	for n := 0; n < strayBytes; {
		m, err := c.Read(b[:])
		if n += m; err != nil {
			break
		}
	}
	stream.Close()
}

// End closes the connection, and waits for the one who watches it.
func (c *Connection) End() {
	_ = c.Close()
	<-c.left
}

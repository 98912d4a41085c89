package api

import (
	"net"
	"net/http"
	"time"

	"signet/internal/stream"
)

// An event stream lasts for hours and does nothing most of the time. What net/http
// keeps for a call that runs (two buffers, two goroutines with the stacks that they
// once needed, the request) would be most of what a stream costs. So a stream of
// HTTP/1 hijacks its connection once its beginning is written: its call returns, and
// what stays is the connection and two goroutines with small stacks. One runs the
// stream, the other waits for the client to leave.

// strayBytes is how much a client may send that has nothing to say any more.
const strayBytes = 4 << 10

// hijacked is the connection of a stream whose call has returned.
type hijacked struct {
	net.Conn
	deadline time.Time     // of writes
	left     chan struct{} // closed when its reader has left
}

// send writes all of a text. To set a deadline costs a good part of a write: one serves
// those of two seconds.
func (c *hijacked) send(text []byte) error {
	if now := time.Now(); c.deadline.Sub(now) < streamPatience {
		c.deadline = now.Add(streamPatience + 2*time.Second)
		if err := c.SetWriteDeadline(c.deadline); err != nil {
			return err
		}
	}
	_, err := c.Write(text)
	return err
}

func (c *hijacked) abort() { _ = c.Close() }

// runHijacked runs a stream on a connection that was hijacked. The call is over for its
// caller, and is counted and logged when the stream ends.
func (a *API) runHijacked(c *call, st *stream.Stream, conn net.Conn) {
	c.hijacked = true
	a.logOpened(c)
	out := &hijacked{Conn: conn, left: make(chan struct{})}
	sink, end := &eventSink{view: c.View, out: out}, c.ending()
	go out.watch(st)
	go st.Run(sink, func(err error) {
		_ = out.Close()
		<-out.left
		a.streamEnded(end(), err)
	})
}

// watch ends the stream when the client has left, or sends what it has no reason to.
func (c *hijacked) watch(st *stream.Stream) {
	defer close(c.left)
	var b [64]byte
	for n := 0; n < strayBytes; {
		m, err := c.Read(b[:])
		if n += m; err != nil {
			break
		}
	}
	st.Close()
}

// ending keeps of a call only what is told of it at its end.
func (c *call) ending() func() *call {
	endpoint, id, started, status, method, caller := c.endpoint, c.id, c.started, c.writer.Status, c.request.Method,
		c.caller
	return func() *call {
		over := &call{endpoint: endpoint, id: id, started: started, streamed: true, request: &http.Request{Method: method},
			caller: caller}
		over.writer.Status = status
		return over
	}
}

package api

import (
	"net"
	"net/http"
	"syscall"
	"time"

	"signet/internal/stream"
)

// An event stream lasts for hours and does nothing most of the time. What net/http
// keeps for a call that runs (two buffers, two goroutines with the stacks that they
// once needed, the request) would be most of what a stream costs. So a stream of
// HTTP/1 takes its connection over once its beginning is written: its call returns,
// and what stays is the stream, the connection, and a goroutine that waits for the
// client to leave.

// strayBytes is how much a client may send that has nothing to say any more.
const strayBytes = 4 << 10

// heldConnection is the connection of a stream whose call has returned.
type heldConnection struct {
	net.Conn
	raw  syscall.RawConn // nil: it cannot be written to without waiting, as TLS cannot
	left chan struct{}   // closed when nobody reads it any more
}

// send writes what the client has room for, as nearly always it has for all, and then
// waits for it with the rest. A deadline for each write would cost as much as the write.
func (c *heldConnection) send(text []byte, waits func()) error {
	n, err := tryWrite(c.raw, text)
	if err != nil || n == len(text) {
		return err
	}
	waits()
	if err := c.SetWriteDeadline(time.Now().Add(streamPatience)); err != nil {
		return err
	}
	if _, err := c.Write(text[n:]); err != nil || c.raw == nil {
		return err
	}
	return c.SetWriteDeadline(time.Time{}) // past one would fail what does not wait, too
}

func (c *heldConnection) abort() { _ = c.Close() }

// hold has a stream go on on a connection that was taken over. The call is over for
// its caller, and is counted and logged when the stream ends.
func (a *API) hold(c *call, st *stream.Stream, conn net.Conn) {
	c.held = true
	a.logOpened(c)
	held := &heldConnection{Conn: conn, raw: rawOf(conn), left: make(chan struct{})}
	end := c.ending()
	go held.watch(st)
	st.Follow(&eventSink{view: c.view, out: held}, func(err error) {
		_ = held.Close()
		<-held.left
		a.streamEnded(end(), err)
	})
}

// watch ends the stream when the client has left, or sends what it has no reason to.
func (c *heldConnection) watch(st *stream.Stream) {
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
	endpoint, id, started, status, method, caller := c.endpoint, c.id, c.started, c.writer.status, c.request.Method, c.caller
	return func() *call {
		over := &call{endpoint: endpoint, id: id, started: started, streamed: true, request: &http.Request{Method: method}, caller: caller}
		over.writer.status = status
		return over
	}
}

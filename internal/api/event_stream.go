package api

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/stream"
)

// streamPatience is how long one write to a stream may take. A reader that is
// slower is closed: its events wait in the queue.
const streamPatience = 10 * time.Second

// streamEvents writes the queue as server-sent events (contract, section 6).
func (a *API) streamEvents(ctx context.Context, c *call) (answer, error) {
	options := a.streamOptions(c)
	h := c.writer.Header()
	// Without a charset: JavaScript clients compare the whole value.
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	head := &headWriter{writer: &c.writer, control: http.NewResponseController(&c.writer),
		held: c.request.ProtoMajor == 1 && !options.CloseAfterMessages}
	// Nothing is to cut a stream but its own deadlines.
	_ = head.control.SetReadDeadline(time.Time{})
	st, err := a.streams.Open(ctx, c.actor, options, &eventSink{view: c.view, out: head})
	switch {
	case err != nil && c.writer.status == 0:
		return answer{}, err
	case st == nil:
		c.logged = err
		return streamed(), nil
	case head.held:
		if conn, _, err := c.writer.Hijack(); err == nil {
			a.hold(c, st, conn)
			return streamed(), nil
		}
	}
	a.logOpened(c)
	c.logged = st.Run(ctx)
	return streamed(), nil
}

// output is how the bytes of a stream reach its client.
type output interface {
	// send writes all of them, within streamPatience, and calls waits before it waits
	// for the client.
	send(text []byte, waits func()) error
	abort()
}

// headWriter writes to the answer of a call.
type headWriter struct {
	writer  *responseWriter
	control *http.ResponseController
	held    bool // the connection is to be taken over
}

func (w *headWriter) send(text []byte, waits func()) error {
	waits()
	if w.writer.status == 0 && w.held {
		// So that what follows is what is written to the connection, until that ends: this
		// is how net/http is told.
		w.writer.Header().Set("Transfer-Encoding", "identity")
	}
	if err := w.control.SetWriteDeadline(time.Now().Add(streamPatience)); err != nil {
		return err
	}
	if _, err := w.writer.Write(text); err != nil {
		return err
	}
	return w.control.Flush()
}

func (w *headWriter) abort() {} // the server closes the connections of calls

// eventSink writes events as unnamed server-sent events.
type eventSink struct {
	view   view
	out    output
	waits  func()
	buffer *bytes.Buffer // of what was given and is not written; nil: nothing was
}

// sinkBuffers are those of sinks that write at the moment: an idle stream has none.
var sinkBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// freeSinkBuffer gives one back.
func freeSinkBuffer(b *bytes.Buffer) {
	if b.Cap() <= keptBuffer {
		b.Reset()
		sinkBuffers.Put(b)
	}
}

// writePiece is how much is given to a sink before it writes by itself.
const writePiece = 32 << 10

// Event gives one event.
func (s *eventSink) Event(e model.Event) error {
	b := s.begin()
	text, err := s.view.appendServerSent(b.AvailableBuffer(), &e)
	b.Write(text)
	return s.given(err)
}

// Copy gives one that others get too. They share its text, unless it is muted, which
// is said in it.
func (s *eventSink) Copy(c *live.Copy, muted bool) error {
	if muted {
		return s.Event(muffled(c))
	}
	text, err := c.Text(s.view.serverSent)
	s.begin().Write(text)
	return s.given(err)
}

// muffled is a copy as somebody sees it who has muted its conversation.
func muffled(c *live.Copy) model.Event {
	e, m := c.Event, *c.Event.Message
	m.Muted, e.Message = true, &m
	return e
}

// Comment gives a sign that the stream is alive.
func (s *eventSink) Comment() error {
	s.begin().WriteString(": signet\n\n")
	return nil
}

func (s *eventSink) begin() *bytes.Buffer {
	if s.buffer == nil {
		s.buffer = sinkBuffers.Get().(*bytes.Buffer)
	}
	return s.buffer
}

func (s *eventSink) given(err error) error {
	if err != nil || s.buffer.Len() < writePiece {
		return err
	}
	return s.Flush()
}

// Flush writes what was given.
func (s *eventSink) Flush() error {
	b := s.buffer
	if b == nil {
		return nil
	}
	s.buffer = nil
	defer freeSinkBuffer(b)
	return s.out.send(b.Bytes(), s.waits)
}

// Waits has fn called before the sink waits for the client.
func (s *eventSink) Waits(fn func()) { s.waits = fn }

// Abort has a write fail.
func (s *eventSink) Abort() { s.out.abort() }

// appendServerSent appends an event. Only what is queued has an `id:` line: what is
// not can be no place to go on from.
func (v *view) appendServerSent(b []byte, e *model.Event) (_ []byte, err error) {
	if e.Queued {
		b = append(b, "id: "...)
		b = append(b, e.ID...)
		b = append(b, '\n')
	}
	b = append(b, "data: "...)
	if b, err = v.appendEvent(b, e); err != nil {
		return nil, err
	}
	return append(b, "\n\n"...), nil
}

// serverSent is an event alone.
func (v *view) serverSent(e *model.Event) ([]byte, error) {
	return v.appendServerSent(make([]byte, 0, usualEvent), e)
}

// streamEnded takes note of a stream that outlived its call, which is over now.
func (a *API) streamEnded(c *call, err error) {
	if fell, ok := errors.AsType[*stream.Panic](err); ok {
		a.metrics.panics.Inc()
		a.logger.LogAttrs(context.Background(), slog.LevelError, "a stream panicked", slog.String("request_id", c.id),
			slog.String("route", c.endpoint.label), slog.String("panic", model.PanicText(fell.Value)), slog.String("stack", string(fell.Stack)))
	}
	c.logged = err
	a.finish(c)
}

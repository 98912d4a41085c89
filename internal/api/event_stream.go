package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"signet/internal/api/output"
	"signet/internal/api/wire"
	"signet/internal/large"
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
		hijack: c.request.ProtoMajor == 1 && !options.CloseAfterMessages}
	sink := &eventSink{view: c.View, out: head}
	// Nothing is to cut a stream but its own deadlines.
	_ = head.control.SetReadDeadline(time.Time{})
	ctx = a.streamRoom(ctx, c)
	st, err := a.streams.Open(ctx, c.actor, options, sink)
	switch {
	case err != nil && c.writer.Status == 0:
		return answer{}, err
	case st == nil:
		c.logged = err
		return streamed(), nil
	case head.hijack:
		if conn, _, err := c.writer.Hijack(); err == nil {
			a.runHijacked(c, st, conn)
			return streamed(), nil
		}
	}
	a.logOpened(c)
	stop := context.AfterFunc(ctx, st.Close)
	defer stop()
	st.Run(sink, func(err error) { c.logged = err })
	return streamed(), nil
}

const (
	// streamRoom is what a stream takes of the memory of answers for some large events.
	streamRoom = 1 << 20
	// streamPause is how long it waits where there is none, before it asks again.
	streamPause = time.Second
)

// streamRoom returns the context of a stream whose large events wait for memory of answers.
func (a *API) streamRoom(ctx context.Context, c *call) context.Context {
	held := a.answers.Hold(c.actor.Key.Counter)
	ctx, _ = large.With(ctx, func(ctx context.Context) error {
		for held.Take(streamRoom) != nil {
			pause := time.NewTimer(streamPause)
			select {
			case <-pause.C:
			case <-ctx.Done():
				pause.Stop()
				return ctx.Err()
			}
		}
		return nil
	}, held.Release)
	return ctx
}

// outlet is how the bytes of a stream reach its client.
type outlet interface {
	send(text []byte) error // all of it, within streamPatience, or little more
	abort()
}

// headWriter writes to the answer of a call.
type headWriter struct {
	writer  *output.Writer
	control *http.ResponseController
	hijack  bool // the connection is to be hijacked
}

func (w *headWriter) send(text []byte) error {
	if w.writer.Status == 0 && w.hijack {
		// This tells net/http to write what follows to the connection without framing it,
		// until the connection ends.
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
	view   wire.View
	out    outlet
	buffer *bytes.Buffer // of what was added and is not written; nil: nothing was
}

// sinkBuffers are those of sinks that write at the moment: an idle stream has none.
var sinkBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// freeSinkBuffer gives one back.
func freeSinkBuffer(b *bytes.Buffer) {
	if b.Cap() <= output.KeptBuffer {
		b.Reset()
		sinkBuffers.Put(b)
	}
}

// writePiece is how much is added to a sink before it writes by itself.
const writePiece = 32 << 10

// Event adds one event.
func (s *eventSink) Event(e *model.Event) error {
	b := s.begin()
	text, err := s.view.AppendEvent(appendBeforeData(b.AvailableBuffer(), e), e)
	if err != nil {
		return err
	}
	b.Write(append(text, "\n\n"...))
	return s.added()
}

// Shared adds one that others get too.
func (s *eventSink) Shared(e *live.Event) error {
	text, err := e.JSON(s.view.EventJSON)
	if err != nil {
		return err
	}
	b := s.begin()
	b.Write(appendBeforeData(b.AvailableBuffer(), &e.Event))
	b.Write(text)
	b.WriteString("\n\n")
	return s.added()
}

// appendBeforeData appends the lines before an event's JSON. Only queued events have an
// `id:` line: a client cannot resume after one that is not in the queue.
func appendBeforeData(b []byte, e *model.Event) []byte {
	if e.Queued {
		b = append(append(append(b, "id: "...), e.ID...), '\n')
	}
	return append(b, "data: "...)
}

// Comment adds a sign that the stream is alive.
func (s *eventSink) Comment() error {
	s.begin().WriteString(": signet\n\n")
	return nil
}

// Retry adds the line that names a pause, to the event that follows.
func (s *eventSink) Retry(after time.Duration) error {
	fmt.Fprintf(s.begin(), "retry: %d\n", after.Milliseconds())
	return nil
}

func (s *eventSink) begin() *bytes.Buffer {
	if s.buffer == nil {
		s.buffer = sinkBuffers.Get().(*bytes.Buffer)
	}
	return s.buffer
}

func (s *eventSink) added() error {
	if s.buffer.Len() < writePiece {
		return nil
	}
	return s.Flush()
}

// Flush writes what was added.
func (s *eventSink) Flush() error {
	b := s.buffer
	if b == nil {
		return nil
	}
	s.buffer = nil
	defer freeSinkBuffer(b)
	return s.out.send(b.Bytes())
}

// Abort makes a write fail.
func (s *eventSink) Abort() { s.out.abort() }

// streamEnded takes note of a stream that outlived its call, which is over now.
func (a *API) streamEnded(c *call, err error) {
	if fell, ok := errors.AsType[*stream.Panic](err); ok {
		a.metrics.panics.Inc()
		a.logger.LogAttrs(context.Background(), slog.LevelError, "a stream panicked", slog.String("request_id", c.id),
			slog.String("route", c.endpoint.label), slog.String("panic", model.PanicText(fell.Value)),
			slog.String("stack", string(fell.Stack)))
	}
	c.logged = err
	a.finish(c)
}

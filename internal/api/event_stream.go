package api

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"signet/internal/model"
)

// streamPatience is how long one write to a stream may take. A reader that is
// slower is closed: its events wait in the queue.
const streamPatience = 10 * time.Second

// streamEvents writes the queue as server-sent events (contract, section 6).
func (a *API) streamEvents(ctx context.Context, c *call) (answer, error) {
	options := a.streamOptions(c)
	h := c.writer.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no")
	sink := &eventStream{api: a, writer: &c.writer, control: http.NewResponseController(&c.writer)}
	// Nothing is to cut a stream but its own deadlines.
	_ = sink.control.SetReadDeadline(time.Time{})
	err := a.service.Stream(ctx, c.actor, options, sink)
	if err != nil && c.writer.status == 0 {
		return answer{}, err
	}
	c.logged = err
	return streamed(), nil
}

// eventStream writes events as unnamed server-sent events.
type eventStream struct {
	api     *API
	writer  *responseWriter
	control *http.ResponseController
	buffer  bytes.Buffer
}

// Event writes one event. Only what is queued has an `id:` line: what is not can
// be no place to go on from.
func (s *eventStream) Event(e model.Event) error {
	s.buffer.Reset()
	if e.Queued {
		s.buffer.WriteString("id: ")
		s.buffer.WriteString(e.ID)
		s.buffer.WriteByte('\n')
	}
	s.buffer.WriteString("data: ")
	text, err := s.api.appendEvent(s.buffer.AvailableBuffer(), &e)
	if err != nil {
		return err
	}
	s.buffer.Write(text)
	s.buffer.WriteString("\n\n")
	return s.flush()
}

// Comment shows that the stream is alive.
func (s *eventStream) Comment() error {
	s.buffer.Reset()
	s.buffer.WriteString(": signet\n\n")
	return s.flush()
}

func (s *eventStream) flush() error {
	if err := s.control.SetWriteDeadline(time.Now().Add(streamPatience)); err != nil {
		return err
	}
	if _, err := s.writer.Write(s.buffer.Bytes()); err != nil {
		return err
	}
	return s.control.Flush()
}

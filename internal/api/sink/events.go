package sink

import (
	"bytes"
	"fmt"
	"sync"
	"time"

	"signet/internal/api/output"
	"signet/internal/api/wire"
	"signet/internal/live"
	"signet/internal/model"
)

// Events writes events as unnamed server-sent events.
type Events struct {
	view   wire.View
	out    Output
	buffer *bytes.Buffer // of what was added and is not written; nil: nothing was
}

// NewEvents makes a sink of events.
func NewEvents(view wire.View, out Output) *Events { return &Events{view: view, out: out} }

// buffers are those of sinks that write at the moment: an idle stream has none.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// free gives a buffer back.
func free(b *bytes.Buffer) {
	if b.Cap() <= output.KeptBuffer {
		b.Reset()
		buffers.Put(b)
	}
}

// writePiece is how much is added to a sink before it writes by itself.
const writePiece = 32 << 10

// Event adds one event.
func (s *Events) Event(e *model.Event) error {
	b := s.begin()
	text, err := s.view.AppendEvent(appendBeforeData(b.AvailableBuffer(), e), e)
	if err != nil {
		return err
	}
	b.Write(append(text, "\n\n"...))
	return s.added()
}

// Shared adds one that others get too.
func (s *Events) Shared(e *live.Event) error {
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
func (s *Events) Comment() error {
	s.begin().WriteString(": signet\n\n")
	return nil
}

// Retry adds the line that names a pause, to the event that follows.
func (s *Events) Retry(after time.Duration) error {
	fmt.Fprintf(s.begin(), "retry: %d\n", after.Milliseconds())
	return nil
}

func (s *Events) begin() *bytes.Buffer {
	if s.buffer == nil {
		s.buffer = buffers.Get().(*bytes.Buffer)
	}
	return s.buffer
}

func (s *Events) added() error {
	if s.buffer.Len() < writePiece {
		return nil
	}
	return s.Flush()
}

// Flush writes what was added.
func (s *Events) Flush() error {
	b := s.buffer
	if b == nil {
		return nil
	}
	s.buffer = nil
	defer free(b)
	return s.out.send(b.Bytes())
}

// Abort makes a write fail.
func (s *Events) Abort() { s.out.abort() }

package stream

import (
	"context"
	"sync"

	"signet/internal/access"
	"signet/internal/model"
	"signet/internal/service"
)

// Streams opens event streams, and knows the open ones of this server.
type Streams struct {
	registry *Registry
	access   *access.Control
	cases    *service.Service

	mu       sync.Mutex // guards all below, and which sink a stream has
	open     map[*Stream]struct{}
	auditing map[model.AccountID][]*auditStream // the oldest first
	empty    chan struct{}                      // closed when none is open any more; nil: nothing waits for that
}

// New returns streams of the queues that the use cases read.
func New(registry *Registry, control *access.Control, cases *service.Service) *Streams {
	return &Streams{registry: registry, access: control, cases: cases, open: map[*Stream]struct{}{},
		auditing: map[model.AccountID][]*auditStream{}}
}

func (s *Streams) add(st *Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[st] = struct{}{}
}

func (s *Streams) remove(st *Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, st)
	if len(s.open) == 0 && s.empty != nil {
		close(s.empty)
		s.empty = nil
	}
}

// use gives a stream the sink that it writes to from now on.
func (s *Streams) use(st *Stream, sink Sink) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st.sink = sink
}

// Await waits until no event stream is open, or ctx ends, and returns how many are
// open then. Streams that the hub has ended may still be saying goodbye.
func (s *Streams) Await(ctx context.Context) int {
	for {
		s.mu.Lock()
		left := len(s.open)
		if left > 0 && s.empty == nil {
			s.empty = make(chan struct{})
		}
		empty := s.empty
		s.mu.Unlock()
		if left == 0 {
			return 0
		}
		select {
		case <-empty:
		case <-ctx.Done():
			return left
		}
	}
}

// Cut ends all event streams without a word.
func (s *Streams) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for st := range s.open {
		st.Close()
		st.sink.Abort()
	}
}

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

	mu       sync.Mutex                         // guards all below, and which sink a stream has
	open     map[*Stream]bool                   // true: it has written its last words
	speaking int                                // how many of them have not
	auditing map[model.AccountID][]*auditStream // the oldest first
	fewer    chan struct{}                      // closed once none is speaking, or open; nil: nothing waits for that
}

// New returns streams of the queues that the use cases read.
func New(registry *Registry, control *access.Control, cases *service.Service) *Streams {
	return &Streams{registry: registry, access: control, cases: cases, open: map[*Stream]bool{},
		auditing: map[model.AccountID][]*auditStream{}}
}

func (s *Streams) add(st *Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[st] = false
	s.speaking++
}

// part notes that a stream has written its last words.
func (s *Streams) part(st *Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hush(st)
}

func (s *Streams) remove(st *Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hush(st)
	delete(s.open, st)
	s.tell()
}

// hush takes a stream from those that speak. The lock is held.
func (s *Streams) hush(st *Stream) {
	if !s.open[st] {
		s.open[st] = true
		s.speaking--
		s.tell()
	}
}

// tell wakes those who wait, once there may be what they wait for. The lock is held.
func (s *Streams) tell() {
	if s.fewer != nil && (s.speaking == 0 || len(s.open) == 0) {
		close(s.fewer)
		s.fewer = nil
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
	return s.await(ctx, func() int { return len(s.open) })
}

// AwaitLastWords waits until each event stream that is open has written its last words, or ctx ends,
// and returns how many have not. Those that have need the store no more: what is left of a
// WebSocket is to hear its client's goodbye, which one that is gone does not say.
func (s *Streams) AwaitLastWords(ctx context.Context) int {
	return s.await(ctx, func() int { return s.speaking })
}

// await waits until count is 0, or ctx ends, and returns what it is then.
func (s *Streams) await(ctx context.Context, count func() int) int {
	for {
		s.mu.Lock()
		left := count()
		if left > 0 && s.fewer == nil {
			s.fewer = make(chan struct{})
		}
		fewer := s.fewer
		s.mu.Unlock()
		if left == 0 {
			return 0
		}
		select {
		case <-fewer:
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

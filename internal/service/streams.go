package service

import (
	"context"
	"sync"
)

// streams are the open ones of this server.
type streams struct {
	mu    sync.Mutex // guards all below
	open  map[*Stream]struct{}
	empty chan struct{} // closed when none is open any more; nil: nobody waits for that
}

func (o *streams) add(st *Stream) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open == nil {
		o.open = map[*Stream]struct{}{}
	}
	o.open[st] = struct{}{}
}

func (o *streams) remove(st *Stream) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.open, st)
	if len(o.open) == 0 && o.empty != nil {
		close(o.empty)
		o.empty = nil
	}
}

// AwaitStreams waits until no event stream is open, or ctx ends, and returns how many
// are open then. Streams that the hub has ended may still be saying goodbye.
func (s *Service) AwaitStreams(ctx context.Context) int {
	o := &s.streams
	for {
		o.mu.Lock()
		left := len(o.open)
		if left > 0 && o.empty == nil {
			o.empty = make(chan struct{})
		}
		empty := o.empty
		o.mu.Unlock()
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

// CutStreams ends all event streams without a word.
func (s *Service) CutStreams() {
	s.streams.mu.Lock()
	defer s.streams.mu.Unlock()
	for st := range s.streams.open {
		st.Close()
		if following := st.following.Load(); following != nil {
			(*following).Abort()
		}
	}
}

package service

import (
	"context"
	"sync/atomic"

	"signet/internal/store"
)

// counting has those who count what is unread take turns while the sweep is behind. Each of them looks at every
// message that has ended and is not swept: all together they would leave it no processor, and so have more to look at.
type counting struct {
	behind atomic.Bool
	turn   chan struct{} // holds what whoever counts takes, and puts back
}

func newCounting() *counting {
	c := &counting{turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	return c
}

// SweepBehind is told when very many messages are to be swept, and when that is done.
func (s *Service) SweepBehind(behind bool) { s.counting.behind.Store(behind) }

// viewCounting is View of a function that asks for what ended messages make of counts (UnsweptUnread).
func (s *Service) viewCounting(ctx context.Context, fn func(*store.Tx) error, traits ...store.Trait) error {
	if c := s.counting; c.behind.Load() {
		select {
		case <-c.turn:
			defer func() { c.turn <- struct{}{} }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.store.View(ctx, fn, traits...)
}

package sqlite

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"signet/internal/store"
)

// maxShared is how many calls share a snapshot at most: more gain nothing, and the
// last would wait for all before it.
const maxShared = 16

// errAlone tells a caller to run its function on a snapshot of its own.
var errAlone = errors.New("run alone")

// sharing is where short calls of View meet.
type sharing struct {
	mu   sync.Mutex
	next *batch // that still takes others; nil: the next call begins one
}

// batch is the calls that share a snapshot. The caller that began it runs all of
// them.
type batch struct{ others []*request }

// enter adds r to the next batch. Where there is none, it returns a new one, which the
// caller is to run.
func (s *sharing) enter(r *request) (own *batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil && len(s.next.others) < maxShared-1 {
		s.next.others = append(s.next.others, r)
		return nil
	}
	s.next = &batch{}
	return s.next
}

// close ends a batch and returns its requests.
func (s *sharing) close(own *batch) []*request {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == own {
		s.next = nil
	}
	return own.others
}

// share runs a short View: those that are ready at the same time share a snapshot, which
// costs as much as a short statement. The first of them runs the functions of all, one
// after the other. One that has started is not interrupted when its caller leaves.
// Without it an unread count takes 10 % more CPU, and a poll of 50 4 to 13 % more, at 16
// and at 64 connections (medians of six alternating runs of two seconds).
func (e *Engine) share(ctx context.Context, fn func(store.Session) error) error {
	r := newRequest(ctx, fn)
	own := e.sharing.enter(r)
	if own == nil {
		err := r.wait(ctx)
		if errors.Is(err, errAlone) {
			return e.view(ctx, fn)
		}
		return err
	}
	r.release()
	runtime.Gosched()     // those who are ready enter
	c := <-e.readers.free // others wait, whatever becomes of this caller
	defer func() { e.readers.free <- c }()
	others := e.sharing.close(own)
	e.meters.Reads.Observe(int64(len(others) + 1))
	return c.view(ctx, others, fn)
}

// show runs the functions of others in the transaction that is open.
func (c *connection) show(others []*request) {
	defer func() { // where one of them ended this goroutine
		for _, r := range others {
			if r.start() {
				r.answer(errAlone)
			}
		}
	}()
	for len(others) > 0 {
		r := others[0]
		others = others[1:]
		if r.start() {
			c.showTo(r)
		}
	}
}

// showTo runs the function of one. Where it panics, its caller is to see the panic: it
// panics again in the caller's goroutine.
func (c *connection) showTo(r *request) {
	err := errAlone
	defer func() {
		if recover() != nil {
			err = errAlone
		}
		r.answer(err)
	}()
	if !c.inTransaction() { // an error of another one ended it
		return
	}
	s := &session{c: c, ctx: r.ctx}
	defer s.end()
	err = r.fn(s)
}

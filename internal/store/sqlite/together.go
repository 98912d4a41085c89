package sqlite

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"signet/internal/store"
)

// maxTogether is how many calls share a snapshot at most: more gain nothing, and the
// last would wait for all before it.
const maxTogether = 16

// errAlone tells a caller to run its function in a transaction of its own.
var errAlone = errors.New("run alone")

// sharing is where calls of ViewTogether meet.
type sharing struct {
	mu   sync.Mutex
	next *snapshot // that may still be joined; nil: who comes now begins one
}

// snapshot is one that is shared: by who began it, and carries it out, and by others.
type snapshot struct{ others []*request }

// join has r share the next snapshot. Where it is the first, it is to begin that one,
// which is returned.
func (s *sharing) join(r *request) (own *snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil && len(s.next.others) < maxTogether-1 {
		s.next.others = append(s.next.others, r)
		return nil
	}
	s.next = &snapshot{}
	return s.next
}

// begin returns who shares a snapshot. Nobody joins it any more.
func (s *sharing) begin(own *snapshot) []*request {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == own {
		s.next = nil
	}
	return own.others
}

// ViewTogether is View for short ones that are many: those that are ready at the same
// time share a snapshot, which costs as much as a short statement. Who was there first
// runs the functions of all, one after the other. One that has started is not
// interrupted when its caller leaves.
func (e *Engine) ViewTogether(ctx context.Context, fn func(store.Session) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := e.enter(); err != nil {
		return err
	}
	defer e.running.Done()
	r := newRequest(ctx, fn)
	own := e.sharing.join(r)
	if own == nil {
		err := r.wait(ctx)
		if errors.Is(err, errAlone) {
			return e.view(ctx, fn)
		}
		return err
	}
	r.release()
	runtime.Gosched()     // those who are ready join
	c := <-e.readers.free // others wait, whatever becomes of this caller
	defer func() { e.readers.free <- c }()
	others := e.sharing.begin(own)
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

// showTo runs the function of one. Where it panics, its caller is to see that: it does so
// again in the caller's goroutine.
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

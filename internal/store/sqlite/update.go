package sqlite

import (
	"context"
	"sync"
	"sync/atomic"

	"signet/internal/store"
)

// request is a call on its way to the goroutine that runs it: of Update to the
// writer, of a short View to another caller.
type request struct {
	ctx  context.Context
	fn   func(store.Session) error
	err  error
	done chan struct{} // receives once, when err is final

	told  telling
	state atomic.Int32
}

// telling is what is called where a request took effect: before it is answered, and after.
// Both are nil where nobody is told.
type telling struct {
	done func(beside bool)
	then func()
}

// The states of a request. Who moves it on from waiting decides: it is started, or its
// caller gives up.
const (
	waiting int32 = iota
	started
	abandoned
)

// requests are used again, but for those that were abandoned, which are still waited
// for in line.
var requests = sync.Pool{New: func() any { return &request{done: make(chan struct{}, 1)} }}

// Update runs fn in a transaction and returns nil only when what fn wrote is on
// disk. fn runs on the writer's goroutine, three times at most, and while it runs
// nothing else is written: it must not wait for anything, and never for another
// Update. A panic in fn is returned as a *store.PanicError. All that wait share a
// transaction, whatever their traits.
func (e *Engine) Update(ctx context.Context, fn func(store.Session) error, _ ...store.Trait) error {
	if err := e.gate.Enter(ctx); err != nil {
		return err
	}
	defer e.gate.Leave()
	r := newRequest(ctx, fn)
	select {
	case e.writer.requests <- r:
	case <-ctx.Done():
		return ctx.Err()
	}
	return r.wait(ctx)
}

func newRequest(ctx context.Context, fn func(store.Session) error) *request {
	r := requests.Get().(*request)
	r.ctx, r.fn = ctx, fn
	r.state.Store(waiting)
	return r
}

// wait returns how it ended, or that its caller gave up. The request is used again.
func (r *request) wait(ctx context.Context) error {
	select {
	case <-r.done:
	case <-ctx.Done():
		if r.state.CompareAndSwap(waiting, abandoned) {
			return ctx.Err()
		}
		<-r.done
	}
	err := r.err
	r.release()
	return err
}

func (r *request) release() {
	r.ctx, r.fn, r.err, r.told = nil, nil, nil, telling{}
	requests.Put(r)
}

// start claims the request for running it. It is false for a request with no caller
// waiting any more, which is answered if need be.
func (r *request) start() bool {
	if !r.state.CompareAndSwap(waiting, started) {
		return false
	}
	if err := r.ctx.Err(); err != nil {
		r.answer(err)
		return false
	}
	return true
}

// answer tells the caller how it ended. The request is the caller's again.
func (r *request) answer(err error) {
	r.err = err
	r.done <- struct{}{}
}

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"signet/internal/store"
)

// readers is the pool of connections that Views read through. The goroutine that
// takes a connection out of free is its only user until it puts it back.
type readers struct {
	free chan *connection
}

// View runs fn on a consistent snapshot. It waits for a free connection; when
// ctx ends, it stops waiting, and the statement that runs is interrupted. A
// panic in fn goes on to the caller. Short ones that are ready at the same time share
// a snapshot (share.go).
func (e *Engine) View(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	if err := e.gate.Enter(ctx); err != nil {
		return err
	}
	defer e.gate.Leave()
	if slices.Contains(traits, store.Short) {
		return e.share(ctx, fn)
	}
	return e.view(ctx, fn)
}

// view is View within a call that has entered.
func (e *Engine) view(ctx context.Context, fn func(store.Session) error) error {
	var c *connection
	select {
	case c = <-e.readers.free:
	default:
		select {
		case c = <-e.readers.free:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer func() { e.readers.free <- c }()
	return c.view(ctx, nil, fn)
}

// view runs fn on a snapshot, and before it the functions of others that share it.
func (c *connection) view(ctx context.Context, others []*request, fn func(store.Session) error) (err error) {
	// The snapshot is that of the first statement that reads, which is after
	// every Update that has returned.
	if err := c.run(c.begin); err != nil {
		err = fmt.Errorf("begin: %w", err)
		for _, r := range others {
			if r.start() {
				r.answer(err)
			}
		}
		return err
	}
	defer func() {
		if c.inTransaction() {
			err = errors.Join(err, c.run(c.commit))
		}
	}()
	c.show(others)
	if !c.inTransaction() { // an error of theirs ended it
		if err := c.run(c.begin); err != nil {
			return fmt.Errorf("begin: %w", err)
		}
	}
	s := &session{c: c, ctx: ctx}
	disarm := c.interruptWith(ctx)
	defer func() {
		s.end()
		disarm()
	}()
	return fn(s)
}

// interruptWith interrupts the connection's statements when ctx ends, until disarm is
// called, which leaves the connection fit for its next user.
func (c *connection) interruptWith(ctx context.Context) (disarm func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	fired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		close(c.interrupt)
		close(fired)
	})
	return func() {
		if !stop() {
			<-fired
			c.arm()
		}
	}
}

// gather takes all connections out of the pool, so that nothing is read, unless that takes
// longer than the patience given.
func (r *readers) gather(patience time.Duration) (gathered []*connection, ok bool) {
	late := time.After(patience)
	for len(gathered) < cap(r.free) {
		select {
		case c := <-r.free:
			gathered = append(gathered, c)
		case <-late:
			r.scatter(gathered)
			return nil, false
		}
	}
	return gathered, true
}

// scatter puts gathered connections back.
func (r *readers) scatter(gathered []*connection) {
	for _, c := range gathered {
		r.free <- c
	}
}

// close closes the connections; all must be back in the pool, or never have
// been put there.
func (r *readers) close() error {
	var errs []error
	for {
		select {
		case c := <-r.free:
			errs = append(errs, c.close())
		default:
			return errors.Join(errs...)
		}
	}
}

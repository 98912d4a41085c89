package client

import (
	"context"
	"sync"
	"time"
)

const (
	ackBatch = 50                     // so many are sent without waiting for more
	ackDelay = 100 * time.Millisecond // so long the first of a batch waits for others
	ackLast  = 3 * time.Second        // what the last batch may take when the stream has ended
)

// acknowledger acknowledges a stream's events behind the consumer's back, so
// that the consumer does not wait for it. What could not be acknowledged comes
// again with the next stream.
type acknowledger struct {
	c      *Client
	cancel context.CancelCauseFunc // ends the stream
	wake   chan struct{}           // something is pending
	stop   func()                  // closes stopped, once
	ended  chan struct{}           // its goroutine has returned

	mu      sync.Mutex // guards pending
	pending []string
}

// newAcknowledger starts the goroutine that close waits for. cancel is called
// when the server refuses acknowledgements for good.
func newAcknowledger(ctx context.Context, c *Client, cancel context.CancelCauseFunc) *acknowledger {
	stopped := make(chan struct{})
	a := &acknowledger{
		c:      c,
		cancel: cancel,
		wake:   make(chan struct{}, 1),
		stop:   sync.OnceFunc(func() { close(stopped) }),
		ended:  make(chan struct{}),
	}
	go a.run(ctx, stopped)
	return a
}

// add notes that the consumer is done with an event.
func (a *acknowledger) add(e Event) {
	if !e.Queued() {
		return
	}
	a.mu.Lock()
	a.pending = append(a.pending, e.ID)
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// close acknowledges what is pending, if that takes no more than ackLast, and
// waits for the goroutine. It may be called twice.
func (a *acknowledger) close() {
	a.stop()
	<-a.ended
}

func (a *acknowledger) run(ctx context.Context, stopped <-chan struct{}) {
	defer close(a.ended)
	var due <-chan time.Time // set while a batch gathers, or waits after a failure
	failures := 0
	for {
		select {
		case <-stopped:
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), ackLast)
			defer cancel()
			_ = a.flush(last) // too late to tell; unacknowledged events come again
			return
		case <-a.wake:
			if failures > 0 || a.count() < ackBatch {
				if due == nil {
					due = time.After(ackDelay)
				}
				continue
			}
		case <-due:
		}
		due = nil
		err := a.flush(ctx)
		switch {
		case err == nil || ctx.Err() != nil:
			failures = 0
		case passing(err):
			failures++
			due = time.After(streamRetry.delay(failures))
		default:
			a.cancel(err)
			failures = 0
		}
	}
}

func (a *acknowledger) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.pending)
}

// flush acknowledges what is pending now.
func (a *acknowledger) flush(ctx context.Context) error {
	a.mu.Lock()
	ids := a.pending[:len(a.pending):len(a.pending)]
	a.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	if err := a.c.Ack(ctx, ids...); err != nil {
		return err
	}
	a.mu.Lock()
	a.pending = a.pending[len(ids):]
	a.mu.Unlock()
	return nil
}

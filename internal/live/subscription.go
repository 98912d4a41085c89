package live

import (
	"sync/atomic"

	"signet/internal/model"
)

// Reason says why a subscription was ended from outside. The zero reason is none.
type Reason int

const (
	Replaced Reason = iota + 1 // the account opened more streams than it may have
	Deleted                    // DELETE /events
	Revoked                    // the key or the membership that opened it is no more
	Slow                       // the reader did not keep up with live signals
	Shutdown                   // the server stops: connect again, to it or to another
)

// signalBuffer is how many live signals wait for one reader. They are many only
// for a reader that does not read.
const signalBuffer = 256

// Subscriber says who reads.
type Subscriber struct {
	Account       model.AccountID
	Key           string
	Organizations []model.OrganizationID // where the account belonged at the opening
	Stream        bool                   // counts towards the account's streams; a waiting poll does not
	ID            model.StreamID         // of a stream, among those of all nodes
	Features      []string               // of the live signals that it wants
}

// Subscription is one reader of an account's queue: a stream, or a waiting poll.
type Subscription struct {
	Subscriber
	hub     *Hub
	seen    atomic.Int64
	wake    chan struct{}
	signals chan model.Event
	done    chan struct{}
	reason  Reason // set before done is closed
}

// Wake returns a channel that receives when the queue may have something new.
// Several wake-ups may be one.
func (s *Subscription) Wake() <-chan struct{} { return s.wake }

// Signals returns the live signals; it is nil, and so never ready, for a poll.
func (s *Subscription) Signals() <-chan model.Event { return s.signals }

// Done is closed when the subscription was ended from outside or closed.
func (s *Subscription) Done() <-chan struct{} { return s.done }

// Reason says why the subscription ended. It is read after Done is closed.
func (s *Subscription) Reason() Reason { return s.reason }

// Saw notes up to which position the reader has read the queue, so that it is not
// woken for what it has.
func (s *Subscription) Saw(position int64) { s.seen.Store(position) }

// Close ends the subscription from the reader's side; it may be called twice.
func (s *Subscription) Close() { s.End(0) }

// End ends the subscription, unless it has ended.
func (s *Subscription) End(why Reason) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.hub.remove(s, why)
}

// rouse wakes the reader, if it is not awake already.
func (s *Subscription) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Subscription) end(why Reason) {
	s.reason = why
	close(s.done)
}

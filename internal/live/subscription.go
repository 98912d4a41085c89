package live

import (
	"sync"
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

// signalBuffer is how many live signals wait for one reader, and feedBuffer how many
// copies. They are many only for a reader that does not read.
const (
	signalBuffer = 256
	feedBuffer   = 256
)

// Subscriber says who reads.
type Subscriber struct {
	Account       model.AccountID
	Key           string
	Secret        model.SecretMark       // the one of the key's that opened it
	Organizations []model.OrganizationID // where the account belonged at the opening
	Stream        bool                   // counts towards the account's streams; a waiting poll does not
	ID            model.StreamID         // of a stream, among those of all nodes
	Features      []string               // of the live signals that it wants

	// Notify is called when there is something to Take, in place of what Wake and Done
	// return. It is called under locks, and so neither waits nor calls back.
	Notify func()
}

// Subscription is one reader of an account's queue: a stream, or a waiting poll.
type Subscription struct {
	Subscriber
	hub  *Hub
	seen atomic.Int64
	wake chan struct{} // nil where there is Notify, as done
	done chan struct{}

	mu      sync.Mutex // guards what follows; comes after the hub's
	pending Pending
}

// Pending is what a reader has been told and has not taken yet.
type Pending struct {
	Look    bool          // the queue is to be read: it has what is not among the copies, or no longer has what is
	Copies  []*Copy       // what was queued, in order, where Look is not set
	Signals []model.Event // live events
	Ended   bool          // the subscription has ended
	Reason  Reason        // why
}

// Take returns what the reader was told since the last time.
func (s *Subscription) Take() Pending {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.pending
	s.pending = Pending{Ended: out.Ended, Reason: out.Reason}
	return out
}

// Current reports whether a copy that was taken is still what the queue holds at its
// place: nothing was withdrawn from any queue since, and the reader is not to look.
func (s *Subscription) Current(c *Copy) bool {
	if c.era != s.hub.era.Load() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.pending.Look && !s.pending.Ended
}

// Wake returns a channel that receives when the queue may have something new.
// Several wake-ups may be one.
func (s *Subscription) Wake() <-chan struct{} { return s.wake }

// Done is closed when the subscription was ended from outside or closed.
func (s *Subscription) Done() <-chan struct{} { return s.done }

// Reason says why the subscription ended. It is 0 before.
func (s *Subscription) Reason() Reason {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending.Reason
}

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

// rouse has the reader look at its queue. The copies that wait are part of that.
func (s *Subscription) rouse() {
	s.mu.Lock()
	s.pending.Look, s.pending.Copies = true, nil
	s.mu.Unlock()
	s.tell()
}

// give passes on a copy of what was queued, or nil for what is to be looked up. To a
// reader that is to look anyway, or that does not take what it has, it only says so. It
// reports whether the reader has to be told: one that has not taken what came before
// was told of that.
func (s *Subscription) give(c *Copy) (tell bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &s.pending
	tell = s.Notify == nil || !p.Look && len(p.Copies) == 0
	switch {
	case p.Look:
	case s.Notify == nil || c == nil || len(p.Copies) == feedBuffer:
		p.Look, p.Copies = true, nil
	default:
		p.Copies = append(p.Copies, c)
	}
	return tell
}

// signal passes on a live event; it reports false where too many wait.
func (s *Subscription) signal(e model.Event) bool {
	s.mu.Lock()
	room := len(s.pending.Signals) < signalBuffer
	if room {
		s.pending.Signals = append(s.pending.Signals, e)
	}
	s.mu.Unlock()
	if room {
		s.tell()
	}
	return room
}

func (s *Subscription) end(why Reason) {
	s.mu.Lock()
	s.pending.Ended, s.pending.Reason, s.pending.Copies = true, why, nil
	s.mu.Unlock()
	if s.Notify != nil {
		s.Notify()
		return
	}
	close(s.done)
}

// tell says that there is something.
func (s *Subscription) tell() {
	if s.Notify != nil {
		s.Notify()
		return
	}
	select {
	case s.wake <- struct{}{}:
	default: // it has been told
	}
}

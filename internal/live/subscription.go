package live

import (
	"slices"
	"sync"
	"sync/atomic"

	"signet/internal/model"
)

// Reason says why a subscription was ended from outside. The zero reason is none.
type Reason int

const (
	Replaced Reason = iota + 1 // the account opened more streams than it may have: the client is to wait
	Deleted                    // DELETE /events
	Revoked                    // the key or the membership that opened it is no more
	Slow                       // the reader did not keep up with live signals
	Shutdown                   // the server stops: connect again, to it or to another
)

// buffer is how many events and live signals wait for one reader. They are many only for a
// reader that does not read.
const buffer = 256

// Subscriber says who reads.
type Subscriber struct {
	Account  model.AccountID
	Key      string
	Secret   model.SecretMark     // the one of the key's that opened it
	Scope    model.OrganizationID // of the key
	Member   bool                 // the key served in some organization at the opening
	Stream   bool                 // counts towards the account's streams; a waiting poll does not
	ID       model.StreamID       // of a stream, among those of all nodes
	Features []string             // of the live signals that it wants
}

// hears reports whether the subscriber wants the live signals of a feature; empty are those
// for all streams.
func (s *Subscriber) hears(feature string) bool {
	return s.Stream && (feature == "" || slices.Contains(s.Features, feature))
}

// topics are what a subscriber hears of. That of all its readers is the last: once the
// bus has told them that it listens, it does for the others too.
func (s *Subscriber) topics() (out []Topic) {
	for _, feature := range features {
		if s.Stream && slices.Contains(s.Features, feature) {
			out = append(out, Topic{s.Account, feature})
		}
	}
	return append(out, Topic{Account: s.Account})
}

// Subscription is one reader of an account's queue: a stream, or a waiting poll.
type Subscription struct {
	Subscriber
	hub    *Hub
	number uint64 // of those of the hub
	seen   atomic.Int64
	wake   chan struct{}
	done   chan struct{}

	mu      sync.Mutex // guards what follows; comes after the hub's
	pending Pending
	due     bool // the hub wakes the reader for what it was fed, with WakeFed
	ended   bool
	reason  Reason
}

// Pending is what a reader has been told and has not taken yet.
type Pending struct {
	Look  bool   // the queue is to be read: it has what is not among the items, or no longer has what is
	Items []Item // in the order of their coming: who types and then writes does not type afterwards
}

// Item is one of two, which all readers share: what was queued, where there is no need to
// Look, or a live event.
type Item struct {
	Event  *Event
	Signal *Signal
}

// Signals returns the live events among items.
func Signals(items []Item) (out []*Signal) {
	for _, item := range items {
		if item.Signal != nil {
			out = append(out, item.Signal)
		}
	}
	return out
}

// Take returns what the reader was told since the last time: nothing where the
// subscription has ended.
func (s *Subscription) Take() Pending {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.pending
	s.pending = Pending{}
	return out
}

// TakeSignals returns the live events alone. Whoever has read the queue takes with them all
// that came before what was read.
func (s *Subscription) TakeSignals() []*Signal {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Signals(s.pending.Items)
	s.pending.Items = slices.DeleteFunc(s.pending.Items, func(i Item) bool { return i.Signal != nil })
	return out
}

// Current reports whether an event that was taken is still what the queue holds at its
// place: nothing was withdrawn from any queue since, and the reader is not to look.
func (s *Subscription) Current(e *Event) bool {
	if e.era != s.hub.era.Load() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.pending.Look && !s.ended
}

// Wake returns a channel that receives when there is something to Take.
// Several wake-ups may be one.
func (s *Subscription) Wake() <-chan struct{} { return s.wake }

// Done is closed when the subscription was ended from outside or closed.
func (s *Subscription) Done() <-chan struct{} { return s.done }

// Reason says why the subscription ended. It is 0 before.
func (s *Subscription) Reason() Reason {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason
}

// Saw notes up to which position the reader has read the queue, so that it is not
// woken for what it has. One that was woken for a position and found nothing there has read
// that far.
func (s *Subscription) Saw(position int64) {
	for {
		seen := s.seen.Load()
		if position <= seen || s.seen.CompareAndSwap(seen, position) {
			return
		}
	}
}

// Number is higher than those of all subscriptions that were opened before on this node.
func (s *Subscription) Number() uint64 { return s.number }

// Close ends the subscription from the reader's side; it may be called twice.
func (s *Subscription) Close() { s.End(0) }

// End ends the subscription, unless it has ended.
func (s *Subscription) End(why Reason) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.hub.remove(s, why)
}

// rouse wakes the reader to look at its queue.
func (s *Subscription) rouse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look()
	s.tell()
}

// look says that the queue is to be read, which includes the events that wait here. The
// lock is held.
func (s *Subscription) look() {
	s.pending.Look = true
	s.pending.Items = slices.DeleteFunc(s.pending.Items, func(i Item) bool { return i.Event != nil })
}

// give passes on an event, for which wakeFed wakes the reader: due is true once until then.
// A reader that is to look anyway finds the event there, and one that does not take what it
// has got, or a poll, is to look.
func (s *Subscription) give(e *Event) (due bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &s.pending
	switch {
	case p.Look:
	case !s.Stream || len(p.Items) == buffer:
		s.look()
	default:
		p.Items = append(p.Items, Item{Event: e})
	}
	return s.becomeDue()
}

// touch is give of what is to be read from the queue.
func (s *Subscription) touch() (due bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look()
	return s.becomeDue()
}

// becomeDue reports whether nobody has noted yet that the reader is to be woken. The lock is
// held.
func (s *Subscription) becomeDue() bool {
	already := s.due
	s.due = true
	return !already
}

// wakeFed wakes the reader for what it was fed, unless it has taken it in the meantime.
func (s *Subscription) wakeFed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due = false
	if s.pending.Look || len(s.pending.Items) > 0 {
		s.tell()
	}
}

// signal passes on a live event; it reports false where too many wait.
func (s *Subscription) signal(signal *Signal) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending.Items) == buffer {
		s.look() // at the events among them
	}
	if len(s.pending.Items) == buffer {
		return false
	}
	s.pending.Items = append(s.pending.Items, Item{Signal: signal})
	s.tell()
	return true
}

// end is called once, under the hub's lock.
func (s *Subscription) end(why Reason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending, s.ended, s.reason = Pending{}, true, why
	close(s.done)
}

// tell says that there is something to take.
func (s *Subscription) tell() {
	select {
	case s.wake <- struct{}{}:
	default: // it has been told
	}
}

// Package live wakes readers of event queues on this node and carries signals
// that are never stored: typing, presence, self-copies.
//
// It owns the open subscriptions and nothing else: what it says is a hint, the
// queue is the truth, and a lost wake-up loses no event. It does not know what
// an event means or how it is written to a client.
package live

import (
	"slices"
	"sync"

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

// Signal is a live event for the readers of one account.
type Signal struct {
	Event   model.Event
	Feature string // only for readers who asked for it; empty: for all
}

// Hub knows the open subscriptions of this node. It is safe for concurrent use.
type Hub struct {
	limit int

	mu       sync.Mutex // guards all below
	accounts map[model.AccountID][]*Subscription
	closed   bool
}

// NewHub returns a hub that lets an account have limit streams; 0 is no limit.
func NewHub(limit int) *Hub {
	return &Hub{limit: limit, accounts: map[model.AccountID][]*Subscription{}}
}

// Subscription is one reader of an account's queue: a stream, or a waiting poll.
type Subscription struct {
	hub      *Hub
	account  model.AccountID
	key      string
	stream   bool
	features []string
	wake     chan struct{}
	signals  chan model.Event
	done     chan struct{}
	reason   Reason // set before done is closed
}

// Subscriber says who reads.
type Subscriber struct {
	Account  model.AccountID
	Key      string
	Stream   bool     // counts towards the account's streams; a waiting poll does not
	Features []string // of the live signals that it wants
}

// Subscribe opens a subscription. Past the limit, the account's oldest stream
// ends. On a hub that was shut down the subscription has ended already.
func (h *Hub) Subscribe(who Subscriber) *Subscription {
	s := &Subscription{
		hub: h, account: who.Account, key: who.Key, stream: who.Stream, features: who.Features,
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	if who.Stream {
		s.signals = make(chan model.Event, signalBuffer)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		s.end(Shutdown)
		return s
	}
	if who.Stream && h.limit > 0 {
		streams := 0
		for _, other := range slices.Backward(h.accounts[who.Account]) {
			if other.stream {
				if streams++; streams == h.limit {
					h.remove(other, Replaced)
					break
				}
			}
		}
	}
	h.accounts[who.Account] = append(h.accounts[who.Account], s)
	return s
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

// Close ends the subscription from the reader's side; it may be called twice.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.hub.remove(s, 0)
}

func (s *Subscription) end(why Reason) {
	s.reason = why
	close(s.done)
}

// remove ends a subscription, if it is still open. The hub's lock is held.
func (h *Hub) remove(s *Subscription, why Reason) {
	all := h.accounts[s.account]
	i := slices.Index(all, s)
	if i < 0 {
		return
	}
	s.end(why)
	if len(all) == 1 {
		delete(h.accounts, s.account)
		return
	}
	h.accounts[s.account] = slices.Delete(slices.Clone(all), i, i+1)
}

// Wake tells the readers of these accounts that their queues may have something.
func (h *Hub) Wake(accounts ...model.AccountID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, account := range accounts {
		for _, s := range h.accounts[account] {
			select {
			case s.wake <- struct{}{}:
			default: // awake already
			}
		}
	}
}

// Signal passes a live event to the streams of these accounts that asked for its
// feature. A stream that does not take its signals ends: it never holds up the
// one who signals.
func (h *Hub) Signal(signal Signal, accounts ...model.AccountID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, account := range accounts {
		for _, s := range slices.Clone(h.accounts[account]) {
			if !s.stream || signal.Feature != "" && !slices.Contains(s.features, signal.Feature) {
				continue
			}
			select {
			case s.signals <- signal.Event:
			default:
				h.remove(s, Slow)
			}
		}
	}
}

// CloseAccount ends the subscriptions of an account and returns how many of
// them were streams.
func (h *Hub) CloseAccount(account model.AccountID, why Reason) int {
	return h.closeWhere(account, why, func(*Subscription) bool { return true })
}

// CloseKey ends the subscriptions that were opened with one key of an account.
func (h *Hub) CloseKey(account model.AccountID, key string, why Reason) int {
	return h.closeWhere(account, why, func(s *Subscription) bool { return s.key == key })
}

func (h *Hub) closeWhere(account model.AccountID, why Reason, which func(*Subscription) bool) (streams int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range slices.Clone(h.accounts[account]) {
		if which(s) {
			if s.stream {
				streams++
			}
			h.remove(s, why)
		}
	}
	return streams
}

// Streams returns how many streams an account has open on this node.
func (h *Hub) Streams(account model.AccountID) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.accounts[account] {
		if s.stream {
			n++
		}
	}
	return n
}

// Close ends all subscriptions, and those that are opened later at once.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, all := range h.accounts {
		for _, s := range slices.Clone(all) {
			h.remove(s, Shutdown)
		}
	}
}

// Package live wakes readers of event queues, on this node and by way of a bus on
// others, and carries signals that are never stored: typing, presence, self-copies.
//
// It owns the open subscriptions and nothing else: what it says is a hint, the
// queue is the truth, and a lost wake-up loses no event. It does not know what
// an event means or how it is written to a client, nor what the bus is made of.
package live

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"signet/internal/model"
	"signet/internal/trace"
)

// Hub knows the open subscriptions of this node. It is safe for concurrent use.
type Hub struct {
	limit  int
	bus    Bus // nil: there are no other nodes, or they are not told
	tracer *trace.Tracer
	forget func(...model.AccountID)
	missed chan struct{}
	fed    bool          // readers are told what is queued, by Feed and Touch
	stirs  chan struct{} // has something when accounts that are watched have got something
	era    atomic.Uint64 // raised when something may have been taken out of a queue

	mu       sync.Mutex // guards all below; the bus's own locks come after it
	accounts map[model.AccountID][]*Subscription
	topics   map[Topic]int   // how many subscriptions want to hear of each, where there is a bus
	due      []*Subscription // which were fed, and are woken by WakeFed
	streams  int
	watched  map[model.AccountID]bool // all true
	stirred  map[model.AccountID]bool // those of them that have got something since TakeStirred; all true
	opened   uint64                   // how many subscriptions there have been
	closed   bool
}

// NewHub returns a hub that lets an account have limit streams on this node; 0 is
// no limit.
func NewHub(limit int) *Hub {
	return &Hub{
		limit: limit, accounts: map[model.AccountID][]*Subscription{}, topics: map[Topic]int{},
		missed: make(chan struct{}, 1), stirs: make(chan struct{}, 1),
		stirred: map[model.AccountID]bool{},
	}
}

// Subscribe opens a subscription. Past the limit, the account's oldest stream
// ends. On a hub that was shut down the subscription has ended already.
func (h *Hub) Subscribe(who Subscriber) *Subscription {
	s := &Subscription{Subscriber: who, hub: h, wake: make(chan struct{}, 1), done: make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		s.end(Shutdown)
		return s
	}
	h.opened++
	s.number = h.opened
	if who.Stream && h.limit > 0 {
		h.makeRoom(who.Account, who.Scope)
	}
	h.listen(s)
	h.accounts[who.Account] = append(h.accounts[who.Account], s)
	if who.Stream {
		h.streams++
	}
	return s
}

// makeRoom ends the oldest stream of an account that has as many as it may with keys of
// one scope: one organization does not close what is open for others. The hub's lock is
// held.
func (h *Hub) makeRoom(account model.AccountID, scope model.OrganizationID) {
	streams := 0
	for _, other := range slices.Backward(h.accounts[account]) {
		if !other.Stream || other.Scope != scope {
			continue
		}
		if streams++; streams == h.limit {
			h.remove(other, Replaced)
			return
		}
	}
}

// remove ends a subscription, if it is still open. The hub's lock is held.
func (h *Hub) remove(s *Subscription, why Reason) {
	all := h.accounts[s.Account]
	i := slices.Index(all, s)
	if i < 0 {
		return
	}
	s.end(why)
	h.ignore(s)
	if s.Stream {
		h.streams--
	}
	if len(all) > 1 {
		h.accounts[s.Account] = slices.Delete(slices.Clone(all), i, i+1)
		return
	}
	delete(h.accounts, s.Account)
}

// listen tells the bus which topics get their first reader. The hub's lock is held.
func (h *Hub) listen(s *Subscription) {
	if h.bus == nil {
		return
	}
	for _, topic := range s.topics() {
		h.hearOf(topic)
	}
}

func (h *Hub) hearOf(topic Topic) {
	if h.topics[topic]++; h.topics[topic] == 1 {
		h.bus.Listen(topic)
	}
}

// ignore tells the bus which topics lose their last reader. The hub's lock is held.
func (h *Hub) ignore(s *Subscription) {
	if h.bus == nil {
		return
	}
	for _, topic := range s.topics() {
		h.hearNoMoreOf(topic)
	}
}

func (h *Hub) hearNoMoreOf(topic Topic) {
	if h.topics[topic]--; h.topics[topic] == 0 {
		delete(h.topics, topic)
		h.bus.Ignore(topic)
	}
}

// Wake tells the readers of these accounts, on all nodes, that their queues may
// have something, which is part of what ctx is of. Those of a hub that is fed know it already.
func (h *Hub) Wake(ctx context.Context, accounts ...model.AccountID) {
	if !h.fed {
		h.wake(accounts)
	}
	h.publish(ctx, Notice{Kind: NoticeWake, Accounts: accounts})
}

func (h *Hub) wake(accounts []model.AccountID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, account := range accounts {
		for _, s := range h.accounts[account] {
			s.rouse()
		}
	}
	h.stir(accounts)
}

// WakeBehind wakes the readers on this node that have not read their queue up to
// its last position, once for each position.
func (h *Hub) WakeBehind(last map[model.AccountID]int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for account, position := range last {
		for _, s := range h.accounts[account] {
			if s.seen.Load() < position {
				s.seen.Store(position)
				s.rouse()
			}
		}
	}
}

// Signal passes a live event to the streams of these accounts, on all nodes, that
// asked for its feature. A stream that does not take its signals ends: it never
// holds up the one who signals. One that nobody can hear is not made.
func (h *Hub) Signal(ctx context.Context, signal Signal, accounts ...model.AccountID) {
	if h.bus != nil || h.hears(signal.Feature, accounts) {
		h.pass(ctx, signal, accounts)
	}
}

func (h *Hub) pass(ctx context.Context, signal Signal, accounts []model.AccountID) {
	signal.ID = NewID()
	h.signal(&signal, accounts)
	h.publish(ctx, Notice{Kind: NoticeSignal, Accounts: accounts, Signal: &signal})
}

// hears reports whether the signals of a feature have a reader on this node.
func (h *Hub) hears(feature string, accounts []model.AccountID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, account := range accounts {
		for _, s := range h.accounts[account] {
			if s.hears(feature) {
				return true
			}
		}
	}
	return false
}

// NewID names an event that is in no queue.
func NewID() string { return uuid.NewString() }

func (h *Hub) signal(signal *Signal, accounts []model.AccountID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, account := range accounts {
		for _, s := range slices.Clone(h.accounts[account]) {
			if !s.hears(signal.Feature) {
				continue
			}
			if !s.signal(signal) {
				h.remove(s, Slow)
			}
		}
	}
}

// Forget tells the other nodes that the keys or the places of accounts changed.
func (h *Hub) Forget(accounts ...model.AccountID) {
	h.publish(context.Background(), Notice{Kind: NoticeForget, Accounts: accounts})
}

// CloseAccount ends the subscriptions of an account, on all nodes, and returns how
// many of those on this one were streams.
func (h *Hub) CloseAccount(account model.AccountID, why Reason) int {
	return h.close(account, Ending{Reason: why})
}

// CloseScope ends the subscriptions that were opened with a key of an account that has
// this scope.
func (h *Hub) CloseScope(account model.AccountID, scope model.OrganizationID, why Reason) int {
	return h.close(account, Ending{Reason: why, Scope: scope})
}

// CloseKey ends the subscriptions that were opened with one key of an account.
func (h *Hub) CloseKey(account model.AccountID, key string, why Reason) int {
	return h.close(account, Ending{Reason: why, Key: key})
}

// CloseSecrets ends those that were opened with any secret of the key but this one.
func (h *Hub) CloseSecrets(account model.AccountID, key string, keep model.SecretMark, why Reason) int {
	return h.close(account, Ending{Reason: why, Key: key, Keep: keep})
}

// CloseStreams ends these streams of an account.
func (h *Hub) CloseStreams(account model.AccountID, why Reason, streams ...model.StreamID) int {
	if len(streams) == 0 {
		return 0
	}
	return h.close(account, Ending{Reason: why, Streams: streams})
}

func (h *Hub) close(account model.AccountID, ending Ending) (streams int) {
	accounts := []model.AccountID{account}
	streams = h.end(&ending, accounts)
	h.publish(context.Background(), Notice{Kind: NoticeEnd, Accounts: accounts, Ending: &ending})
	return streams
}

func (h *Hub) end(ending *Ending, accounts []model.AccountID) (streams int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, account := range accounts {
		for _, s := range slices.Clone(h.accounts[account]) {
			if !ending.covers(s) {
				continue
			}
			if s.Stream {
				streams++
			}
			h.remove(s, ending.Reason)
		}
	}
	return streams
}

// StreamScopes returns the scopes of the keys of an account's open streams on this node,
// one for each stream.
func (h *Hub) StreamScopes(account model.AccountID) (scopes []model.OrganizationID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.accounts[account] {
		if s.Stream {
			scopes = append(scopes, s.Scope)
		}
	}
	return scopes
}

// StreamKeys returns the keys with which an account's open streams on this node were opened, one for each
// stream.
func (h *Hub) StreamKeys(account model.AccountID) (keys []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.accounts[account] {
		if s.Stream {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

// Readers returns whose streams are open on this node, in no particular order.
func (h *Hub) Readers() (out []model.AccountID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for account, all := range h.accounts {
		if slices.ContainsFunc(all, func(s *Subscription) bool { return s.Stream }) {
			out = append(out, account)
		}
	}
	return out
}

// AllStreams returns how many streams are open on this node.
func (h *Hub) AllStreams() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.streams
}

// Subscriptions lists the open ones of this node, those of an account in the order
// of their opening.
func (h *Hub) Subscriptions() []*Subscription {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]*Subscription, 0, len(h.accounts))
	for _, all := range h.accounts {
		out = append(out, all...)
	}
	return out
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

package live

import (
	"sync/atomic"
	"time"

	"signet/internal/model"
)

// Event is an event that one transaction queued with several accounts, at one
// position, as they all see it. Its readers share it, and it never changes.
type Event struct {
	model.Event           // without what is the reader's own
	Position    int64     // in the queues
	At          time.Time // when it was queued

	era  uint64
	json atomic.Pointer[[]byte]
}

// JSON returns the event as JSON, which write makes once, or a few times at first. All
// readers of the event share it, and it never changes.
func (e *Event) JSON(write func(*model.Event) ([]byte, error)) ([]byte, error) {
	if text := e.json.Load(); text != nil {
		return *text, nil
	}
	text, err := write(&e.Event)
	if err == nil {
		e.json.Store(&text)
	}
	return text, err
}

// FeedInOrder says that Feed or Touch is called for everything that is queued, in the
// order of the commits and before a caller is answered; and TouchAll, before the next of
// these, where another process has queued something. So
// a reader that was there before knows without reading the queue what came into it.
// It comes before the first subscription.
func (h *Hub) FeedInOrder() { h.fed = true }

// Feed gives the readers of accounts what was queued with them, for which WakeFed wakes
// them. The event is made only if there are any.
func (h *Hub) Feed(accounts []model.AccountID, queued func() *Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stir(accounts)
	if len(h.accounts) == 0 {
		return
	}
	var e *Event
	for _, account := range accounts {
		for _, s := range h.accounts[account] {
			if e == nil {
				e = queued()
				e.era = h.era.Load()
			}
			if s.give(e) {
				h.due = append(h.due, s)
			}
		}
	}
}

// Touch has the readers of accounts look at their queues, once WakeFed wakes them.
func (h *Hub) Touch(accounts []model.AccountID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stir(accounts)
	for _, account := range accounts {
		for _, s := range h.accounts[account] {
			if s.touch() {
				h.due = append(h.due, s)
			}
		}
	}
}

// TouchAll is Touch of all readers.
func (h *Hub) TouchAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, all := range h.accounts {
		for _, s := range all {
			if s.touch() {
				h.due = append(h.due, s)
			}
		}
	}
	for account := range h.watched {
		h.stirOne(account)
	}
}

// WakeFed wakes the readers which Feed and Touch have told something since it was last
// called, each once. So where many senders share a commit, a reader wakes after the last
// event, and writes all of them at once. A reader that is awake may have taken it before.
func (h *Hub) WakeFed() {
	h.mu.Lock()
	due := h.due
	h.due = nil
	h.mu.Unlock() // waking takes longer than feeding, and nobody has to wait for it
	for _, s := range due {
		s.wakeFed()
	}
}

// Withdraw says that something may have been taken out of queues: what was fed before
// is read from them again by those who have not written it yet.
func (h *Hub) Withdraw() { h.era.Add(1) }

package live

import (
	"sync/atomic"
	"time"

	"signet/internal/model"
)

// Copy is an event that one transaction queued with several accounts, at one
// position, as they all see it. It is shared by its readers, and not changed.
type Copy struct {
	Position     int64
	Organization model.OrganizationID
	Event        model.Event // without what is the reader's own
	Ends         time.Time   // of what it shows; zero: it does not end
	Queued       time.Time   // when it was

	era  uint64
	text atomic.Pointer[[]byte]
}

// Text returns the copy in the form that make gives it, which is called once, more or
// less. It is the same for all who share the copy, and must not be changed.
func (c *Copy) Text(make func(*model.Event) ([]byte, error)) ([]byte, error) {
	if text := c.text.Load(); text != nil {
		return *text, nil
	}
	text, err := make(&c.Event)
	if err == nil {
		c.text.Store(&text)
	}
	return text, err
}

// FeedInOrder says that Feed or Touch, and Tell, is called for everything that is queued, by
// whoever queues it, in the order of the commits and before a caller is answered. So
// a reader that was there before knows without reading the queue what came into it.
// It comes before the first subscription.
func (h *Hub) FeedInOrder() { h.fed = true }

// Feed gives the readers of accounts what was queued with them. They hear of it by
// Tell, which has to follow. The copy is made only if there are any.
func (h *Hub) Feed(accounts []model.AccountID, queued func() *Copy) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.accounts) == 0 {
		return
	}
	var c *Copy
	for _, account := range accounts {
		for _, s := range h.accounts[account] {
			if c == nil {
				c = queued()
				c.era = h.era.Load()
			}
			h.given(s, c)
		}
	}
}

// Touch has the readers of accounts look at their queues, when they hear of it by Tell.
func (h *Hub) Touch(accounts []model.AccountID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, account := range accounts {
		for _, s := range h.accounts[account] {
			h.given(s, nil)
		}
	}
}

// given gives a reader a copy, or nil. The hub's lock is held.
func (h *Hub) given(s *Subscription, c *Copy) {
	if s.give(c) {
		h.telling = append(h.telling, s)
	}
}

// Tell tells those to whom Feed or Touch gave something.
func (h *Hub) Tell() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.telling {
		s.tell()
	}
	clear(h.telling)
	h.telling = h.telling[:0]
}

// Withdraw says that something may have been taken out of queues: what was fed before
// is read from them again by those who have not written it yet.
func (h *Hub) Withdraw() { h.era.Add(1) }

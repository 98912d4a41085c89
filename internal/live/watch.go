package live

import "signet/internal/model"

// An account may be watched by what is no reader of its own: what delivers to webhooks is told that
// something came into the queue, and not what. Nothing is asked for accounts that nobody watches, and
// where none is watched a send does not even look.

// Watch says which accounts are watched from now on, in place of those of before.
func (h *Hub) Watch(accounts []model.AccountID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.watched
	h.watched = make(map[model.AccountID]bool, len(accounts))
	for _, account := range accounts {
		h.watched[account] = true
		if !was[account] && h.bus != nil {
			h.hearOf(Topic{Account: account})
		}
	}
	for account := range was {
		if !h.watched[account] && h.bus != nil {
			h.hearNoMoreOf(Topic{Account: account})
		}
	}
}

// Stirred returns a channel that receives when a watched account may have got something.
func (h *Hub) Stirred() <-chan struct{} { return h.stirs }

// TakeStirred returns the accounts that may have got something since it was last called, in no
// particular order.
func (h *Hub) TakeStirred() (out []model.AccountID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for account := range h.stirred {
		out = append(out, account)
	}
	clear(h.stirred)
	return out
}

// stir notes that accounts may have got something. The hub's lock is held.
func (h *Hub) stir(accounts []model.AccountID) {
	if len(h.watched) == 0 {
		return
	}
	for _, account := range accounts {
		if h.watched[account] {
			h.stirOne(account)
		}
	}
}

func (h *Hub) stirOne(account model.AccountID) {
	h.stirred[account] = true
	select {
	case h.stirs <- struct{}{}:
	default: // it was told
	}
}

package stream

import (
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
)

// feed gives this server's readers what a transaction did to queues. The store calls
// it in the order of the commits, where no other server queues anything, and then has the
// hub wake them.
func (r *Registry) feed(c *store.Change) {
	if c.Withdrawn {
		r.hub.Withdraw()
	}
	if c.Beside { // and before c: a reader that went on with what c queued would pass over it
		r.hub.TouchAll()
	}
	for i := range c.Queued {
		q := &c.Queued[i]
		if q.Message == nil {
			r.hub.Touch(q.Accounts)
			continue
		}
		r.hub.Feed(q.Accounts, func() *live.Event { return r.event(q.Message) })
	}
}

// event shows a message as the queues of its readers would: Delivered to none yet.
func (r *Registry) event(m *model.Message) *live.Event {
	kind := model.EventMessage
	if m.Group {
		kind = model.EventGroupMessage
	}
	id := model.Cursor{Epoch: r.store.Epoch(), Position: m.Sort}.String()
	return &live.Event{Event: model.Event{ID: id, Kind: kind, Queued: true, Message: m}, Position: m.Sort, At: r.clock()}
}

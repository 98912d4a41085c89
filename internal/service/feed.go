package service

import (
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
)

// feed gives this node's readers what a transaction did to queues. It is called by
// the store, in the order of the commits.
//
// They are told by the hub's Tell, once the senders have been answered, so that a
// stream writes at once all that came together. And it writes before the answer goes
// out: of what the writer wakes, Go's scheduler runs the last first.
func (s *Service) feed(c *store.Change) {
	if c.Withdrawn {
		s.hub.Withdraw()
	}
	for i := range c.Queued {
		q := &c.Queued[i]
		if sent, ok := q.What.(*delivery); ok {
			// The sender's queue was asked for a position too, and has got nothing.
			s.hub.Feed(sent.readers, func() *live.Copy { return s.copyOf(sent) })
		} else {
			s.hub.Touch(q.Accounts)
		}
	}
}

// copyOf is the event by which the readers of a message have it in their queues, as
// reading these would show it: nobody has it Delivered yet.
func (s *Service) copyOf(d *delivery) *live.Copy {
	m := d.message()
	kind := model.EventMessage
	if m.Group {
		kind = model.EventGroupMessage
	}
	return &live.Copy{
		Position: m.Sort, Organization: m.Organization, Ends: d.row.Ends, Queued: s.clock(),
		Event: model.Event{ID: model.Cursor{Epoch: s.store.Epoch(), Position: m.Sort}.String(), Kind: kind, Queued: true, Message: &m},
	}
}

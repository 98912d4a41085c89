package service

import (
	"time"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
)

// copyLife is how long a stream takes the hub's copy for what its queue has: for one
// that has waited longer behind a slow reader it looks again.
const copyLife = 5 * time.Second

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
		if sent, ok := q.What.(*posting); ok {
			// The sender's queue was asked for a position too, and has got nothing.
			s.hub.Feed(sent.readers, func() *live.Copy { return s.copyOf(sent) })
		} else {
			s.hub.Touch(q.Accounts)
		}
	}
}

// copyOf is the event by which the readers of a message have it in their queues, as
// reading these would show it: nobody has it Delivered yet.
func (s *Service) copyOf(p *posting) *live.Copy {
	m := p.row.Message
	m.Content = p.content
	kind := model.EventMessage
	if m.Group {
		kind = model.EventGroupMessage
	}
	return &live.Copy{
		Position: m.Sort, Organization: m.Organization, Ends: p.row.Ends, Queued: s.clock(),
		Event: model.Event{ID: model.Cursor{Epoch: s.store.Epoch(), Position: m.Sort}.String(), Kind: kind, Queued: true, Message: &m},
	}
}

// writeCopies writes what the hub was fed with. Where the queue may show it otherwise
// by now, that is read.
func (st *Stream) writeCopies(copies []*live.Copy) error {
	if err := st.refresh(st.ctx); err != nil {
		return err
	}
	if err := st.knowMuted(); err != nil {
		return err
	}
	now := st.service.now()
	for i, c := range copies {
		if c.Position <= st.after {
			continue // it was read
		}
		if !st.stands(c, now) {
			if err := st.copied(copies[:i]); err != nil {
				return err
			}
			return st.writeQueued(st.ctx, store.EndOfQueue)
		}
		if err := st.sink.Copy(c, st.muted.hush(c.Event.Message, now)); err != nil {
			return err
		}
	}
	return st.copied(copies)
}

// copied ends the writing of copies.
func (st *Stream) copied(copies []*live.Copy) error {
	var events []model.Event
	for _, c := range copies {
		if c.Position <= st.after {
			continue
		}
		st.after = c.Position
		if st.options.AutoAck || st.options.AutoDeliver {
			events = append(events, c.Event)
		}
	}
	st.sub.Saw(st.after)
	return st.written(st.ctx, events)
}

// stands reports whether a copy is what reading the queue would show.
func (st *Stream) stands(c *live.Copy, now time.Time) bool {
	return st.actor.MemberOf(c.Organization) && (c.Ends.IsZero() || now.Before(c.Ends)) &&
		now.Sub(c.Queued) < copyLife && st.sub.Current(c)
}

// knowMuted reads what the account has muted, once after each reading of the queue: as
// long as nothing but copies comes it stays so, for who mutes or unmutes something has an
// event of that in the queue.
func (st *Stream) knowMuted() error {
	if st.muted != nil {
		return nil
	}
	st.waits()
	now := st.service.now()
	return st.service.store.ViewTogether(st.ctx, func(tx *store.Tx) (err error) {
		st.muted, err = mutedBy(tx, st.actor.Account, now)
		return err
	})
}

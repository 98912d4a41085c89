package stream

import (
	"time"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
)

// copyLife is how long a stream takes the hub's copy for what its queue has: for one
// that has waited longer behind a slow reader it looks again.
const copyLife = 5 * time.Second

// writeCopies writes what the hub was fed with. Where the queue may show it otherwise
// by now, that is read.
func (st *Stream) writeCopies(copies []*live.Copy) error {
	if err := st.refresh(st.ctx); err != nil {
		return err
	}
	if err := st.knowMuted(); err != nil {
		return err
	}
	now := st.streams.registry.clock()
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
		if err := st.sink.Copy(c, st.muted.Hush(c.Event.Message, now)); err != nil {
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
		if st.request.AutoAck || st.request.AutoDeliver {
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
func (st *Stream) knowMuted() (err error) {
	if st.muted != nil {
		return nil
	}
	st.waits()
	st.muted, err = st.streams.cases.MutedBy(st.ctx, st.actor)
	return err
}

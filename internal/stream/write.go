package stream

import (
	"context"
	"time"

	"signet/internal/access"
	"signet/internal/large"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store"
)

const (
	// batch is how many events a stream reads at a time.
	batch = 100

	// eventLife is how long a stream takes an event of the hub for what its queue has.
	// One that has waited for longer, behind a slow client, is looked up.
	eventLife = 5 * time.Second
)

// write writes what the hub has told of.
func (st *Stream) write(told live.Pending) (err error) {
	items := told.Items
	if !told.Look {
		if items, err = st.writeItems(items); err != nil || len(items) == 0 {
			return err
		}
	}
	return st.writeQueued(st.ctx, store.EndOfQueue, live.Signals(items)...)
}

// writeSignal writes a live event as its reader sees it now.
func (st *Stream) writeSignal(signal *live.Signal) error {
	event, seen, err := st.streams.cases.Shown(st.ctx, st.actor, signal)
	if err != nil || !seen {
		return err
	}
	return st.sink.Event(&event)
}

// writeQueued writes what is queued after the last event written, up to a position. Live
// events that came before go first.
func (st *Stream) writeQueued(ctx context.Context, upTo int64, before ...*live.Signal) error {
	st.muted = nil
	defer large.Leave(ctx)
	for {
		if err := st.refresh(ctx); err != nil {
			return err
		}
		events, more, err := st.streams.cases.Events(ctx, st.actor, st.after, upTo, batch)
		if err != nil {
			return err
		}
		for _, signal := range append(before, st.sub.TakeSignals()...) {
			if err := st.writeSignal(signal); err != nil {
				return err
			}
		}
		before = nil
		for i := range events {
			if err := st.sink.Event(&events[i]); err != nil {
				return err
			}
		}
		large.Leave(ctx)
		if len(events) > 0 {
			cursor, _ := model.ParseCursor(events[len(events)-1].ID)
			st.after = cursor.Position
			if err := st.written(ctx, events); err != nil {
				return err
			}
		}
		st.sub.Saw(st.after)
		if !more {
			return nil
		}
	}
}

// writeItems writes live events, and events that the hub was fed with, in their order. What
// it leaves begins with the first of these that the queue may show otherwise by now.
func (st *Stream) writeItems(items []live.Item) (left []live.Item, err error) {
	if err := st.refresh(st.ctx); err != nil {
		return nil, err
	}
	now := st.streams.registry.clock()
	var sent []model.Event
	for i, item := range items {
		e := item.Event
		switch {
		case e == nil:
			err = st.writeSignal(item.Signal)
		case e.Position <= st.after: // it was read
		case !st.stands(e, now):
			return items[i:], st.sharedWritten(sent)
		default:
			err = st.share(e, now)
			st.after = e.Position
			if st.request.AutoAck || st.request.AutoDeliver {
				sent = append(sent, e.Event)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, st.sharedWritten(sent)
}

// share writes one event that others get too, as this reader is to see it.
func (st *Stream) share(e *live.Event, now time.Time) error {
	if err := st.knowMuted(); err != nil {
		return err
	}
	if !st.muted.Hush(e.Message, now) {
		return st.sink.Shared(e)
	}
	own, message := e.Event, *e.Message
	message.Muted, own.Message = true, &message
	return st.sink.Event(&own)
}

func (st *Stream) sharedWritten(events []model.Event) error {
	st.sub.Saw(st.after)
	return st.written(st.ctx, events)
}

// stands reports whether an event is what reading the queue would show.
func (st *Stream) stands(e *live.Event, now time.Time) bool {
	m := e.Message
	return st.actor.MemberOf(m.Organization) && (m.Expires.IsZero() || now.Before(m.Expires)) &&
		now.Sub(e.At) < eventLife && st.sub.Current(e)
}

// knowMuted reads what the account has muted, once after each reading of the queue: as
// long as nothing but shared events comes it stays so, since muting and unmuting queue
// an event.
func (st *Stream) knowMuted() (err error) {
	if st.muted == nil {
		st.muted, err = st.streams.cases.MutedBy(st.ctx, st.actor)
	}
	return err
}

// refresh finds out who the actor is by now. It fails where its key has ended.
func (st *Stream) refresh(ctx context.Context) error {
	actor, err := st.streams.access.Current(ctx, st.actor)
	if err == nil {
		err = access.WantSecondFactor(actor)
	}
	if err != nil {
		return err
	}
	st.actor = actor
	return nil
}

// written flushes the sink, and acknowledges or marks events where the stream asked for
// that.
func (st *Stream) written(ctx context.Context, events []model.Event) error {
	if err := st.sink.Flush(); err != nil {
		return err
	}
	switch {
	case len(events) == 0:
		return nil
	case st.request.AutoAck:
		return st.streams.cases.AcknowledgeEvents(ctx, st.actor, events)
	case st.request.AutoDeliver:
		var ids []model.MessageID
		for i := range events {
			if m := events[i].Message; m != nil {
				ids = append(ids, m.ID)
			}
		}
		return st.streams.cases.MarkStatus(ctx, st.actor, service.Marks{Delivered: ids})
	}
	return nil
}

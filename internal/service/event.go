package service

import (
	"context"
	"errors"
	"math"
	"time"

	"signet/internal/access"
	"signet/internal/content"
	"signet/internal/large"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
)

// Limits of a read of the queue (contract, section 6).
const (
	DefaultEvents = 100
	MaxEvents     = 1000
	MaxWait       = 60 * time.Second
)

// PollOptions say which part of the queue to read, and whether to wait for it.
type PollOptions struct {
	Limit   int           // 1 to MaxEvents
	After   string        // an event id; empty: from the start
	Wait    time.Duration // up to MaxWait: answer as soon as there is something
	AutoAck bool          // acknowledge what is returned; what can't be comes again

	// Take gets the events as they are read, and says how many of them there was room for:
	// fewer end the poll. nil: they are returned.
	Take func([]model.Event) (int, error)
}

// Poll returns the oldest unacknowledged events (contract, section 6). Reading
// does not remove them.
func (s *Service) Poll(ctx context.Context, actor *model.Actor, o PollOptions) ([]model.Event, error) {
	after := int64(0)
	if o.After != "" {
		cursor, ok, err := s.cursor(ctx, actor.Account, o.After)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, model.Invalidf("after_invalid", "after", "This is no event id of the queue.")
		}
		after = cursor.Position
	}
	// The subscription comes first: what is queued between reading and waiting
	// then wakes the wait.
	var sub *live.Subscription
	var waited, ended <-chan time.Time
	if o.Wait > 0 {
		sub = s.hub.Subscribe(live.Subscriber{Account: actor.Account, Key: actor.Key.Key, Secret: actor.Secret,
			Scope: actor.Key.Scope, Member: len(actor.Memberships) > 0})
		defer sub.Close()
		sub.Saw(after)
		timer := time.NewTimer(o.Wait)
		defer timer.Stop()
		waited = timer.C
		var stop func()
		ended, stop = s.access.Ends(actor)
		defer stop()
	}
	for {
		taken, events, err := s.poll(ctx, actor, after, &o)
		if err != nil || taken > 0 || sub == nil {
			return events, err
		}
		select {
		case <-sub.Wake():
		case <-sub.Done():
			sub = nil // one more look, then the answer
		case <-waited:
			sub = nil
		case <-ended:
			if !actor.Key.Session { // which may have been used meanwhile
				return nil, access.WrongCredentials()
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if actor, err = s.access.Current(ctx, actor); err == nil {
			err = access.WantSecondFactor(actor)
		}
		if err != nil {
			return nil, err
		}
	}
}

// poll reads what there is, in pieces, and returns how many events that were, and the
// events unless o takes them.
func (s *Service) poll(ctx context.Context, actor *model.Actor, after int64, o *PollOptions) (taken int,
	all []model.Event, err error) {
	var ids []string // of what is to be acknowledged
	for more := true; more && taken < o.Limit; {
		if taken > 0 {
			if err := large.Enter(ctx); err != nil {
				return 0, nil, err
			}
		}
		var events []model.Event
		if events, more, err = s.Events(ctx, actor, after, store.EndOfQueue, o.Limit-taken); err != nil {
			return 0, nil, err
		}
		if len(events) == 0 {
			break
		}
		after = position(&events[len(events)-1])
		if o.Take != nil {
			room, err := o.Take(events)
			if err != nil {
				return 0, nil, err
			}
			more = more && room == len(events)
			events = events[:room]
		} else if all == nil {
			all = events
		} else {
			all = append(all, events...)
		}
		taken += len(events)
		for i := range events {
			if o.AutoAck {
				ids = append(ids, events[i].ID)
			}
		}
	}
	// Some may be acknowledged already: this answer is all that brings them. The others come again.
	if err := s.Acknowledge(ctx, actor, ids); err != nil && ctx.Err() == nil {
		s.log.ErrorContext(ctx, "events that a poll returns are not all acknowledged", "error", err)
	}
	return taken, all, nil
}

// position is where an event lies in its queue.
func position(e *model.Event) int64 {
	cursor, _ := model.ParseCursor(e.ID)
	return cursor.Position
}

// cursor reads an event id of the store's own history that is not ahead of what can have been
// handed out by now for an account. A position that the clock has not reached was handed out
// all the same where the clock was ahead then, so the store is asked.
func (s *Service) cursor(ctx context.Context, account model.AccountID, id string) (c model.Cursor, ok bool, err error) {
	c, ok = model.ParseCursor(id)
	if !ok || c.Epoch != s.store.Epoch() {
		return c, false, nil
	}
	if c.Position <= s.clock().Add(time.Second).UnixMicro() {
		return c, true, nil
	}
	last, err := store.Read(ctx, s.store, func(tx *store.Tx) (int64, error) { return tx.HandedOut(account) }, store.Short)
	return c, err == nil && c.Position <= last, err
}

// Unacknowledged says which part of a queue a reader has not acknowledged.
type Unacknowledged struct {
	After int64 // the position that the reader has seen; 0: none
	Last  int64 // the last one that was handed out
	Count int   // events between them
}

// Unacknowledged looks at the actor's queue from an event id on. An empty id, or one
// that is not the queue's, means its start.
func (s *Service) Unacknowledged(ctx context.Context, actor *model.Actor, seen string) (q Unacknowledged, err error) {
	cursor, ok, err := s.cursor(ctx, actor.Account, seen)
	if err != nil {
		return q, err
	}
	if ok {
		q.After = cursor.Position
	}
	now := s.now()
	count := func(most int, traits ...store.Trait) error {
		return s.store.View(ctx, func(tx *store.Tx) error {
			last, err := tx.AskLastPosition(actor.Account)
			if err != nil {
				return err
			}
			// Behind the last one nothing is, within one snapshot.
			events, err := tx.AskCountEvents(s.queue(actor, q.After, store.EndOfQueue, now), most)
			if err == nil {
				err = tx.Await()
			}
			q.Last, q.Count = last.Row, events.Row
			return err
		}, traits...)
	}
	// Others wait for a short read: a long queue is counted beside them.
	if err = count(usualQueue, store.Short); err == nil && q.Count == usualQueue {
		err = count(math.MaxInt)
	}
	return q, err
}

// usualQueue is how many events wait for a reader at most, more often than not.
const usualQueue = 1000

// oldest is the position before which events are older than the retention.
func (s *Service) oldest(now time.Time) int64 {
	if s.retention <= 0 {
		return 0
	}
	return now.Add(-s.retention).UnixMicro()
}

// pieceBytes is how many bytes of messages are read at once. Whoever reads a queue holds
// a piece at a time, and no more than one message beyond that.
const pieceBytes = 2 * large.Bytes

// Events reads a part of the actor's queue: up to limit events behind a position, and not
// behind another one. There may be more where it says so; it returns at least one then.
func (s *Service) Events(ctx context.Context, actor *model.Actor, after, upTo int64, limit int) (out []model.Event,
	more bool, err error) {
	return s.eventsOf(ctx, actor, s.queue(actor, after, upTo, s.now()), limit)
}

// WebhookEvents is Events for a webhook: kept says that it gets what was acknowledged too, as long as that
// is kept.
func (s *Service) WebhookEvents(ctx context.Context, actor *model.Actor, after, upTo int64, kept bool, limit int) (
	out []model.Event, more bool, err error) {
	q := s.queue(actor, after, upTo, s.now())
	if q.Kept = kept; kept {
		q.After = max(q.After, q.Now.Add(-model.WebhookKept).UnixMicro())
	}
	return s.eventsOf(ctx, actor, q, limit)
}

// eventsOf is Events of a part of a queue.
func (s *Service) eventsOf(ctx context.Context, actor *model.Actor, part store.Queue, limit int) (out []model.Event,
	more bool, err error) {
	known := s.messages.reading()
	// Others wait for a short read: it must not take long, nor wait for anything itself.
	together, inside := limit <= DefaultEvents, large.Inside(ctx)
	read := func(tx *store.Tx) error {
		out = nil
		reader := presenter{service: s, tx: tx, actor: actor, known: known, prompt: together}
		for queue := part; ; { // once more only where nothing could be read
			queue.Bytes = pieceBytes
			rows, err := tx.Events(queue, limit, known)
			if err != nil {
				return err
			}
			bytes := sealedBytes(rows)
			if bytes > large.Bytes && !inside {
				return errLarge
			}
			more = len(rows) == limit || bytes >= pieceBytes
			if out, err = reader.events(ctx, out, rows); err != nil {
				return err
			}
			if len(out) > 0 || !more {
				return nil
			}
			queue.After = rows[len(rows)-1].Position
		}
	}
	var traits []store.Trait
	if together {
		traits = []store.Trait{store.Short}
	}
	for {
		switch err = s.store.View(ctx, read, traits...); {
		case errors.Is(err, errWaits):
		case errors.Is(err, errLarge):
			if err := large.Enter(ctx); err != nil {
				return nil, false, err
			}
			inside = true
		default:
			return out, more, err
		}
		together, traits = false, nil
	}
}

// errLarge says that there is so much to be read that it has to wait for its turn.
var errLarge = errors.New("the events are large")

// sealedBytes is how much of messages was read for rows.
func sealedBytes(rows []store.EventRow) (bytes int) {
	for i := range rows {
		if m := rows[i].Message; m != nil {
			bytes += len(m.Sealed)
		}
	}
	return bytes
}

func (s *Service) queue(actor *model.Actor, after, upTo int64, now time.Time) store.Queue {
	return store.Queue{Account: actor.Account, Scope: actor.Key.Scope, Notices: actor.Notices(),
		After: max(after, s.oldest(now)), UpTo: upTo, Now: now}
}

// events appends queued rows as their reader sees them now. A message that does not
// open is left out: it must not keep what is behind it from its reader.
func (p *presenter) events(ctx context.Context, out []model.Event, rows []store.EventRow) ([]model.Event, error) {
	s := p.service
	if out == nil {
		out = make([]model.Event, 0, len(rows))
	}
	begun, ids, ends := len(out), make([]byte, 0, len(rows)*usualID), make([]int, 0, len(rows))
	for i := range rows {
		event, err := p.event(ctx, &rows[i])
		if err != nil {
			if err := s.leaveOut(ctx, "a queued message", err); err != nil {
				return nil, err
			}
			continue
		}
		ids = model.Cursor{Epoch: s.store.Epoch(), Position: rows[i].Position}.Append(ids)
		ends = append(ends, len(ids))
		event.Queued = true
		out = append(out, event)
	}
	all, start := string(ids), 0 // one text for all, as one piece of memory
	for i, end := range ends {
		out[begun+i].ID, start = all[start:end], end
	}
	return out, nil
}

// leaveOut returns nil for the error of content that never opens again, and any other one
// as it is. What was changed in the store is its operator's to hear of.
func (s *Service) leaveOut(ctx context.Context, what string, err error) error {
	if !content.Unreadable(err) {
		return err
	}
	if !errors.Is(err, seal.ErrKeyGone) { // which is as it should be in an older state of the store
		s.log.ErrorContext(ctx, what+" is left out", "error", err)
	}
	return nil
}

// usualID is how many bytes an event id takes, more often than not.
const usualID = 32

// Deleted is what DELETE /events did.
type Deleted struct {
	Streams int // closed
	Events  int // deleted
}

// DeleteEvents closes the account's streams and, unless only these are meant,
// empties its queue.
func (s *Service) DeleteEvents(ctx context.Context, actor *model.Actor, connectionsOnly bool) (out Deleted, err error) {
	if !connectionsOnly {
		if out.Events, err = s.emptyQueue(ctx, actor); err != nil {
			return Deleted{}, err
		}
	}
	out.Streams, err = s.streams.End(ctx, actor.Account, "", actor.Key.Scope)
	return out, err
}

// emptyQueue takes all that is queued out of the actor's queue, and returns how many events
// its reader had there. Counting a long queue holds up no writer.
func (s *Service) emptyQueue(ctx context.Context, actor *model.Actor) (events int, err error) {
	q, err := s.Unacknowledged(ctx, actor, "")
	if err != nil || q.Last == 0 {
		return 0, err
	}
	return q.Count, s.spare(ctx, func(tx *store.Tx) error {
		if err := tx.LockQueues(actor.Account); err != nil {
			return err
		}
		notices, err := s.access.Notices(tx, actor)
		if err != nil {
			return err
		}
		return tx.WithdrawAll(actor.Account, actor.Key.Scope, notices, q.Last)
	})
}

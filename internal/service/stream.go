package service

import (
	"context"
	"time"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
)

// streamBatch is how many events a stream reads at a time.
const streamBatch = 100

// quietComment is how often a stream without a heartbeat shows that it is alive.
const quietComment = 10 * time.Second

// StreamOptions are what a stream asked for (contract, section 6).
type StreamOptions struct {
	LastEventID        string        // skips what a connection had seen; anything unreadable means none
	Heartbeat          time.Duration // 0: a comment every 10 s instead
	AutoAck            bool
	AutoDeliver        bool
	NoOfflineMessages  bool
	CloseAfterMessages bool
	Features           []string // all that were asked for, for live signals
}

// Sink is where a stream's events go: one transport's writer. A method that
// returns an error ends the stream. It bounds how long a write may take.
type Sink interface {
	Event(model.Event) error
	Comment() error
}

// Stream writes the actor's queue to a sink: first what is unacknowledged, then
// what comes, until ctx ends, the sink fails, the key or the membership ends, or
// the server stops. The queue is the truth: a wake-up only says when to look.
func (s *Service) Stream(ctx context.Context, actor *model.Actor, o StreamOptions, sink Sink) error {
	sub := s.hub.Subscribe(live.Subscriber{
		Account: actor.Account, Key: actor.Key.Key, Organizations: actor.Organizations(), Stream: true, ID: newID(), Features: o.Features,
	})
	defer sub.Close()
	st := &stream{service: s, sub: sub, actor: actor, options: o, sink: sink}
	// Where the replay ends is settled before the client hears anything: what is
	// queued once it has is new to it, and never passed over.
	last, count, err := st.look(ctx)
	if err != nil {
		return err
	}
	if err := s.arrived(ctx, sub); err != nil {
		return err
	}
	defer s.departed(sub)
	if err := sink.Comment(); err != nil {
		return err
	}
	if err := st.replay(ctx, last, count); err != nil || o.CloseAfterMessages {
		return err
	}
	return st.follow(ctx)
}

type stream struct {
	service *Service
	sub     *live.Subscription
	actor   *model.Actor
	options StreamOptions
	sink    Sink
	after   int64 // position of the last event that was written
}

// look finds where the stream starts, up to where it replays, and how many events
// that are.
func (st *stream) look(ctx context.Context) (last int64, count int, err error) {
	s := st.service
	if cursor, ok := s.cursor(st.options.LastEventID); ok {
		st.after = cursor.Position
	}
	now := s.now()
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		if last, err = tx.LastPosition(st.actor.Account); err != nil {
			return err
		}
		count, err = tx.CountEvents(s.queue(st.actor.Account, st.after, last, now))
		return err
	})
	return last, count, err
}

// replay writes what is queued at the start, between its brackets.
func (st *stream) replay(ctx context.Context, last int64, count int) error {
	if st.options.NoOfflineMessages {
		st.after = max(st.after, last)
		return nil
	}
	if err := st.advise("replay_start", &count); err != nil {
		return err
	}
	if err := st.writeQueued(ctx, last); err != nil {
		return err
	}
	return st.advise("replay_stop", nil)
}

func (st *stream) advise(name string, count *int) error {
	return st.sink.Event(model.Event{ID: liveID(), Kind: model.EventAdvisory, Advisory: &model.Advisory{Name: name, Count: count}})
}

// writeQueued writes what is queued after the last event written, up to a position.
func (st *stream) writeQueued(ctx context.Context, upTo int64) error {
	for {
		actor, err := st.service.current(ctx, st.actor)
		if err != nil {
			return err
		}
		st.actor = actor
		events, err := st.service.events(ctx, st.actor, st.after, upTo, streamBatch)
		if err != nil {
			return err
		}
		for _, event := range events {
			if err := st.sink.Event(event); err != nil {
				return err
			}
		}
		if err := st.written(ctx, events); err != nil {
			return err
		}
		st.sub.Saw(st.after)
		if len(events) < streamBatch {
			return nil
		}
	}
}

// written moves the cursor on, and acknowledges or marks what was written where
// the stream asked for it.
func (st *stream) written(ctx context.Context, events []model.Event) error {
	if len(events) == 0 {
		return nil
	}
	cursor, _ := model.ParseCursor(events[len(events)-1].ID)
	st.after = cursor.Position
	switch {
	case st.options.AutoAck:
		return st.service.ackEvents(ctx, st.actor, events)
	case st.options.AutoDeliver:
		var ids []model.MessageID
		for _, event := range events {
			if event.Message != nil {
				ids = append(ids, event.Message.ID)
			}
		}
		return st.service.MarkStatus(ctx, st.actor, ids, nil)
	}
	return nil
}

// follow writes what comes.
func (st *stream) follow(ctx context.Context) error {
	sub := st.sub
	beat := time.NewTicker(st.interval())
	defer beat.Stop()
	ended, stop := st.service.keyEnds(&st.actor.Key)
	defer stop()
	look, stopLooking := st.looks()
	defer stopLooking()
	// What was queued during the replay has not woken this stream in vain.
	if err := st.writeQueued(ctx, store.EndOfQueue); err != nil {
		return err
	}
	for {
		var err error
		select {
		case <-sub.Wake():
			err = st.writeQueued(ctx, store.EndOfQueue)
		case event := <-sub.Signals():
			err = st.sink.Event(event)
		case <-beat.C:
			err = st.beat()
		case <-sub.Done():
			return st.end()
		case <-look:
			if _, err := st.service.current(ctx, st.actor); isWrongCredentials(err) {
				return nil
			}
		case <-ended:
			return nil
		case <-ctx.Done():
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// looks returns a channel that receives when an operator's stream is to ask whether
// its key still opens: "signet operator reset" ends it in the store, and has nobody
// on this node to tell. For others the channel is nil, which never receives.
func (st *stream) looks() (look <-chan time.Time, stop func()) {
	if !st.actor.Operator {
		return nil, func() {}
	}
	tick := time.NewTicker(nodeTick)
	return tick.C, tick.Stop
}

func (st *stream) interval() time.Duration {
	if st.options.Heartbeat > 0 {
		return st.options.Heartbeat
	}
	return quietComment
}

func (st *stream) beat() error {
	if st.options.Heartbeat > 0 {
		return st.sink.Event(model.Event{ID: liveID(), Kind: model.EventHeartbeat})
	}
	return st.sink.Comment()
}

// end says goodbye where the client is to connect again: when the server stops.
func (st *stream) end() error {
	if st.sub.Reason() != live.Shutdown {
		return nil
	}
	return st.sink.Event(model.Event{ID: liveID(), Kind: model.EventReconnect})
}

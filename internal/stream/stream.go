package stream

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/service"
)

// streamBatch is how many events a stream reads at a time.
const streamBatch = 100

// Request is what a stream asked for (contract, section 6).
type Request struct {
	LastEventID        string        // skips what a connection had seen; anything unreadable means none
	Heartbeat          time.Duration // 0: a comment every 10 s instead
	AutoAck            bool
	AutoDeliver        bool
	NoOfflineMessages  bool
	CloseAfterMessages bool
	Features           []string // all that were asked for, for live signals
}

// Sink is where a stream's events go: one transport's writer. It is used by one
// goroutine at a time. A method that returns an error ends the stream.
type Sink interface {
	// Event, Copy and Comment give something to be written, by Flush at the latest.
	// Copy is Event for one that others get too; muted is whether the reader muted it.
	Event(e model.Event) error
	Copy(c *live.Copy, muted bool) error
	Comment() error

	// Flush writes what was given. It bounds how long that may take.
	Flush() error

	// Waits has a function called before any of these waits for the client.
	Waits(fn func())

	// Abort has a write that is under way fail. Anybody calls it, at any time.
	Abort()
}

// Stream is an open event stream: a cursor over its account's queue. The queue is the
// truth: what a stream is told by the hub says when to look, or is what it would find.
//
// Nothing of it runs while there is nothing to do. A notice of the hub or of the time
// gets it a turn on a goroutine that gives them to others too, or which it keeps until
// all notices are dealt with; so an idle stream costs what is in here, and no stack.
type Stream struct {
	streams *Streams
	sub     *live.Subscription
	request Request
	ended   func(error)

	ctx    context.Context // its own
	cancel context.CancelFunc

	following atomic.Pointer[Sink] // the sink of Follow; nil before

	// notices counts what it was told since somebody last had nothing to do. Who raises
	// it from 0 begins to work; it starts at 1, for who opens the stream.
	notices atomic.Int64

	// What follows is used by one goroutine at a time: who opens, then who works.
	actor *model.Actor
	sink  Sink
	after int64 // position of the last event that was written
	looks bool  // the queue has not been read since the replay
	muted service.Muted
	due   dues
	apart bool // who works has the goroutine to itself, and may wait

	behind *Stream   // in the row for a turn; guarded by the lock of turns
	beat   beatPlace // guarded by that of beats
}

// Open opens a stream of the actor's queue and writes to the sink what is
// unacknowledged. It returns nil where the stream is over with that; else Follow or
// Run must follow.
func (s *Streams) Open(ctx context.Context, actor *model.Actor, o Request, sink Sink) (*Stream, error) {
	st := &Stream{streams: s, actor: actor, request: o, sink: sink, looks: true, apart: true}
	st.ctx, st.cancel = context.WithCancel(service.Outlive(ctx))
	st.notices.Store(1)
	st.sub = s.registry.hub.Subscribe(live.Subscriber{
		Account: actor.Account, Key: actor.Key.Key, Secret: actor.Secret, Organizations: actor.Organizations(), Stream: true, ID: model.StreamID(uuid.Must(uuid.NewV7())),
		Features: o.Features,
		Notify:   st.notice,
	})
	s.add(st)
	sink.Waits(st.waits)
	err := st.begin(ctx)
	if err != nil || o.CloseAfterMessages {
		st.close()
		return nil, err
	}
	return st, nil
}

// begin carries out the opening, up to the end of the replay.
func (st *Stream) begin(ctx context.Context) error {
	// Where the replay ends is settled before the client hears anything: what is
	// queued once it has is new to it, and never passed over.
	last, count, err := st.look(ctx)
	if err != nil {
		return err
	}
	if err := st.streams.registry.arrived(ctx, st.sub); err != nil {
		return err
	}
	if err := st.sink.Comment(); err != nil {
		return err
	}
	if err := st.sink.Flush(); err != nil {
		return err
	}
	if err := st.replay(ctx, last, count); err != nil {
		return err
	}
	return st.sink.Flush()
}

// close ends what OpenStream began.
func (st *Stream) close() {
	st.leave()
	st.streams.remove(st)
}

// leave ends the part of the reader.
func (st *Stream) leave() {
	st.streams.beats.remove(st)
	st.cancel()
	st.streams.registry.departed(st.sub)
}

// Run writes what comes to the sink that the stream was opened with, until ctx ends
// or the stream is over.
func (st *Stream) Run(ctx context.Context) error {
	ended := make(chan error, 1)
	stop := context.AfterFunc(ctx, st.Close)
	defer stop()
	st.Follow(st.sink, func(err error) { ended <- err })
	return <-ended
}

// look finds where the stream starts, up to where it replays, and how many events
// that are.
func (st *Stream) look(ctx context.Context) (last int64, count int, err error) {
	q, err := st.streams.cases.Unacknowledged(ctx, st.actor, st.request.LastEventID)
	st.after = q.After
	return q.Last, q.Count, err
}

// replay writes what is queued at the start, between its brackets.
func (st *Stream) replay(ctx context.Context, last int64, count int) error {
	if st.request.NoOfflineMessages {
		st.after = max(st.after, last)
		return st.refresh(ctx) // as the replay does: what ended before the stream was noted ended it
	}
	if err := st.advise("replay_start", &count); err != nil {
		return err
	}
	if err := st.writeQueued(ctx, last); err != nil {
		return err
	}
	return st.advise("replay_stop", nil)
}

func (st *Stream) advise(name string, count *int) error {
	return st.sink.Event(model.Event{ID: live.NewID(), Kind: model.EventAdvisory, Advisory: &model.Advisory{Name: name, Count: count}})
}

// writeQueued writes what is queued after the last event written, up to a position.
func (st *Stream) writeQueued(ctx context.Context, upTo int64) error {
	st.waits()
	st.muted = nil
	for {
		if err := st.refresh(ctx); err != nil {
			return err
		}
		events, err := st.streams.cases.Events(ctx, st.actor, st.after, upTo, streamBatch)
		if err != nil {
			return err
		}
		for _, event := range events {
			if err := st.sink.Event(event); err != nil {
				return err
			}
		}
		if len(events) > 0 {
			cursor, _ := model.ParseCursor(events[len(events)-1].ID)
			st.after = cursor.Position
			if err := st.written(ctx, events); err != nil {
				return err
			}
		}
		st.sub.Saw(st.after)
		if len(events) < streamBatch {
			return nil
		}
	}
}

// refresh finds out who the actor is by now. It fails where its key has ended.
func (st *Stream) refresh(ctx context.Context) (err error) {
	actor, known := st.streams.cases.Remembered(st.actor)
	if !known {
		st.waits()
		if actor, err = st.streams.cases.Current(ctx, st.actor); err != nil {
			return err
		}
	}
	st.actor = actor
	return nil
}

// written sends what was given to the sink, and acknowledges or marks it where the
// stream asked for that.
func (st *Stream) written(ctx context.Context, events []model.Event) error {
	if err := st.sink.Flush(); err != nil {
		return err
	}
	switch {
	case len(events) == 0:
		return nil
	case st.request.AutoAck:
		st.waits()
		return st.streams.cases.AcknowledgeEvents(ctx, st.actor, events)
	case st.request.AutoDeliver:
		st.waits()
		var ids []model.MessageID
		for _, event := range events {
			if event.Message != nil {
				ids = append(ids, event.Message.ID)
			}
		}
		return st.streams.cases.MarkStatus(ctx, st.actor, ids, nil)
	}
	return nil
}

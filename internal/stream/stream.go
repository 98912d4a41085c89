package stream

import (
	"context"
	"runtime/debug"
	"slices"
	"time"

	"github.com/google/uuid"

	"signet/internal/audit"
	"signet/internal/large"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/trace"
)

// Request is what a stream asked for (contract, section 6).
type Request struct {
	LastEventID        string        // skips what a connection had seen; anything unreadable means none
	Heartbeat          time.Duration // 0: a comment now and then instead (Options.QuietComment)
	AutoAck            bool
	AutoDeliver        bool
	NoOfflineMessages  bool
	CloseAfterMessages bool
	Features           []string // all that were asked for, for live signals
}

// Sink writes a stream's events in the way of one transport. One goroutine at a time
// uses it, but for Abort. An error of it ends the stream.
type Sink interface {
	// Event, Shared and Comment add something, which is written by Flush at the latest.
	// Shared is Event for one that other streams get too: its JSON is made once for all.
	Event(e *model.Event) error
	Shared(e *live.Event) error
	Comment() error // a sign of life

	// Retry comes before an event, and names the pause after which the client may connect
	// again, where the transport has a way to.
	Retry(after time.Duration) error

	// Flush writes what was added. It bounds how long that may take.
	Flush() error

	// Abort makes a write that waits for the client fail. Any goroutine may call it.
	Abort()
}

// Stream is an open event stream. All of it but Close and Reason is for one goroutine
// at a time: the one that opens it, then the one that runs it.
type Stream struct {
	streams *Streams
	sub     *live.Subscription
	request Request

	ctx    context.Context // the stream's own
	cancel context.CancelFunc

	sink  Sink // changed under the lock of streams, as Cut looks at it
	actor *model.Actor
	after int64         // position of the last event that was written
	muted service.Muted // nil: it has to be read
}

// Open opens a stream of the actor's queue and writes to the sink what is
// unacknowledged. It returns nil where the stream is over with that; else Run has to
// follow.
func (s *Streams) Open(ctx context.Context, actor *model.Actor, request Request, sink Sink) (*Stream, error) {
	st := &Stream{streams: s, actor: actor, request: request, sink: sink}
	st.ctx, st.cancel = context.WithCancel(trace.Follow(large.Follow(audit.Outlive(ctx), ctx), ctx))
	st.sub = s.registry.hub.Subscribe(live.Subscriber{
		Account: actor.Account, Key: actor.Key.Key, Secret: actor.Secret, Scope: actor.Key.Scope,
		Member: len(actor.Memberships) > 0, Stream: true, ID: model.StreamID(uuid.Must(uuid.NewV7())),
		Features: request.Features,
	})
	s.add(st)
	err := st.begin(ctx)
	if err != nil || request.CloseAfterMessages {
		st.leave()
		s.remove(st)
		return nil, err
	}
	return st, nil
}

// begin writes the stream up to the end of its replay.
func (st *Stream) begin(ctx context.Context) error {
	// Where the replay ends is settled before the client hears anything. The hub tells
	// of what is queued from then on.
	queue, err := st.streams.cases.Unacknowledged(ctx, st.actor, st.request.LastEventID)
	if err != nil {
		return err
	}
	st.after = queue.After
	if err := st.streams.registry.arrived(ctx, st.sub, queue.Last); err != nil {
		return err
	}
	if err := st.sink.Comment(); err != nil {
		return err
	}
	if err := st.sink.Flush(); err != nil {
		return err
	}
	if err := st.replay(ctx, queue); err != nil {
		return err
	}
	if err := st.replayPresence(ctx); err != nil {
		return err
	}
	return st.sink.Flush()
}

// replay writes what is queued at the start, between its brackets.
func (st *Stream) replay(ctx context.Context, queue service.Unacknowledged) error {
	if st.request.NoOfflineMessages {
		st.after = max(st.after, queue.Last)
		return st.refresh(ctx) // what ended the key before the stream was noted has ended it
	}
	if err := st.advise("replay_start", &queue.Count); err != nil {
		return err
	}
	if err := st.writeQueued(ctx, queue.Last); err != nil {
		return err
	}
	return st.advise("replay_stop", nil)
}

// replayPresence writes who is present, where that was asked for: of who came before the stream nothing tells later.
func (st *Stream) replayPresence(ctx context.Context) error {
	wants := func(feature string) bool { return slices.Contains(st.request.Features, feature) }
	if !wants(live.FeaturePresence) || !wants(live.FeaturePresenceReplay) {
		return nil
	}
	present, err := st.streams.registry.presentTo(ctx, st.sub.Account, st.sub.Scope)
	if err != nil {
		return err
	}
	for _, account := range present {
		event := model.Event{ID: live.NewID(), Kind: model.EventPresence,
			Presence: &model.Presence{Account: account, Available: true}}
		if err := st.sink.Event(&event); err != nil {
			return err
		}
	}
	return nil
}

func (st *Stream) advise(name string, count *int) error {
	return st.sink.Event(advisory(name, count))
}

func advisory(name string, count *int) *model.Event {
	return &model.Event{ID: live.NewID(), Kind: model.EventAdvisory, Advisory: &model.Advisory{Name: name, Count: count}}
}

// Run writes to a sink what arrives, until the stream is over: because of Close, a failure
// of the sink, the end of the key or the membership, or that of the server. ended is
// called then, with what went wrong; Await does not return before it has.
func (st *Stream) Run(sink Sink, ended func(error)) {
	defer st.streams.remove(st)
	st.streams.use(st, sink)
	err := st.follow()
	if st.ctx.Err() != nil {
		err = nil // what failed was cut off by the reader's leaving
	}
	st.leave()
	st.streams.part(st)
	ended(err)
}

// Panic is the end of a stream by a panic in what writes it.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return "panic in a stream: " + model.PanicText(p.Value) }

// follow is the life of a stream after its replay.
func (st *Stream) follow() (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{v, debug.Stack()}
		}
	}()
	beat := time.NewTicker(st.interval())
	defer beat.Stop()
	accessEnds, stop := st.streams.access.Ends(st.actor)
	defer func() { stop() }()
	for {
		select {
		case <-st.sub.Wake():
			err = st.write(st.sub.Take())
		case <-beat.C:
			err = sayAlive(st.sink, st.request.Heartbeat)
		case <-accessEnds:
			if st.actor.Key.Session { // which may have been used meanwhile
				err = st.refresh(st.ctx)
			}
			if !st.actor.Key.Session || model.IsUnauthenticated(err) {
				st.sub.End(live.Revoked)
				return nil
			}
			stop()
			accessEnds, stop = st.streams.access.Ends(st.actor)
		case <-st.sub.Done():
			return goodbye(st.sink, st.sub.Reason())
		case <-st.ctx.Done():
			return nil
		}
		if err == nil {
			err = st.sink.Flush()
		}
		if err != nil {
			return err
		}
	}
}

func (st *Stream) interval() time.Duration {
	if st.request.Heartbeat > 0 {
		return st.request.Heartbeat
	}
	return st.streams.registry.quietComment
}

// sayAlive shows the reader of a stream on which nothing happens that it is open: by an event
// where it asked for such.
func sayAlive(sink Sink, heartbeat time.Duration) error {
	if heartbeat > 0 {
		return sink.Event(&model.Event{ID: live.NewID(), Kind: model.EventHeartbeat})
	}
	return sink.Comment()
}

// leave ends the part of the reader.
func (st *Stream) leave() {
	st.cancel()
	st.streams.registry.departed(st.sub)
}

// Close ends the stream from the reader's side. Any goroutine may call it.
func (st *Stream) Close() { st.cancel() }

// Reason says why the server ended the stream; 0 where it did not.
func (st *Stream) Reason() live.Reason { return st.sub.Reason() }

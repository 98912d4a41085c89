package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Transport is how events come over the network.
type Transport int

// The transports. Both carry the same events.
const (
	ServerSentEvents Transport = iota
	WebSocket
)

// StreamOptions say which events to follow, and how.
type StreamOptions struct {
	// Acknowledge acknowledges each event once the consumer has come back for the
	// next one, in batches, by itself. If the consumer ends the loop during an event,
	// that event is not acknowledged and comes again with the next stream: every
	// event is handled at least once. Without it the consumer calls Ack, or events
	// come again.
	Acknowledge bool

	LastEventID      string        // skip what was seen up to this event, without acknowledging it
	Typing           bool          // also who is writing
	Presence         bool          // also who is there when the stream begins, and who comes and goes
	SelfCopies       bool          // also the account's own messages
	Deliver          bool          // make messages Delivered when they are written to the stream
	NoReplay         bool          // not what is in the queue already, only what comes; see Events
	CloseAfterReplay bool          // end after what is in the queue
	Features         []string      // further features by name
	Heartbeat        time.Duration // how often the server shows that it lives: 1 to 60 seconds; 0: 5
	Transport        Transport

	// Signals also yields the events about the stream itself: advisories,
	// heartbeats, and the server's wish that clients reconnect.
	Signals bool

	// OnDisconnect is told each time the connection is lost or cannot be made, and
	// how long the stream then waits. After ErrTooManyStreams it reads the queue by
	// polls meanwhile, where they can stand in for it. It is called by the consumer's
	// goroutine.
	OnDisconnect func(err error, wait time.Duration)
}

const (
	defaultHeartbeat = 5 * time.Second
	missedHeartbeats = 3                // so many, and the connection counts as lost
	steadyAfter      = 10 * time.Second // a connection that held so long was no failure
	maxStreamWait    = 5 * time.Minute  // the longest Retry-After that is honoured

	// crowdedOut is how long a stream stays closed, at least, that made room for another
	// one of its account (contract, limits). Those that were closed together do not come
	// back together.
	crowdedOut       = time.Minute
	crowdedOutJitter = 15 * time.Second
)

// streamRetry is how a stream reconnects, for as long as its context is not done.
var streamRetry = RetryPolicy{MinDelay: 500 * time.Millisecond, MaxDelay: 30 * time.Second}

var (
	errStreamClosed = errors.New("the server closed the stream")
	errReconnect    = errors.New("the server asks to connect again")
	errDone         = errors.New("the stream is over") // never shown
)

// Events follows the account's events (GET /events): first those in its queue,
// then each as it happens, in queue order. A lost, silent or refused connection
// is made again, with growing pauses, from the event on that was seen last.
//
// The sequence ends when the consumer ends its loop; else with an error, the
// last thing that it yields: the context's, or a refusal that no new attempt
// would change, such as [ErrUnauthorized] once the key is revoked. With
// CloseAfterReplay it ends without one.
//
// An account may have so many streams open (limits.streams_per_account). One that is
// closed because there are more reads the queue by polls for a minute, and is a stream
// again after that. In this minute there is neither typing nor presence, nor are there
// self-copies. With Deliver, and with NoReplay as long as no event has come, it waits
// instead.
//
// With NoReplay a stream begins with what comes while it is connected. Until the first
// event has come it has no place in the queue to go on from: what comes while the
// connection is lost before that stays in the queue, and is not yielded. It does not go
// with CloseAfterReplay.
func (c *Client) Events(ctx context.Context, o StreamOptions) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if o.Heartbeat == 0 {
			o.Heartbeat = defaultHeartbeat
		}
		if o.Heartbeat < time.Second || o.Heartbeat > time.Minute {
			yield(Event{}, fmt.Errorf("%w: a heartbeat is 1 to 60 seconds, not %v", ErrArgument, o.Heartbeat))
			return
		}
		if o.NoReplay && o.CloseAfterReplay {
			yield(Event{}, fmt.Errorf("%w: without a replay there is no end of it to close after", ErrArgument))
			return
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		s := &stream{c: c, path: []string{"events"}, o: o, lastID: o.LastEventID, retry: streamRetry,
			polls: !o.Deliver && !o.CloseAfterReplay}
		done := func(Event) {}
		if o.Acknowledge {
			a := newAcknowledger(ctx, c, cancel)
			defer a.close()
			s.finish, done = a.close, a.add
		}
		err := s.run(ctx, func(e Event) bool {
			if !yield(e, nil) {
				return false
			}
			done(e)
			return true
		})
		if s.finish != nil {
			s.finish() // before the consumer hears that it is over
		}
		if err != nil {
			yield(Event{}, err)
		}
	}
}

// stream is one sequence of events, over as many connections as it takes.
type stream struct {
	c        *Client
	path     []string // what it is a stream of
	o        StreamOptions
	lastID   string
	retry    RetryPolicy
	opened   time.Time // when the last connection was made; zero: it was not
	failures int       // connections in a row that did not hold
	replayed bool      // the end of the replay has been seen
	own      string    // the account's token, which its own messages come with; empty: it was not asked for
	polls    bool      // polls can stand in for a connection
	pollsTo  time.Time // until then they do
	finish   func()
}

// source is one connection's frames.
type source interface {
	next() (frame, error) // blocks; the frame's data is valid until the next call
	close()
}

// frame is what a connection carries: an event in its wire form.
type frame struct {
	data  []byte
	id    string        // its place in the queue; empty if it has none, or the transport does not say
	retry time.Duration // the pause that the server names; -1: none
}

// run delivers events until the consumer has enough (nil), or nothing more can come.
func (s *stream) run(ctx context.Context, deliver func(Event) bool) error {
	for {
		err := s.connection(ctx, deliver)
		switch {
		case errors.Is(err, errDone):
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, errPolled):
			continue
		case !passing(err):
			return err
		}
		wait := s.wait(err)
		if s.o.OnDisconnect != nil {
			s.o.OnDisconnect(err, wait)
		}
		if errors.Is(err, ErrTooManyStreams) && s.canPoll() {
			s.pollsTo = time.Now().Add(wait)
			continue
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// wait returns how long the stream waits after an end of its connection.
func (s *stream) wait(err error) time.Duration {
	if errors.Is(err, ErrTooManyStreams) {
		s.failures = 0
		return crowdedOut + rand.N(crowdedOutJitter)
	}
	if !s.opened.IsZero() && time.Since(s.opened) >= steadyAfter {
		s.failures = 0
	}
	s.failures++
	if e, ok := errors.AsType[*Error](err); ok && e.RetryAfter > 0 {
		return min(e.RetryAfter, maxStreamWait) + rand.N(s.retry.MinDelay)
	}
	return s.retry.delay(s.failures)
}

// passing reports whether a new connection may fare better. Unlike a call, a
// stream has the time to wait for any failure of the server's to end.
func passing(err error) bool {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status >= http.StatusInternalServerError || e.Status == http.StatusTooManyRequests ||
			e.Status == http.StatusRequestTimeout
	}
	return temporary(err)
}

// connection delivers the events of one connection; its error says why it ended.
func (s *stream) connection(ctx context.Context, deliver func(Event) bool) error {
	s.opened = time.Time{}
	from, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer from.close()
	s.opened = time.Now()
	for {
		f, err := from.next()
		if err != nil {
			return s.ended(err)
		}
		var e Event
		if err := json.Unmarshal(f.data, &e); err != nil {
			return fmt.Errorf("GET /events: %w: %w", ErrProtocol, err)
		}
		if err := s.deliver(e, f, deliver); err != nil {
			return err
		}
		if f.retry >= 0 {
			s.retry.MinDelay = max(f.retry, time.Millisecond)
		}
	}
}

func (s *stream) open(ctx context.Context) (source, error) {
	switch {
	case time.Now().Before(s.pollsTo):
		return &pollSource{ctx: ctx, c: s.c, after: s.lastID, until: s.pollsTo}, nil
	case s.o.Transport == WebSocket:
		if s.o.SelfCopies && s.own == "" {
			self, err := s.c.Self(ctx)
			if err != nil {
				return nil, err
			}
			s.own = self.Token
		}
		return s.openWebSocket(ctx)
	default:
		return s.openSSE(ctx)
	}
}

// deliver hands an event to the consumer and notes how far the stream has come.
func (s *stream) deliver(e Event, f frame, deliver func(Event) bool) error {
	if (s.o.Signals || !e.signal()) && !deliver(e) {
		return errDone
	}
	switch {
	case f.id != "":
		s.lastID = f.id
	case s.o.Transport == WebSocket && e.Queued():
		if !s.isSelfCopy(e) {
			s.lastID = e.ID
		}
	case e.Kind == EventReconnect:
		return errReconnect
	case e.Kind == EventAdvisory:
		advisory, err := e.Advisory()
		if err != nil {
			return err
		}
		if advisory.Name == "too_many_streams" {
			return ErrTooManyStreams // the pause that came with it is for this once
		}
		s.replayed = s.replayed || advisory.Name == "replay_stop"
	}
	return nil
}

// isSelfCopy reports whether an event is a message of the account's own, whose ID is no place in the queue. One that it
// sent to itself is in the queue too, and may come again after a lost connection.
func (s *stream) isSelfCopy(e Event) bool {
	if s.own == "" || e.Kind != EventMessage && e.Kind != EventGroupMessage {
		return false
	}
	m, err := e.Message()
	return err == nil && m.SenderToken == s.own
}

// ended turns the way in which a connection ended into an error.
func (s *stream) ended(err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if s.o.CloseAfterReplay && s.replayed {
		return errDone
	}
	return errStreamClosed
}

// request is the call that opens the stream; the transport adds its headers.
func (s *stream) request() *request {
	r := get(s.path...)
	r.long = true
	r.silence = missedHeartbeats * s.o.Heartbeat
	r.set("Last-Event-ID", s.lastID)
	r.set(s.c.header("Features"), strings.Join(s.features(), ","))
	return r
}

func (s *stream) features() []string {
	// Rounded up to whole seconds, as the interface counts; the silence allowed is three times as long anyway.
	names := []string{"heartbeat_" + strconv.Itoa(whole(s.o.Heartbeat, time.Second))}
	for _, f := range []struct {
		name string
		on   bool
	}{
		{"is-typing", s.o.Typing},
		{"presence", s.o.Presence},
		{"presence-replay", s.o.Presence},
		{"self-copies", s.o.SelfCopies},
		{"auto-deliver", s.o.Deliver},
		// Once an event has been seen, a new connection replays from there: else
		// what came in between would be missed.
		{"no-offline-messages", s.o.NoReplay && s.lastID == ""},
		{"close-after-messages", s.o.CloseAfterReplay},
	} {
		if f.on {
			names = append(names, f.name)
		}
	}
	return append(names, s.o.Features...)
}

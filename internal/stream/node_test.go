package stream

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/access"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/store/presence"
	"signet/internal/testenv"
)

// nodes are two servers on one store, with two people of an organization.
type nodes struct {
	*house
	one *model.Actor
	pal *model.Actor // has one in its roster, and is in that of one
}

// linger is for how long an account counts as there after its last stream.
const linger = 5 * time.Second

func newPeople(t *testing.T, limit int) *nodes {
	t.Helper()
	j := &nodes{house: newNodes(t, limit)}
	o := j.organization()
	j.one, j.pal = j.member(o, "one"), j.member(o, "pal")
	j.say(j.one, j.pal.Account.String(), "text")
	j.say(j.pal, j.one.Account.String(), "text")
	return j
}

// round has a node do what is due.
func (j *nodes) round(i int) {
	j.t.Helper()
	j.must(j.servers[i].node.Round(j.t.Context()))
}

// sink is the reading end of a stream.
type sink struct {
	t      *testing.T
	cancel context.CancelFunc
	events chan model.Event
	waits  atomic.Bool // it was told to, as the account has too many streams
	ended  chan error  // closed when the stream has ended
}

func (s *sink) Event(e *model.Event) error {
	if e.Kind != model.EventAdvisory {
		s.events <- *e
	} else if e.Advisory.Name == "too_many_streams" {
		s.waits.Store(true)
	}
	return nil
}

func (s *sink) Shared(e *live.Event) error { return s.Event(&e.Event) }
func (s *sink) Comment() error             { return nil }
func (s *sink) Flush() error               { return nil }
func (s *sink) Abort()                     {}
func (s *sink) Retry(time.Duration) error  { return nil }

// stream opens a stream on a node, and returns once that is open. It ends with the
// test at the latest.
func (j *nodes) stream(i int, actor *model.Actor, features ...string) *sink {
	j.t.Helper()
	s := &sink{t: j.t, events: make(chan model.Event, 100), ended: make(chan error)}
	begun := &beginning{sink: s, begun: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	go func() {
		defer close(s.ended)
		st, err := j.servers[i].streams.Open(ctx, actor, Request{NoOfflineMessages: true, Features: features}, begun)
		if err == nil {
			defer context.AfterFunc(ctx, st.Close)()
			st.Run(begun, func(over error) { err = over })
		}
		s.ended <- err
	}()
	j.t.Cleanup(func() {
		cancel()
		for range s.ended { // until it is closed
		}
	})
	select {
	case <-begun.begun:
	case err := <-s.ended:
		j.t.Fatalf("the stream does not open: %v", err)
	}
	return s
}

// beginning tells when a stream has written its first sign of life.
type beginning struct {
	*sink
	once  sync.Once
	begun chan struct{}
}

func (b *beginning) Comment() error {
	b.once.Do(func() { close(b.begun) })
	return nil
}

// wantEnd waits until the stream has ended.
func (s *sink) wantEnd() {
	s.t.Helper()
	select {
	case err := <-s.ended:
		// One that looks at its queue just then finds out by itself that its key is gone.
		var told *model.Error
		if err != nil && !errors.Is(err, context.Canceled) && !(errors.As(err, &told) && told.Kind == model.Unauthenticated) {
			s.t.Errorf("the stream ended with %v", err)
		}
	case <-time.After(30 * time.Second):
		s.t.Fatal("the stream does not end")
	}
}

// close ends the stream from the reader's side.
func (s *sink) close() {
	s.t.Helper()
	s.cancel()
	s.wantEnd()
}

func (s *sink) wantOpen() {
	s.t.Helper()
	select {
	case err := <-s.ended:
		s.t.Errorf("the stream has ended: %v", err)
	default:
	}
}

// wantPresence compares what the pal, who watches on the first node, was told there
// of who comes and goes.
func (j *nodes) wantPresence(watching *sink, account model.AccountID, want ...bool) {
	j.t.Helper()
	j.must(j.servers[0].Typing(j.t.Context(), j.one, j.pal.Account.String(), true)) // comes after what was told
	got := []bool{}
	for {
		e := watching.next()
		if e.Kind == model.EventTyping {
			break
		}
		if e.Presence == nil || e.Presence.Account != account {
			j.t.Fatalf("got %+v, want who comes and goes", e)
		}
		got = append(got, e.Presence.Available)
	}
	if !slices.Equal(got, append([]bool{}, want...)) {
		j.t.Errorf("told of presence: %v, want %v", got, want)
	}
}

// next waits for an event.
func (s *sink) next() (e model.Event) {
	s.t.Helper()
	select {
	case e = <-s.events:
	case <-time.After(30 * time.Second):
		s.t.Fatal("no event comes")
	}
	return e
}

// rows are the streams of an account as the store has them, the oldest first.
func (j *nodes) rows(actor *model.Actor) (rows []presence.Stream) {
	j.t.Helper()
	j.must(j.store.View(j.t.Context(), func(tx *store.Tx) (err error) {
		rows, err = presence.StreamsOf(tx, actor.Account, j.clock.Now())
		return err
	}))
	return rows
}

// states are the states of these.
func (j *nodes) states(actor *model.Actor) []presence.State {
	j.t.Helper()
	out := []presence.State{}
	for _, r := range j.rows(actor) {
		out = append(out, r.State)
	}
	return out
}

func (j *nodes) wantStates(actor *model.Actor, want ...presence.State) {
	j.t.Helper()
	if got := j.states(actor); !slices.Equal(got, want) {
		j.t.Errorf("the streams are %v, want %v", got, want)
	}
}

func TestDeletingEventsClosesAndCountsStreamsOfAllNodes(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 0)
	here, there, gone := j.stream(0, j.one), j.stream(1, j.one), j.stream(1, j.one)
	other := j.stream(1, j.pal)
	gone.close()
	j.round(1)
	deleted, err := j.servers[0].DeleteEvents(t.Context(), j.one, true)
	j.must(err)
	if deleted.Streams != 2 {
		t.Errorf("%d streams were closed, want 2", deleted.Streams)
	}
	here.wantEnd()
	j.round(1)
	there.wantEnd()
	other.wantOpen()

	// So does a logout of a key that no login issued, for its own streams.
	key, err := j.servers[0].IssueKey(t.Context(), j.one, access.IssueKeyCommand{Account: "me"})
	j.must(err)
	mine, others := j.stream(1, j.one), j.stream(1, j.signIn(j.servers[0], key.Key.Key, key.Secret))
	j.must(j.servers[0].Logout(t.Context(), j.one))
	j.round(1)
	mine.wantEnd()
	others.wantOpen()
}

func TestKeysAndMembershipsThatEndedElsewhereEndTheirReaders(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 0)
	key, err := j.servers[0].IssueKey(t.Context(), j.one, access.IssueKeyCommand{Account: "me"})
	j.must(err)
	second := j.signIn(j.servers[0], key.Key.Key, key.Secret)
	byKey, stays, member := j.stream(1, second), j.stream(1, j.one), j.stream(1, j.pal)
	polled := make(chan error, 1)
	go func() {
		_, err := j.servers[1].Poll(context.Background(), second,
			service.PollOptions{After: j.lastEvent(j.one), Limit: 1, Wait: service.MaxWait})
		polled <- err
	}()
	for len(j.servers[1].hub.Subscriptions()) < 4 {
		j.round(1) // nothing ends while all holds
	}
	j.must(j.servers[0].RevokeKey(t.Context(), j.one, "me", second.Key.Key))
	j.clock.Advance(time.Second)
	j.round(1)
	byKey.wantEnd()
	var told *model.Error
	if err := <-polled; !errors.As(err, &told) || told.Kind != model.Unauthenticated {
		t.Errorf("a poll with a key that was revoked answers %v", err)
	}
	stays.wantOpen()
	member.wantOpen()

	j.must(j.servers[0].RemoveMember(t.Context(), j.admin, j.pal.Account.String(), j.pal.Memberships[0].Organization))
	j.round(1)
	member.wantEnd()
	stays.wantOpen()
}

// lastEvent is the id of the newest event of an account.
func (j *nodes) lastEvent(actor *model.Actor) string {
	j.t.Helper()
	events, err := j.servers[0].Poll(j.t.Context(), actor, service.PollOptions{Limit: service.MaxEvents})
	j.must(err)
	return events[len(events)-1].ID
}

func TestReadersAreWokenForWhatNobodyToldThem(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 0)
	stream := j.stream(1, j.one)
	polled := make(chan []model.Event, 1)
	after := j.lastEvent(j.pal)
	go func() {
		events, err := j.servers[1].Poll(context.Background(), j.pal,
			service.PollOptions{After: after, Limit: 10, Wait: service.MaxWait})
		if err != nil {
			t.Error(err)
		}
		polled <- events
	}()
	for len(j.servers[1].hub.Subscriptions()) < 2 {
		j.round(1)
	}
	first, second := j.say(j.pal, j.one.Account.String(), "text"), j.say(j.one, j.pal.Account.String(), "text")
	j.clock.Advance(2 * time.Second)
	j.round(1)
	if e := stream.next(); e.Message == nil || e.Message.ID != first {
		t.Errorf("the stream got %+v, want the message", e)
	}
	if events := <-polled; len(events) != 1 || events[0].Message == nil || events[0].Message.ID != second {
		t.Errorf("the poll got %+v, want the message", events)
	}
}

func TestAccountIsThereWhileAnyNodeHasAStreamOfIt(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 0)
	watching := j.stream(0, j.pal, "presence", "is-typing") // tells of what node 0 tells only: there is no bus
	first := j.stream(0, j.one)
	j.wantPresence(watching, j.one.Account, true)
	late := j.stream(1, j.pal, live.FeaturePresence, live.FeaturePresenceReplay)
	if e := late.next(); e.Presence == nil || *e.Presence != (model.Presence{Account: j.one.Account, Available: true}) {
		t.Errorf("who comes late on another node is told %+v, want who is there", e)
	}
	late.close()
	second := j.stream(1, j.one)
	first.close()
	j.round(0)
	j.clock.Advance(linger)
	j.round(0)
	j.wantPresence(watching, j.one.Account)
	j.wantStates(j.one, presence.Open)

	third := j.stream(0, j.one) // it was there all the time
	second.close()
	j.round(1)
	third.close()
	j.round(0)
	j.clock.Advance(linger - time.Millisecond)
	j.round(0)
	j.round(1)
	j.wantPresence(watching, j.one.Account)
	again := j.stream(0, j.one) // it was away for less than it takes
	j.clock.Advance(time.Millisecond)
	j.round(1)
	j.round(0)
	j.wantPresence(watching, j.one.Account)
	again.close()
	j.round(0)
	j.clock.Advance(linger)
	j.round(0)
	j.wantPresence(watching, j.one.Account, false)
	j.wantStates(j.one)
	j.stream(0, j.one)
	j.wantPresence(watching, j.one.Account, true)
}

// An account whose leaving is still being told is back on a node, which tells it at once.
func TestNodeTellsLastThatAnAccountIsBack(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 0)
	watching := j.stream(0, j.pal, "presence", "is-typing")
	first, node := j.stream(0, j.one), j.servers[0].node
	j.wantPresence(watching, j.one.Account, true)
	first.close()
	j.must(node.writeClosed(t.Context()))
	j.clock.Advance(linger)
	roster, told := j.servers[0].read.hold(), make(chan error, 1)
	go func() { told <- node.depart(t.Context(), j.clock.Now()) }()
	<-roster.reached
	j.stream(0, j.one)
	close(roster.release)
	j.must(<-told)
	j.wantPresence(watching, j.one.Account, true, false, true)
}

func TestStreamsOfANodeThatDiedLapse(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 2)
	watching := j.stream(0, j.pal, "presence", "is-typing")
	j.stream(1, j.one)
	here := j.stream(0, j.one)
	here.close()
	j.round(0)
	j.clock.Advance(nodeRenew)
	j.round(0)
	j.round(1)
	j.wantStates(j.one, presence.Open)

	// From here on node 1 does nothing any more.
	j.clock.Advance(nodeLease - nodeRenew)
	j.round(0)
	j.wantStates(j.one, presence.Open)
	j.clock.Advance(nodeRenew)
	// Its stream takes no place from then on, whether or not anybody has seen to it.
	first, second := j.stream(0, j.one), j.stream(0, j.one)
	j.round(0)
	first.wantOpen()
	second.wantOpen()
	j.wantStates(j.one, presence.Open, presence.Open)
	j.wantPresence(watching, j.one.Account) // it was there, and is
	first.close()
	second.close()
	j.round(0)
	j.clock.Advance(linger)
	j.round(0)
	j.wantPresence(watching, j.one.Account, false)
}

func TestWhoWasOnANodeThatDiedIsToldToBeAway(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 0)
	watching := j.stream(0, j.pal, "presence", "is-typing")
	j.stream(1, j.one)
	for range 2 { // the second time there is nothing left to see to
		j.clock.Advance(nodeLease - nodeRenew)
		j.round(0)
	}
	j.wantPresence(watching, j.one.Account, false)
	j.wantStates(j.one)
}

func TestServerThatIsAloneKeepsNoRows(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	j := newPeople(t, 0)
	j.servers[0].registry.node = nil // as on the embedded store
	s := j.stream(0, j.one)
	deleted, err := j.servers[0].DeleteEvents(t.Context(), j.one, true)
	j.must(err)
	s.wantEnd()
	if deleted.Streams != 1 {
		t.Errorf("%d streams were closed, want 1", deleted.Streams)
	}
	j.wantStates(j.one)
}

// A node whose clock is a month ahead takes nobody for lapsed, and does not count as
// there for a month.
func TestNodeWhoseClockIsWrongKeepsToTheStoresTime(t *testing.T) {
	testenv.Long(t)
	j := newPeople(t, 0)
	const wrong = 31 * 24 * time.Hour
	j.servers[1].ahead = wrong
	stream := j.stream(0, j.one)
	for range 2 {
		j.clock.Advance(nodeRenew)
		j.round(0)
		j.round(1)
	}
	j.wantStates(j.one, presence.Open)
	stream.wantOpen()
	others := 0
	j.must(j.store.View(t.Context(), func(tx *store.Tx) (err error) {
		others, err = presence.OtherNodes(tx, model.NodeID{}, j.clock.Now().Add(nodeLease+time.Second))
		return err
	}))
	if others != 0 {
		t.Errorf("%d nodes count as there for longer than a lease", others)
	}
}

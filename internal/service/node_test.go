package service

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
)

// joined are the nodes of a cluster that know of each other by the store alone:
// nothing is said between them. Their rounds are called by the test.
type joined struct {
	*cluster
	node []*Node
	one  *model.Actor
	pal  *model.Actor // has one in its roster, and is in that of one
}

func newJoined(t *testing.T, limits Limits) *joined {
	t.Helper()
	j := &joined{cluster: newCluster(t, limits)}
	for _, s := range j.nodes {
		n, err := s.Join(t.Context())
		j.must(err)
		j.node = append(j.node, n)
	}
	o := j.organization()
	j.one, j.pal = j.member(o, "one"), j.member(o, "pal")
	j.mustSend(j.one, j.pal.Account.String())
	j.mustSend(j.pal, j.one.Account.String())
	return j
}

// round has a node do what is due.
func (j *joined) round(i int) {
	j.t.Helper()
	j.must(j.node[i].Round(j.t.Context()))
}

// sink is the reading end of a stream.
type sink struct {
	t      *testing.T
	cancel context.CancelFunc
	events chan model.Event
	ended  chan error // closed when the stream has ended
}

func (s *sink) Event(e model.Event) error {
	if e.Kind != model.EventAdvisory {
		s.events <- e
	}
	return nil
}

func (s *sink) Copy(c *live.Copy, muted bool) error {
	e := c.Event
	m := *e.Message
	m.Muted = muted
	e.Message = &m
	return s.Event(e)
}

func (s *sink) Comment() error  { return nil }
func (s *sink) Waits(fn func()) {}
func (s *sink) Flush() error    { return nil }
func (s *sink) Abort()          {}

// stream opens a stream on a node, and returns once that is open. It ends with the
// test at the latest.
func (j *joined) stream(i int, actor *model.Actor, features ...string) *sink {
	j.t.Helper()
	s := &sink{t: j.t, events: make(chan model.Event, 100), ended: make(chan error)}
	begun := &beginning{sink: s, begun: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	go func() {
		defer close(s.ended)
		st, err := j.nodes[i].OpenStream(ctx, actor, StreamOptions{NoOfflineMessages: true, Features: features}, begun)
		if err == nil {
			err = st.Run(ctx)
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
func (j *joined) wantPresence(watching *sink, account model.AccountID, want ...bool) {
	j.t.Helper()
	j.must(j.nodes[0].Typing(j.t.Context(), j.one, j.pal.Account.String(), true)) // comes after what was told
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

// states are the streams of an account as the store has them, the oldest first.
func (j *joined) states(actor *model.Actor) []store.StreamState {
	j.t.Helper()
	rows := view(j.cluster, func(tx *store.Tx) ([]store.StreamRow, error) { return tx.StreamsOf(actor.Account, j.clock.Now()) })
	out := []store.StreamState{}
	for _, r := range rows {
		out = append(out, r.State)
	}
	return out
}

func (j *joined) wantStates(actor *model.Actor, want ...store.StreamState) {
	j.t.Helper()
	if got := j.states(actor); !slices.Equal(got, want) {
		j.t.Errorf("the streams are %v, want %v", got, want)
	}
}

func TestStreamsPastTheLimitEndOnWhicheverNode(t *testing.T) {
	t.Parallel()
	j := newJoined(t, Limits{StreamsPerAccount: 2})
	oldest, second := j.stream(0, j.one), j.stream(1, j.one)
	other := j.stream(0, j.pal)
	third := j.stream(1, j.one)
	j.wantStates(j.one, store.StreamReplaced, store.StreamOpen, store.StreamOpen)
	j.round(0) // where nobody has told it
	oldest.wantEnd()
	j.stream(1, j.one)
	second.wantEnd() // on the same node at once
	j.round(0)
	j.round(1)
	third.wantOpen()
	other.wantOpen()
	j.wantStates(j.one, store.StreamClosed, store.StreamClosed, store.StreamOpen, store.StreamOpen)
}

func TestNodesKeepToTheStreamsOfAnAccount(t *testing.T) {
	t.Parallel()
	const limit = 3
	j := newJoined(t, Limits{StreamsPerAccount: limit})
	var group sync.WaitGroup
	for i := range 10 { // at once
		group.Go(func() { j.stream(i%2, j.one) })
	}
	group.Wait()
	j.round(0)
	j.round(1)
	open := 0
	for _, state := range j.states(j.one) {
		if state == store.StreamOpen {
			open++
		}
	}
	if open != limit {
		t.Errorf("%d streams are open, want %d", open, limit)
	}
}

func TestDeletingEventsClosesAndCountsStreamsOfAllNodes(t *testing.T) {
	t.Parallel()
	j := newJoined(t, Limits{})
	here, there, gone := j.stream(0, j.one), j.stream(1, j.one), j.stream(1, j.one)
	other := j.stream(1, j.pal)
	gone.close()
	j.round(1)
	deleted, err := j.nodes[0].DeleteEvents(t.Context(), j.one, true)
	j.must(err)
	if deleted.Streams != 2 {
		t.Errorf("%d streams were closed, want 2", deleted.Streams)
	}
	here.wantEnd()
	j.round(1)
	there.wantEnd()
	other.wantOpen()

	// So does a logout of a key that no login issued, for its own streams.
	key, err := j.nodes[0].IssueKey(t.Context(), j.one, IssueKeyCommand{Account: "me"})
	j.must(err)
	mine, others := j.stream(1, j.one), j.stream(1, j.fresh(key.Key.Key))
	j.must(j.nodes[0].Logout(t.Context(), j.one))
	j.round(1)
	mine.wantEnd()
	others.wantOpen()
}

func TestKeysAndMembershipsThatEndedElsewhereEndTheirReaders(t *testing.T) {
	t.Parallel()
	j := newJoined(t, Limits{})
	key, err := j.nodes[0].IssueKey(t.Context(), j.one, IssueKeyCommand{Account: "me"})
	j.must(err)
	second := j.fresh(key.Key.Key)
	byKey, stays, member := j.stream(1, second), j.stream(1, j.one), j.stream(1, j.pal)
	polled := make(chan error, 1)
	go func() {
		_, err := j.nodes[1].Poll(context.Background(), second, PollOptions{After: j.lastEvent(j.one), Limit: 1, Wait: MaxWait})
		polled <- err
	}()
	for len(j.nodes[1].hub.Subscriptions()) < 4 {
		j.round(1) // nothing ends while all holds
	}
	j.must(j.nodes[0].RevokeKey(t.Context(), j.one, "me", second.Key.Key))
	j.clock.Advance(actorLife + 1)
	j.round(1)
	byKey.wantEnd()
	var told *model.Error
	if err := <-polled; !errors.As(err, &told) || told.Kind != model.Unauthenticated {
		t.Errorf("a poll with a key that was revoked answers %v", err)
	}
	stays.wantOpen()
	member.wantOpen()

	j.must(j.nodes[0].RemoveMember(t.Context(), j.admin, j.pal.Account.String(), j.pal.Memberships[0].Organization))
	j.round(1)
	member.wantEnd()
	stays.wantOpen()
}

// lastEvent is the id of the newest event of an account.
func (j *joined) lastEvent(actor *model.Actor) string {
	j.t.Helper()
	events, err := j.nodes[0].Poll(j.t.Context(), actor, PollOptions{Limit: MaxEvents})
	j.must(err)
	return events[len(events)-1].ID
}

func TestReadersAreWokenForWhatNobodyToldThem(t *testing.T) {
	t.Parallel()
	j := newJoined(t, Limits{})
	stream := j.stream(1, j.one)
	polled := make(chan []model.Event, 1)
	after := j.lastEvent(j.pal)
	go func() {
		events, err := j.nodes[1].Poll(context.Background(), j.pal, PollOptions{After: after, Limit: 10, Wait: MaxWait})
		if err != nil {
			t.Error(err)
		}
		polled <- events
	}()
	for len(j.nodes[1].hub.Subscriptions()) < 2 {
		j.round(1)
	}
	first, second := j.mustSend(j.pal, j.one.Account.String()), j.mustSend(j.one, j.pal.Account.String())
	j.clock.Advance(lookAlone)
	j.round(1)
	if e := stream.next(); e.Message == nil || e.Message.ID != first {
		t.Errorf("the stream got %+v, want the message", e)
	}
	if events := <-polled; len(events) != 1 || events[0].Message == nil || events[0].Message.ID != second {
		t.Errorf("the poll got %+v, want the message", events)
	}
}

func TestAccountIsThereWhileAnyNodeHasAStreamOfIt(t *testing.T) {
	t.Parallel()
	j := newJoined(t, Limits{})
	watching := j.stream(0, j.pal, "presence", "is-typing") // tells of what node 0 tells only: there is no bus
	first := j.stream(0, j.one)
	j.wantPresence(watching, j.one.Account, true)
	second := j.stream(1, j.one)
	first.close()
	j.round(0)
	j.clock.Advance(presenceLinger)
	j.round(0)
	j.wantPresence(watching, j.one.Account)
	j.wantStates(j.one, store.StreamOpen)

	third := j.stream(0, j.one) // it was there all the time
	second.close()
	j.round(1)
	third.close()
	j.round(0)
	j.clock.Advance(presenceLinger - time.Millisecond)
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
	j.clock.Advance(presenceLinger)
	j.round(0)
	j.wantPresence(watching, j.one.Account, false)
	j.wantStates(j.one)
	j.stream(0, j.one)
	j.wantPresence(watching, j.one.Account, true)
}

func TestStreamsOfANodeThatDiedLapse(t *testing.T) {
	t.Parallel()
	j := newJoined(t, Limits{StreamsPerAccount: 2})
	watching := j.stream(0, j.pal, "presence", "is-typing")
	j.stream(1, j.one)
	here := j.stream(0, j.one)
	here.close()
	j.round(0)
	j.clock.Advance(nodeRenew)
	j.round(0)
	j.round(1)
	j.wantStates(j.one, store.StreamOpen)

	// From here on node 1 does nothing any more.
	j.clock.Advance(nodeLease - nodeRenew)
	j.round(0)
	j.wantStates(j.one, store.StreamOpen)
	j.clock.Advance(nodeRenew)
	// Its stream takes no place from then on, whether or not anybody has seen to it.
	first, second := j.stream(0, j.one), j.stream(0, j.one)
	j.round(0)
	first.wantOpen()
	second.wantOpen()
	j.wantStates(j.one, store.StreamOpen, store.StreamOpen)
	j.wantPresence(watching, j.one.Account) // it was there, and is
	first.close()
	second.close()
	j.round(0)
	j.clock.Advance(presenceLinger)
	j.round(0)
	j.wantPresence(watching, j.one.Account, false)
}

func TestWhoWasOnANodeThatDiedIsToldToBeAway(t *testing.T) {
	t.Parallel()
	j := newJoined(t, Limits{})
	watching := j.stream(0, j.pal, "presence", "is-typing")
	j.stream(1, j.one)
	for range 2 { // the second time there is nothing left to see to
		j.clock.Advance(nodeLease - nodeRenew)
		j.round(0)
	}
	j.wantPresence(watching, j.one.Account, false)
	j.wantStates(j.one)
}

func TestNodeThatHungNotesItsStreamsAgain(t *testing.T) {
	t.Parallel()
	j := newJoined(t, Limits{})
	watching := j.stream(0, j.pal, "presence", "is-typing")
	hung := j.stream(1, j.one)
	for range 4 {
		j.clock.Advance(nodeRenew)
		j.round(0)
	}
	j.wantPresence(watching, j.one.Account, false)
	j.wantStates(j.one)
	j.round(1)
	hung.wantOpen()
	j.wantStates(j.one, store.StreamOpen)
}

func TestNodeThatStopsLeavesItsStreamsToTheOthers(t *testing.T) {
	t.Parallel()
	j := newJoined(t, Limits{})
	watching := j.stream(0, j.pal, "presence", "is-typing")
	stream := j.stream(1, j.one)
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		j.node[1].Run(ctx)
	}()
	j.nodes[1].hub.Close()
	if e := stream.next(); e.Kind != model.EventReconnect {
		t.Errorf("got %+v, want the word to connect again", e)
	}
	stream.wantEnd()
	stop()
	<-stopped
	j.wantStates(j.one, store.StreamClosed)
	j.clock.Advance(presenceLinger - time.Millisecond)
	j.node[0].renewed = time.Time{} // its time to look for nodes that lapsed
	j.round(0)
	j.wantPresence(watching, j.one.Account)
	j.clock.Advance(time.Millisecond)
	j.node[0].renewed = time.Time{}
	j.round(0)
	j.wantPresence(watching, j.one.Account, false)
}

func TestServerThatIsAloneKeepsNoRows(t *testing.T) {
	t.Parallel()
	j := newJoined(t, Limits{})
	j.nodes[0].node = nil // as on the embedded store
	s := j.stream(0, j.one)
	deleted, err := j.nodes[0].DeleteEvents(t.Context(), j.one, true)
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
	j := newJoined(t, Limits{})
	const wrong = 31 * 24 * time.Hour
	j.nodes[1].clock = func() time.Time { return j.clock.Now().Add(wrong) }
	j.nodes[1].time.Offset = func(context.Context) (time.Duration, error) { return -wrong, nil }
	stream := j.stream(0, j.one)
	for range 2 {
		j.clock.Advance(nodeRenew)
		j.round(0)
		j.round(1)
	}
	j.wantStates(j.one, store.StreamOpen)
	stream.wantOpen()
	others := 0
	j.must(j.store.View(t.Context(), func(tx *store.Tx) (err error) {
		others, err = tx.OtherNodes(model.NodeID{}, j.clock.Now().Add(nodeLease+time.Second))
		return err
	}))
	if others != 0 {
		t.Errorf("%d nodes count as there for longer than a lease", others)
	}
}

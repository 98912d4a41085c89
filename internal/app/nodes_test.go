package app_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/live/natstest"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

func TestServerWhoseAttachmentsOthersDoNotSeeSaysSo(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	const told = "attachments are kept in this one's data directory"
	first := apptest.Start(t, func(cfg *config.Config) { cfg.Database = postgrestest.URL(t) })
	second := first.Another()
	third := first.Another(func(cfg *config.Config) { cfg.Blobs = "" })
	for _, node := range []*apptest.Server{first, second, third} {
		node.Allow(told)
		if says := strings.Contains(node.Log.String(), told); says != (node == third) {
			t.Errorf("it says so: %v; its log is\n%s", says, node.Log)
		}
	}
}

func TestClientThatChangesServersSeesOneQueue(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, 3, natstest.Start(t).URL())
	me := apptest.InTurn(t, c.Alice, c.nodes...)
	ctx := t.Context()
	var kept []client.Event // what is not acknowledged
	for i := range 40 {
		body := fmt.Sprint("note ", i)
		c.mustSend(me, c.Alice, body)
		queue, err := me.Poll(ctx, client.PollOptions{Limit: 1000})
		c.must(err)
		queue = slices.DeleteFunc(queue, func(e client.Event) bool { return e.Kind != client.EventMessage })
		want := append(bodies(t, kept), body)
		if got := bodies(t, queue); !slices.Equal(got, want) {
			t.Fatalf("after message %d the queue is %q, want %q", i, got, want)
		}
		for j := range kept {
			if kept[j].ID != queue[j].ID {
				t.Errorf("an event has another id on another server: %s and %s", kept[j].ID, queue[j].ID)
			}
		}
		rest, err := me.Poll(ctx, client.PollOptions{After: queue[0].ID})
		c.must(err)
		if got := slices.DeleteFunc(rest,
			func(e client.Event) bool { return e.Kind != client.EventMessage }); len(got) != len(queue)-1 {
			t.Errorf("%d events come after the first of %d", len(got), len(queue))
		}
		if kept = queue; i%3 == 2 {
			c.must(me.Ack(ctx, queue[0].ID, queue[1].ID))
			kept = queue[2:]
		}
	}
}

// TestOrderHoldsWhicheverServersAreUsed: senders and readers that change servers, and
// streams on all of them, get everything, once, in each sender's order.
func TestOrderHoldsWhicheverServersAreUsed(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	const each = 60
	c := newCluster(t, 3, natstest.Start(t).URL())
	senders := []*apptest.Person{c.Alice, c.Carol, c.Dana}
	var streams []*listener
	for i := range c.nodes {
		streams = append(streams, c.listen(i, c.Bob))
	}
	var sending sync.WaitGroup
	for _, sender := range senders {
		by := apptest.InTurn(t, sender, c.nodes...)
		sending.Go(func() {
			for i := range each {
				if _, err := by.Send(t.Context(),
					client.Outgoing{Recipient: c.Bob.Token, Body: fmt.Sprint(sender.Name, " ", i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	var want []string // a sender's messages
	for _, sender := range senders {
		for i := range each {
			want = append(want, fmt.Sprint(sender.Name, " ", i))
		}
	}
	// wantAll compares what came, in the order of its senders.
	wantAll := func(what string, got []string) {
		t.Helper()
		slices.SortStableFunc(got, func(a, b string) int {
			nameA, _, _ := strings.Cut(a, " ")
			nameB, _, _ := strings.Cut(b, " ")
			return strings.Compare(nameA, nameB)
		})
		if !slices.Equal(got, want) {
			t.Errorf("%s got %q", what, got)
		}
	}
	reader := apptest.InTurn(t, c.Bob, c.nodes...)
	var polled, ids []string
	for after := ""; len(polled) < len(want); {
		events, err := reader.Poll(t.Context(), client.PollOptions{After: after, Limit: 7, Wait: 10 * time.Second})
		c.must(err)
		polled = append(polled, bodies(t, events)...)
		for _, e := range events {
			after, ids = e.ID, append(ids, e.ID)
		}
	}
	sending.Wait()
	wantAll("the polling reader", slices.Clone(polled))
	for i, s := range streams {
		var got []string
		for range want {
			m, err := s.wantNext(client.EventMessage).Message()
			c.must(err)
			got = append(got, m.Body)
		}
		if !slices.Equal(got, polled) {
			t.Errorf("the stream on server %d got another order than the polling reader: %q and %q", i, got, polled)
		}
	}
	c.must(reader.Ack(t.Context(), ids...))
	for i := range c.nodes {
		if rest, err := c.at(i, c.Bob).Poll(t.Context(), client.PollOptions{}); err != nil || len(rest) > 0 {
			t.Errorf("server %d has %d events after all were acknowledged (%v)", i, len(rest), err)
		}
	}
}

// bothWays runs a test on servers that hear of each other through NATS, and on servers that have
// nothing but the database.
func bothWays(t *testing.T, test func(t *testing.T, nats string)) {
	t.Helper()
	for name, nats := range map[string]string{"with NATS": natstest.Start(t).URL(), "without": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, nats)
		})
	}
}

func TestStreamHearsAtOnceWhatAnotherServerAccepted(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, nats string) {
		c := newCluster(t, 2, nats)
		heard, by := c.listen(0, c.Bob), c.at(1, c.Alice)
		var took []time.Duration
		for i := range 50 {
			began := time.Now()
			c.mustSend(by, c.Bob, fmt.Sprint(i))
			heard.wantBody(fmt.Sprint(i))
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		t.Logf("from the request to the event: median %v, all within %v", took[len(took)/2], took[len(took)-1])
		if metric(t, c.nodes[0], busMetric("received_total", nats)) < 50 ||
			metric(t, c.nodes[1], busMetric("published_total", nats)) < 50 {
			t.Error("the servers did not hear it from each other")
		}
		if got := metric(t, c.nodes[0], "signet_streams"); got != 1 {
			t.Errorf("%v streams are open, want 1", got)
		}
	})
}

func TestLiveSignalsCrossServers(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	bothWays(t, func(t *testing.T, nats string) {
		c := newCluster(t, 3, nats)
		ctx := t.Context()
		c.mustSend(c.Alice.Client, c.Bob, "so that they have each other in their rosters")
		c.mustSend(c.Bob.Client, c.Alice, "so too")
		bob := c.listen(0, c.Bob, "is-typing", "presence")
		presence := func(want string) {
			t.Helper()
			p, err := bob.wantNext(client.EventPresence).Presence()
			c.must(err)
			if p.From != c.Alice.Token || p.Type != want {
				t.Errorf("got %+v, want %s", p, want)
			}
		}
		first := c.listen(1, c.Alice, "self-copies")
		presence("available")
		second := c.listen(2, c.Alice)
		first.Close()
		c.must(c.at(2, c.Alice).StartTyping(ctx, c.Bob.Token))
		typing, err := bob.wantNext(client.EventTyping).Typing()
		c.must(err)
		if typing.SenderToken != c.Alice.Token || typing.Status != "typing" {
			t.Errorf("got %+v, want that alice writes", typing)
		}
		third := c.listen(0, c.Alice, "self-copies")
		second.Close()
		c.mustSend(c.at(1, c.Alice), c.Bob, "a copy")
		third.wantBody("a copy")
		bob.wantBody("a copy")
		third.Close()
		presence("unavailable") // once; a stream that was closed before counts no more
		back := c.listen(1, c.Alice)
		presence("available")
		name := "Ann Ames"
		c.must(c.at(2, c.Bob).UpdateProfile(ctx, client.Profile{DisplayName: &name}))
		if entity, err := back.wantNext(client.EventUpdate).Update(); err != nil || entity.Token() != c.Bob.Token ||
			entity.DisplayName() != name {
			t.Errorf("got %+v, %v, want bob's new name", entity, err)
		}
	})
}

func TestEndedKeysAndMembershipsEndOnAllServers(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	bothWays(t, func(t *testing.T, nats string) {
		c := newCluster(t, 2, nats)
		ctx := t.Context()
		key, err := c.Bob.Client.CreateKey(ctx, "me", client.NewKey{})
		c.must(err)
		second := &apptest.Person{Name: "bob", Token: c.Bob.Token, Key: key.APIKey, Secret: key.APISecret}
		byKey, stays := c.listen(1, second), c.listen(1, c.Bob)
		polling := c.at(1, second)
		queue, err := polling.Poll(ctx, client.PollOptions{})
		c.must(err)
		polled := make(chan error, 1)
		go func() {
			after := ""
			if len(queue) > 0 {
				after = queue[len(queue)-1].ID
			}
			_, err := polling.Poll(ctx, client.PollOptions{After: after, Wait: time.Minute})
			polled <- err
		}()

		before := metric(t, c.nodes[1], busMetric("received_total", nats))
		c.must(c.Bob.Client.RevokeKey(ctx, "me", second.Key))
		began := time.Now()
		byKey.wantEnd()
		ended := time.Since(began)
		eventually(t, "the key is refused", func() bool {
			_, err := polling.Self(ctx)
			return errors.Is(err, client.ErrUnauthorized)
		})
		t.Logf("the stream ended after %v, the key was refused after %v", ended, time.Since(began))
		if metric(t, c.nodes[1], busMetric("received_total", nats)) == before {
			t.Error("the other server was not told that the key is revoked")
		}
		if err := <-polled; err != nil && !errors.Is(err, client.ErrUnauthorized) {
			t.Errorf("the poll ended with %v", err)
		}
		c.mustSend(c.Alice.Client, c.Bob, "it goes on")
		stays.wantBody("it goes on")

		c.must(c.Dana.Client.RemoveFromOrganization(ctx, c.Bob.Token, c.Organization))
		stays.wantEnd()
	})
}

// From the answer on by which one server ended somebody's access, nothing is sent on another one that has
// just read what it was.
func TestSendsEndOnAllServersWithTheirAccess(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	bothWays(t, func(t *testing.T, nats string) {
		c := newCluster(t, 2, nats)
		ctx := t.Context()
		key, err := c.Bob.Client.CreateKey(ctx, "me", client.NewKey{})
		c.must(err)
		second := &apptest.Person{Name: "bob", Token: c.Bob.Token, Key: key.APIKey, Secret: key.APISecret}
		by, alice := c.at(1, second), c.at(1, c.Alice)
		for i := range 5 {
			c.mustSend(by, c.Alice, fmt.Sprint("from bob ", i))
			c.mustSend(alice, c.Bob, fmt.Sprint("to bob ", i))
		}
		c.must(c.Bob.Client.RevokeKey(ctx, "me", second.Key))
		_, err = by.Send(ctx, client.Outgoing{Recipient: c.Alice.Token, Body: "too late"})
		if !errors.Is(err, client.ErrUnauthorized) {
			t.Errorf("with a key that was revoked: %v", err)
		}
		c.mustSend(alice, c.Bob, "it goes on")
		c.must(c.Dana.Client.RemoveFromOrganization(ctx, c.Bob.Token, c.Organization))
		_, err = alice.Send(ctx, client.Outgoing{Recipient: c.Bob.Token, Body: "too late"})
		if !errors.Is(err, client.ErrNotFound) {
			t.Errorf("to somebody who was taken out: %v", err)
		}
	})
}

func TestStreamsAreCountedOnAllServers(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	bothWays(t, func(t *testing.T, nats string) {
		c := newCluster(t, 3, nats, func(cfg *config.Config) { cfg.Limits.StreamsPerAccount = 2 })
		first, second := c.listen(0, c.Bob), c.listen(1, c.Bob)
		third := c.listen(2, c.Bob)
		last, err := first.wantNext(client.EventAdvisory).Advisory()
		c.must(err)
		if last.Name != "too_many_streams" {
			t.Errorf("the stream that made room for another ends with %q", last.Name)
		}
		first.wantEnd()
		deleted, err := c.at(0, c.Bob).DeleteEvents(t.Context(), true)
		c.must(err)
		if deleted.Streams != 2 {
			t.Errorf("%d streams were closed, want 2", deleted.Streams)
		}
		second.wantEnd()
		third.wantEnd()
	})
}

// A pooler that hands out connections by the transaction passes no notifications on: servers find
// that out, say so, and look.
func TestServersThatGetNoNotificationsHearOfEachOtherLater(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	pooled := postgrestest.Pooled(t, postgrestest.Start(t).URL(t))
	c := startCluster(t, 2, func(cfg *config.Config) { cfg.Database = pooled })
	for _, node := range c.nodes {
		node.Allow(hearsLate)
	}
	heard := c.listen(0, c.Bob)
	c.mustSend(c.at(1, c.Alice), c.Bob, "first")
	heard.wantBody("first")
	queue, err := c.Bob.Client.Poll(t.Context(), client.PollOptions{})
	c.must(err)
	polled := make(chan []client.Event, 1)
	go func() {
		events, err := c.Bob.Client.Poll(t.Context(), client.PollOptions{After: queue[len(queue)-1].ID, Wait: time.Minute})
		if err != nil {
			t.Error(err)
		}
		polled <- events
	}()
	c.mustSend(c.at(1, c.Alice), c.Bob, "second")
	heard.wantBody("second")
	if got := bodies(t, <-polled); !slices.Equal(got, []string{"second"}) {
		t.Errorf("the poll got %q", got)
	}
	for _, node := range c.nodes { // the first one has started alone
		eventually(t, "it is told that they hear late", func() bool { return strings.Contains(node.Log.String(), hearsLate) })
	}
	for _, node := range c.nodes {
		if metric(t, node, busMetric("connected", "")) != 0 {
			t.Error("a server that gets no notifications says that it is connected")
		}
		node.Stop()
		if n := strings.Count(node.Log.String(), hearsLate); n != 1 {
			t.Errorf("it is told %d times, want once", n)
		}
		if n := strings.Count(node.Log.String(), "set nats"); n == 0 {
			t.Error("what would help is not told")
		}
	}
}

func TestNATSMayStopAndComeBack(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	bus := natstest.Start(t)
	c := newCluster(t, 3, bus.URL())
	for _, node := range c.nodes {
		node.Allow(busAway)
	}
	heard, by := c.listen(0, c.Bob), apptest.InTurn(t, c.Alice, c.nodes[1:]...)
	connected := func(want float64) func() bool {
		return func() bool {
			return !slices.ContainsFunc(c.nodes,
				func(node *apptest.Server) bool { return metric(t, node, busMetric("connected", bus.URL())) != want })
		}
	}
	next := 0
	send := func(n int) {
		t.Helper()
		for range n {
			c.mustSend(by, c.Bob, fmt.Sprint(next))
			next++
		}
	}
	read := 0
	wantAll := func() {
		t.Helper()
		for ; read < next; read++ {
			heard.wantBody(fmt.Sprint(read))
		}
	}
	send(5)
	wantAll()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		bus.Stop(t)
	}()
	away := connected(0)
	for !away() { // while it goes
		send(1)
	}
	<-stopped
	wantAll()
	for _, node := range c.nodes {
		if status, text := get(t, node, "/readyz"); status != http.StatusOK {
			t.Errorf("without the bus a server is not ready: %d %s", status, text)
		}
	}
	send(5)
	wantAll() // by looking
	again := c.listen(2, c.Bob)
	bus.Restart(t)
	eventually(t, "all know that the bus is back", connected(1))
	send(5)
	wantAll()
	for i := range 5 { // one that was opened while the bus was away hears of things too
		again.wantBody(fmt.Sprint(next - 5 + i))
	}

	queue, err := c.Bob.Client.Poll(t.Context(), client.PollOptions{Limit: 1000})
	c.must(err)
	var want []string
	for i := range next {
		want = append(want, fmt.Sprint(i))
	}
	if got := bodies(t, queue); !slices.Equal(got, want) {
		t.Errorf("the queue is %q, want all of %d, once", got, next)
	}
	for _, node := range c.nodes {
		node.Stop()
		for what, want := range map[string]int{busAway: 1, "connected to the bus": 2} {
			if n := strings.Count(node.Log.String(), what); n != want {
				t.Errorf("%q is %d times in the log, want %d", what, n, want)
			}
		}
	}
}

func TestServerOnTheEmbeddedStoreIsAlone(t *testing.T) {
	t.Parallel()
	const noEffect = "nats has no effect"
	s := apptest.Start(t, func(cfg *config.Config) { cfg.Database, cfg.NATS = "", "nats://127.0.0.1:1" })
	s.Allow(noEffect)
	if !strings.Contains(s.Log.String(), noEffect) {
		t.Error("it is not told that nats has no effect")
	}
	if _, text := get(t, s, "/metrics"); strings.Contains(text, "signet_bus") ||
		!strings.Contains(text, "signet_streams 0") {
		t.Error("the metrics tell of a bus, or of no streams")
	}
}

func basic(p *apptest.Person) string {
	r := &http.Request{Header: http.Header{}}
	r.SetBasicAuth(p.Key, p.Secret)
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Basic ")
}

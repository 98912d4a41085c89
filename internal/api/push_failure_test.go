package api_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"signet/internal/backlog"
	"signet/internal/store"
	"signet/internal/webpush/webpushtest"
)

// anotherServer is one on the same store, which does what is to be pushed.
func (s *server) anotherServer() *backlog.Worker {
	w := backlog.NewWorker(backlog.Options{Store: s.store, Now: s.clock.Now, Log: slog.New(slog.DiscardHandler)})
	w.Register(s.pusher.Kind())
	return w
}

// hanging has a push service hang at pushes to a path, until release is called. begun receives once for each.
func hanging(service *webpushtest.Service, path string) (begun <-chan struct{}, release func()) {
	arrived, over := make(chan struct{}, 100), make(chan struct{})
	service.Answer(func(p webpushtest.Push) (int, http.Header) {
		if strings.HasPrefix(p.Path, path) {
			arrived <- struct{}{}
			<-over
		}
		return 201, nil
	})
	return arrived, sync.OnceFunc(func() { service.Answer(nil); close(over) })
}

// A server is killed after it has begun a push and before it was sent. Another one sends it, although the message
// had waited, and sends nothing else again.
func TestPushOfAServerThatWasKilledIsMadeByAnother(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"at once", "after the pace"} {
		c := startClinic(t)
		service := webpushtest.NewService(t)
		b := c.bob.mustSubscribe(service, "/b")
		c.alice.mustSend(c.bob.token, "first")
		c.mustPush()
		if name == "at once" {
			c.clock.Advance(time.Minute)
		}
		c.alice.mustSend(c.bob.token, "the one")
		if name == "after the pace" {
			c.mustPush()
			c.clock.Advance(time.Minute)
		}
		service.Take()
		begun, release := hanging(service, "/b")
		t.Cleanup(release)
		killed := make(chan error, 1)
		go func() { killed <- c.work.Settle(t.Context(), store.PushMessage) }()
		<-begun
		service.Take()
		service.Answer(nil)
		c.clock.Advance(5 * time.Minute) // the claim of the first one has ended
		if err := c.anotherServer().Settle(t.Context(), store.PushMessage); err != nil {
			t.Fatal(err)
		}
		pushes := service.Take()
		if len(pushes) != 1 || pushes[0].Path != b.path {
			t.Errorf("%s: the other server pushed %d times, want once", name, len(pushes))
		}
		release()
		if err := <-killed; err != nil {
			t.Fatal(err)
		}
		c.clock.Advance(time.Hour)
		c.wantPushed(name, service, []*browser{b})
		if n := c.pushes(); n > 0 {
			t.Errorf("%s: %d jobs are left", name, n)
		}
	}
}

// A server stops while a push service keeps it waiting. What others have taken is not pushed again.
func TestPushThatWasTakenBeforeTheServerStoppedIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	service := webpushtest.NewService(t)
	bob, carl := c.bob.mustSubscribe(service, "/taken"), c.carl.mustSubscribe(service, "/hangs")
	group := c.alice.mustCreateGroup("Ward", c.bob, c.carl)
	c.settle()
	begun, release := hanging(service, carl.path)
	t.Cleanup(release)
	c.alice.mustSend(group, "hello")
	if err := c.work.Settle(t.Context(), store.FanOut); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- c.work.Settle(ctx, store.PushMessage) }()
	<-begun
	for c.pusher.Counts.Pushed.Load() == 0 && t.Context().Err() == nil {
		runtime.Gosched()
	}
	stop()
	<-stopped // with whatever error
	release()
	service.Take()
	c.clock.Advance(5 * time.Second)
	c.wantPushed("after the stop", service, []*browser{bob, carl}, carl.unread(false, 1))
	if n := c.pushes(); n > 0 {
		t.Errorf("%d jobs are left", n)
	}
	if n := c.pusher.Counts.Failed.Load(); n > 0 {
		t.Errorf("%d pushes failed, but they were broken off", n)
	}
}

// A message waits, and a later push to the same browser is begun, which the push service does not take. Whatever
// becomes of the later one, the message is told of.
func TestMessageIsPushedWhereALaterPushDidNotTellOfIt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		status int
		do     func(c clinic, later string)
		want   []string // after 5, 7 and 12 s
	}{
		{"it is read", 503, func(c clinic, later string) { c.bob.mustMark("read", later) },
			[]string{"", "", `/b {"priority":false,"unread_count":2}`}},
		{"it is recalled", 503, func(c clinic, later string) { c.carl.delete("/v2/message/" + later).want(204) },
			[]string{"", "", `/b {"priority":false,"unread_count":2}`}},
		{"it is refused", 400, func(clinic, string) {}, []string{"", "", `/b {"priority":false,"unread_count":3}`}},
		{"it is taken the next time", 503, func(clinic, string) {},
			[]string{"", `/b {"priority":true,"unread_count":3}`, ""}},
	} {
		c := startClinic(t)
		service := webpushtest.NewService(t)
		browsers := []*browser{c.bob.mustSubscribe(service, "/b")}
		c.alice.mustSend(c.bob.token, "first")
		c.mustPush()
		c.clock.Advance(time.Second)
		c.alice.mustSend(c.bob.token, "waits")
		c.mustPush()
		c.clock.Advance(time.Second)
		service.Answer(func(webpushtest.Push) (int, http.Header) { return test.status, nil })
		later := c.carl.mustSend(c.bob.token, "later", "priority", 1)
		c.mustPush()
		service.Answer(nil)
		service.Take()
		test.do(c, later)
		for i, after := range []time.Duration{3, 2, 5} {
			c.clock.Advance(after * time.Second)
			var want []string
			if test.want[i] != "" {
				want = []string{test.want[i]}
			}
			c.wantPushed(fmt.Sprintf("%s, look %d", test.name, i+1), service, browsers, want...)
		}
		if n := c.pushes(); n > 0 {
			t.Errorf("%s: %d jobs are left", test.name, n)
		}
		c.log.Take() // that one was refused
	}
}

// What a push service asks for holds for what is important too.
func TestPushServiceIsLeftAloneForAsLongAsItAsks(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	service := webpushtest.NewService(t)
	b := c.bob.mustSubscribe(service, "/b")
	browsers := []*browser{b}
	service.Answer(func(webpushtest.Push) (int, http.Header) { return 429, http.Header{"Retry-After": {"60"}} })
	c.alice.mustSend(c.bob.token, "hello")
	c.wantPushed("it asks for a minute", service, browsers, b.unread(false, 1))
	service.Answer(nil)
	c.clock.Advance(30 * time.Second)
	c.alice.mustSend(c.bob.token, "urgent", "priority", 1)
	c.wantPushed("the minute is not over", service, browsers)
	c.clock.Advance(30 * time.Second)
	c.mustPush()
	got := service.Take()
	if len(got) == 0 {
		t.Fatal("nothing is pushed after the minute")
	}
	if text, err := b.Open(got[len(got)-1].Body); err != nil || !strings.Contains(text, `"priority":true`) {
		t.Errorf("after the minute %q is pushed (%v)", text, err)
	}
}

// A large group's members are told in parts, which do not wait for each other.
func TestLargeGroupIsToldInParts(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	service := webpushtest.NewService(t)
	names := make([]string, 70)
	for i := range names {
		names[i] = fmt.Sprintf("member-%d", i)
	}
	people := c.mustCreateAll(c.org, names...)
	group := c.alice.mustCreateGroup("All", people...)
	c.settle()
	for i, p := range people {
		path := fmt.Sprintf("/fast/%d", i)
		if i == 0 {
			path = "/slow"
		}
		p.mustSubscribe(service, path)
	}
	begun, release := hanging(service, "/slow")
	t.Cleanup(release)
	c.alice.mustSend(group, "hello", "priority", 1)
	if err := c.work.Settle(t.Context(), store.FanOut); err != nil {
		t.Fatal(err)
	}
	if n := c.pushes(); n != 2 {
		t.Errorf("%d jobs are noted, want 2", n)
	}
	over := make(chan error, 2)
	go func() { over <- c.work.Settle(t.Context(), store.PushMessage) }()
	<-begun
	go func() { over <- c.anotherServer().Settle(t.Context(), store.PushMessage) }()
	for got := 0; got < len(people); {
		<-service.Told()
		got += len(service.Take())
	}
	release()
	for range 2 {
		if err := <-over; err != nil {
			t.Error(err)
		}
	}
}

// Several servers have messages of a pace to push at the same time: one of them pushes, and the others wait.
func TestSeveralServersKeepThePace(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	service := webpushtest.NewService(t)
	b := c.bob.mustSubscribe(service, "/b")
	servers := []*backlog.Worker{c.work, c.anotherServer(), c.anotherServer()}
	sent, last := 0, ""
	for round := range 6 {
		if round < 3 {
			for range 10 {
				c.alice.mustSend(c.bob.token, "hello")
				sent++
			}
		}
		var running sync.WaitGroup
		for _, s := range servers {
			running.Go(func() {
				if err := s.Settle(t.Context(), store.PushMessage); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		pushes := service.Take()
		if len(pushes) > 1 || len(pushes) == 0 && round < 3 {
			t.Errorf("round %d: %d are pushed, want one", round, len(pushes))
		}
		for _, push := range pushes {
			text, err := b.Open(push.Body)
			if err != nil {
				t.Fatal(err)
			}
			last = b.path + " " + text
		}
		c.clock.Advance(5 * time.Second)
	}
	if want := b.unread(false, sent); last != want {
		t.Errorf("the last push is %s, want %s", last, want)
	}
	if n := c.pushes(); n > 0 {
		t.Errorf("%d jobs are left", n)
	}
}

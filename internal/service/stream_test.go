package service

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/blob"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/seal/sealtest"
	"signet/internal/store"
	"signet/internal/store/sqlite"
	"signet/internal/testclock"
)

// readings counts how often a store is read.
type readings struct {
	store.Engine
	n atomic.Int64
}

func (r *readings) View(ctx context.Context, fn func(store.Session) error) error {
	r.n.Add(1)
	return r.Engine.View(ctx, fn)
}

func (r *readings) ViewTogether(ctx context.Context, fn func(store.Session) error) error {
	r.n.Add(1)
	return r.Engine.ViewTogether(ctx, fn)
}

// newFed is one service on an embedded store, whose readings are counted.
func newFed(t *testing.T) (*cluster, *readings) {
	t.Helper()
	c := &cluster{t: t, clock: testclock.New()}
	dir := t.TempDir()
	engine, err := sqlite.Open(filepath.Join(dir, "signet.db"), sqlite.Options{Clock: c.clock.Now})
	c.must(err)
	t.Cleanup(func() { c.must(engine.Close()) })
	counted := &readings{Engine: engine}
	c.store, err = store.Open(t.Context(), counted, NewEpoch)
	c.must(err)
	blobs, err := blob.OpenDirectory(filepath.Join(dir, "blobs"))
	c.must(err)
	c.nodes = []*Service{New(Options{Store: c.store, Ring: sealtest.Open(t, dir, c.clock.Now), Blobs: blobs, Hub: live.NewHub(0), Clock: c.clock.Now,
		Logger: slog.New(slog.DiscardHandler), DefaultRegion: "US", EventsRetention: time.Hour * 24 * 30})}
	c.must(c.nodes[0].CreateOperator(t.Context(), "operator", "secret"))
	c.admin = c.fresh("operator")
	return c, counted
}

// pen is a sink that writes when a test says so.
type pen struct {
	t       *testing.T
	given   []string
	stop    atomic.Bool
	writing chan struct{} // receives when something is being written, while stop is set
	resume  chan struct{}
	written chan string // bodies of messages, and kinds of other events
	ended   chan error
	stream  *Stream
	toWait  func() // before it does
}

func (p *pen) Event(e model.Event) error {
	what := string(e.Kind)
	if e.Message != nil {
		if what = e.Message.Body; e.Message.Muted {
			what += " (muted)"
		}
	}
	p.given = append(p.given, what)
	return nil
}

func (p *pen) Copy(c *live.Copy, muted bool) error {
	e, m := c.Event, *c.Event.Message
	m.Muted, e.Message = muted, &m
	return p.Event(e)
}

func (p *pen) Comment() error  { return nil }
func (p *pen) Waits(fn func()) { p.toWait = fn }
func (p *pen) Abort()          {}

func (p *pen) Flush() error {
	if len(p.given) > 0 && p.stop.Load() {
		p.toWait()
		p.writing <- struct{}{}
		<-p.resume
	}
	for _, what := range p.given {
		p.written <- what
	}
	p.given = nil
	return nil
}

// follow opens a stream for what comes, which ends with the test at the latest.
func (c *cluster) follow(actor *model.Actor) *pen {
	c.t.Helper()
	return c.followWith(actor, StreamOptions{NoOfflineMessages: true})
}

func (c *cluster) followWith(actor *model.Actor, o StreamOptions) *pen {
	c.t.Helper()
	p := &pen{t: c.t, writing: make(chan struct{}), resume: make(chan struct{}), written: make(chan string, 1000), ended: make(chan error, 1)}
	st, err := c.nodes[0].OpenStream(c.t.Context(), actor, o, p)
	c.must(err)
	p.stream = st
	ended := make(chan struct{})
	st.Follow(p, func(err error) { p.ended <- err; close(ended) })
	c.t.Cleanup(func() {
		st.Close()
		<-ended
	})
	return p
}

// wantNext waits for what is written next.
func (p *pen) wantNext(want ...string) {
	p.t.Helper()
	for _, w := range want {
		select {
		case got := <-p.written:
			if got != w {
				p.t.Errorf("the stream writes %q, want %q", got, w)
			}
		case <-time.After(30 * time.Second):
			p.t.Fatalf("the stream does not write %q", w)
		}
	}
}

// pause has the next writing wait.
func (p *pen) pause() { p.stop.Store(true) }

func (p *pen) waits() { <-p.writing }

func (p *pen) goOn() {
	p.stop.Store(false)
	p.resume <- struct{}{}
}

func (c *cluster) say(from *model.Actor, to, body string) model.MessageID {
	c.t.Helper()
	sent, err := c.nodes[0].Send(c.t.Context(), from, SendCommand{Recipient: to, Body: body})
	c.must(err)
	return sent.Message
}

func (c *cluster) group(of *model.Actor, members ...*model.Actor) string {
	c.t.Helper()
	command := GroupCommand{Name: new(string)}
	*command.Name = "Ward"
	for _, m := range members {
		command.Members = append(command.Members, m.Account.String())
	}
	g, err := c.nodes[0].CreateGroup(c.t.Context(), of, command)
	c.must(err)
	return g.ID.String()
}

func TestStreamAtTheEndOfItsQueueReadsNothing(t *testing.T) {
	c, counted := newFed(t)
	alice, bob := c.pair()
	carl := c.member(alice.Organizations()[0], "carl")
	group := c.group(alice, bob, carl)
	readers := []*pen{c.follow(bob), c.follow(carl), c.follow(bob)}
	c.say(alice, group, "first") // after which each knows what its reader has muted
	c.say(alice, bob.Account.String(), "mine")
	for i, p := range readers {
		p.wantNext("first")
		if i != 1 {
			p.wantNext("mine")
		}
	}
	c.quiesce(readers...)
	before := counted.n.Load()
	for i := range 50 {
		c.say(alice, group, strconv.Itoa(i))
		c.say(alice, bob.Account.String(), "mine")
	}
	for i := range 50 {
		for j, p := range readers {
			p.wantNext(strconv.Itoa(i))
			if j != 1 {
				p.wantNext("mine")
			}
		}
	}
	c.quiesce(readers...)
	// A send to a group reads it before its transaction; one to a person is remembered.
	if n := counted.n.Load() - before; n > 51 {
		t.Errorf("the store was read %d times for 250 copies, want none but of the sends", n)
	}
}

// quiesce waits until streams have nothing to do.
func (c *cluster) quiesce(readers ...*pen) {
	c.t.Helper()
	for _, p := range readers {
		for late := time.After(30 * time.Second); p.stream.notices.Load() != 0; {
			select {
			case <-late:
				c.t.Fatal("a stream does not come to rest")
			default:
				runtime.Gosched()
			}
		}
	}
}

func TestStreamKeepsTheOrderOfItsQueue(t *testing.T) {
	c, _ := newFed(t)
	alice, bob := c.pair()
	carl := c.member(alice.Organizations()[0], "carl")
	group := c.group(alice, bob, carl)
	p := c.follow(bob)
	const each = 60
	c.atOnce(3, func(i int, node *Service) error {
		for n := range each {
			var err error
			switch i {
			case 0:
				_, err = node.Send(t.Context(), alice, SendCommand{Recipient: group, Body: "a" + strconv.Itoa(n)})
			case 1:
				_, err = node.Send(t.Context(), carl, SendCommand{Recipient: bob.Account.String(), Body: "c" + strconv.Itoa(n)})
			default: // which is not fed
				err = node.Mute(t.Context(), bob, alice.Account.String(), bob.Organizations()[0], 1+n)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	events, err := c.nodes[0].Poll(t.Context(), bob, PollOptions{Limit: MaxEvents})
	c.must(err)
	queue := &pen{}
	for _, e := range events {
		if e.Kind != model.EventBang && e.Kind != model.EventFriends {
			c.must(queue.Event(e))
		}
	}
	if len(queue.given) != 3*each {
		t.Fatalf("%d events are queued, want %d", len(queue.given), 3*each)
	}
	p.wantNext(queue.given...)
}

func TestStreamShowsNothingThatWasTakenBackMeanwhile(t *testing.T) {
	for name, take := range map[string]func(c *cluster, sender, reader *model.Actor, id model.MessageID){
		"it is recalled": func(c *cluster, sender, _ *model.Actor, id model.MessageID) {
			c.must(c.nodes[0].Recall(c.t.Context(), sender, id))
		},
		"it has expired": func(c *cluster, _, _ *model.Actor, _ model.MessageID) { c.clock.Advance(time.Minute) },
		"the queue is emptied behind the hub's back": func(c *cluster, _, reader *model.Actor, _ model.MessageID) {
			c.must(c.store.Update(c.t.Context(), func(tx *store.Tx) error { return tx.DeleteAllEvents(reader.Account) }))
		},
		"the reader is out of the organization": func(c *cluster, _, reader *model.Actor, _ model.MessageID) {
			o := reader.Organizations()[0]
			c.must(c.nodes[0].RemoveMember(c.t.Context(), c.admin, reader.Account.String(), o))
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := newFed(t)
			alice, bob := c.pair()
			p := c.follow(bob)
			c.say(alice, bob.Account.String(), "known")
			p.wantNext("known")
			p.pause()
			c.say(alice, bob.Account.String(), "on its way")
			p.waits()
			minute := 1
			sent, err := c.nodes[0].Send(t.Context(), alice, SendCommand{Recipient: bob.Account.String(), Body: "secret", TTL: &minute})
			c.must(err)
			take(c, alice, bob, sent.Message)
			p.goOn()
			p.wantNext("on its way")
			p.stream.Close()
			<-p.ended
			close(p.written)
			for what := range p.written {
				if what == "secret" {
					t.Error("it was written all the same")
				}
			}
		})
	}
}

func TestStreamShowsAMessageOfAMutedConversationSo(t *testing.T) {
	c, _ := newFed(t)
	alice, bob := c.pair()
	group := c.group(alice, bob)
	o := bob.Organizations()[0]
	p := c.follow(bob)
	say := func(want ...string) {
		t.Helper()
		c.say(alice, group, "text")
		c.say(alice, bob.Account.String(), "mine")
		p.wantNext(want...)
	}
	say("text", "mine")
	c.must(c.nodes[0].Mute(t.Context(), bob, group, o, 1))
	p.wantNext("conversation_mute")
	say("text (muted)", "mine")
	say("text (muted)", "mine")
	c.clock.Advance(time.Minute)
	say("text", "mine")
	c.must(c.nodes[0].Mute(t.Context(), bob, "", o, 1))
	p.wantNext("conversation_mute")
	say("text (muted)", "mine (muted)")
	c.must(c.nodes[0].Unmute(t.Context(), bob, "", o))
	p.wantNext("conversation_mute")
	say("text", "mine")
}

func TestPanicEndsItsStreamOnly(t *testing.T) {
	c, _ := newFed(t)
	alice, bob := c.pair()
	broken := &panics{}
	st, err := c.nodes[0].OpenStream(t.Context(), bob, StreamOptions{NoOfflineMessages: true}, broken)
	c.must(err)
	ended := make(chan error, 1)
	st.Follow(broken, func(err error) { ended <- err })
	p := c.follow(bob)
	c.say(alice, bob.Account.String(), "text")
	p.wantNext("text")
	if fell, ok := errors.AsType[*StreamPanic](<-ended); !ok || fell.Value != "broken" || len(fell.Stack) == 0 {
		t.Errorf("it ended with %v", fell)
	}
	if n := c.nodes[0].hub.Streams(bob.Account); n != 1 {
		t.Errorf("%d streams are open, want 1", n)
	}
}

type panics struct{ pen }

func (p *panics) Copy(*live.Copy, bool) error { panic("broken") }
func (p *panics) Event(e model.Event) error   { panic("broken") }

func TestStreamsAreAwaited(t *testing.T) {
	c, _ := newFed(t)
	alice, bob := c.pair()
	one, two := c.follow(alice), c.follow(bob)
	s := c.nodes[0]
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if n := s.AwaitStreams(over); n != 2 {
		t.Errorf("%d streams are open, want 2", n)
	}
	s.hub.Close()
	if n := s.AwaitStreams(t.Context()); n != 0 {
		t.Errorf("%d streams are open, want none", n)
	}
	for _, p := range []*pen{one, two} {
		if err := <-p.ended; err != nil {
			t.Errorf("a stream ended with %v", err)
		}
		close(p.written)
		if got := slices.Collect(func(yield func(string) bool) {
			for what := range p.written {
				yield(what)
			}
		}); !slices.Equal(got, []string{string(model.EventReconnect)}) {
			t.Errorf("a stream said %q at its end", got)
		}
	}
}

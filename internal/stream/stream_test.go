package stream

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store"
)

// pen is a sink that writes when a test says so.
type pen struct {
	t       *testing.T
	added   []string
	stop    atomic.Bool
	writing chan struct{} // receives when something is being written, while stop is set
	resume  chan struct{}
	written chan string // bodies of messages, and kinds of other events
	ended   chan error
	stream  *Stream
}

func (p *pen) Event(e *model.Event) error {
	what := string(e.Kind)
	if e.Message != nil {
		if what = e.Message.Body; e.Message.Muted {
			what += " (muted)"
		}
	}
	if e.Presence != nil {
		what += " " + strconv.FormatBool(e.Presence.Available)
	}
	p.added = append(p.added, what)
	return nil
}

func (p *pen) Shared(e *live.Event) error { return p.Event(&e.Event) }
func (p *pen) Comment() error             { return nil }
func (p *pen) Abort()                     {}
func (p *pen) Retry(time.Duration) error  { return nil }

func (p *pen) Flush() error {
	if len(p.added) > 0 && p.stop.Load() {
		p.writing <- struct{}{}
		<-p.resume
	}
	for _, what := range p.added {
		p.written <- what
	}
	p.added = nil
	return nil
}

// follow opens a stream for what comes, which ends with the test at the latest.
func (c *house) follow(actor *model.Actor) *pen {
	c.t.Helper()
	return c.followWith(actor, Request{NoOfflineMessages: true})
}

func (c *house) followWith(actor *model.Actor, o Request) *pen {
	c.t.Helper()
	p := &pen{t: c.t, writing: make(chan struct{}), resume: make(chan struct{}), written: make(chan string, 1000),
		ended: make(chan error, 1)}
	st, err := c.servers[0].streams.Open(c.t.Context(), actor, o, p)
	c.must(err)
	p.stream = st
	over := make(chan struct{})
	go st.Run(p, func(err error) { p.ended <- err; close(over) })
	c.t.Cleanup(func() {
		st.Close()
		<-over
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

func TestStreamAtTheEndOfItsQueueReadsNothing(t *testing.T) {
	c, counted := newHouse(t)
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
	// A send to a group reads it before its transaction; one to a person is remembered.
	if n := counted.n.Load() - before; n > 51 {
		t.Errorf("the store was read %d times for 250 copies, want none but of the sends", n)
	}
}

func TestStreamKeepsTheOrderOfItsQueue(t *testing.T) {
	c, _ := newHouse(t)
	alice, bob := c.pair()
	carl := c.member(alice.Organizations()[0], "carl")
	group := c.group(alice, bob, carl)
	p := c.follow(bob)
	const each = 60
	node := c.servers[0]
	c.atOnce(3, func(i int) error {
		for n := range each {
			var err error
			switch i {
			case 0:
				_, err = node.Send(t.Context(), alice, service.SendCommand{Recipient: group, Body: "a" + strconv.Itoa(n)})
			case 1:
				_, err = node.Send(t.Context(), carl,
					service.SendCommand{Recipient: bob.Account.String(), Body: "c" + strconv.Itoa(n)})
			default: // which is not fed
				err = node.Mute(t.Context(), bob, alice.Account.String(), bob.Organizations()[0], 1+n)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	events, err := c.servers[0].Poll(t.Context(), bob, service.PollOptions{Limit: service.MaxEvents})
	c.must(err)
	queue := &pen{}
	for _, e := range events {
		if e.Kind != model.EventBang && e.Kind != model.EventFriends {
			c.must(queue.Event(&e))
		}
	}
	if len(queue.added) != 3*each {
		t.Fatalf("%d events are queued, want %d", len(queue.added), 3*each)
	}
	p.wantNext(queue.added...)
}

// Who types and then writes is not shown to be typing afterwards, however late the stream is.
func TestStreamShowsLiveEventsInTheirPlace(t *testing.T) {
	for name, look := range map[string]bool{"all is fed": false, "the queue is to be looked at": true} {
		t.Run(name, func(t *testing.T) {
			c, _ := newHouse(t)
			alice, bob := c.pair()
			to := bob.Account.String()
			p := c.followWith(bob, Request{NoOfflineMessages: true, Features: []string{live.FeatureTyping}})
			c.say(alice, to, "known")
			p.wantNext("known")
			p.pause()
			c.say(alice, to, "on its way")
			p.waits()
			c.must(c.servers[0].Typing(t.Context(), alice, to, true))
			want := []string{"on its way", string(model.EventTyping), "written"}
			if look {
				c.must(c.servers[0].Mute(t.Context(), bob, alice.Account.String(), bob.Organizations()[0], 1))
				want = slices.Insert(want, 2, string(model.EventConversationMute))
				want[3] += " (muted)"
			}
			c.say(alice, to, "written")
			p.goOn()
			p.wantNext(want...)
		})
	}
}

func TestStreamShowsNothingThatWasTakenBackMeanwhile(t *testing.T) {
	for name, take := range map[string]func(c *house, sender, reader *model.Actor, id model.MessageID){
		"it is recalled": func(c *house, sender, _ *model.Actor, id model.MessageID) {
			c.must(c.servers[0].Recall(c.t.Context(), sender, id))
		},
		"it has expired": func(c *house, _, _ *model.Actor, _ model.MessageID) { c.clock.Advance(time.Minute) },
		"the queue is emptied behind the hub's back": func(c *house, _, reader *model.Actor, _ model.MessageID) {
			c.must(c.store.Update(c.t.Context(), func(tx *store.Tx) error {
				return tx.WithdrawAll(reader.Account, "", 0, store.EndOfQueue)
			}))
		},
		"the reader is out of the organization": func(c *house, _, reader *model.Actor, _ model.MessageID) {
			o := reader.Organizations()[0]
			c.must(c.servers[0].RemoveMember(c.t.Context(), c.admin, reader.Account.String(), o))
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := newHouse(t)
			alice, bob := c.pair()
			p := c.follow(bob)
			c.say(alice, bob.Account.String(), "known")
			p.wantNext("known")
			p.pause()
			c.say(alice, bob.Account.String(), "on its way")
			p.waits()
			minute := 1
			sent, err := c.servers[0].Send(t.Context(), alice,
				service.SendCommand{Recipient: bob.Account.String(), Body: "secret", TTL: &minute})
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
	c, _ := newHouse(t)
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
	c.must(c.servers[0].Mute(t.Context(), bob, group, o, 1))
	p.wantNext("conversation_mute")
	say("text (muted)", "mine")
	say("text (muted)", "mine")
	c.clock.Advance(time.Minute)
	say("text", "mine")
	c.must(c.servers[0].Mute(t.Context(), bob, "", o, 1))
	p.wantNext("conversation_mute")
	say("text (muted)", "mine (muted)")
	c.must(c.servers[0].Unmute(t.Context(), bob, "", o))
	p.wantNext("conversation_mute")
	say("text", "mine")
}

func TestPanicEndsItsStreamOnly(t *testing.T) {
	c, _ := newHouse(t)
	alice, bob := c.pair()
	broken := &panics{}
	st, err := c.servers[0].streams.Open(t.Context(), bob, Request{NoOfflineMessages: true}, broken)
	c.must(err)
	ended := make(chan error, 1)
	go st.Run(broken, func(err error) { ended <- err })
	p := c.follow(bob)
	c.say(alice, bob.Account.String(), "text")
	p.wantNext("text")
	if fell, ok := errors.AsType[*Panic](<-ended); !ok || fell.Value != "broken" || len(fell.Stack) == 0 {
		t.Errorf("it ended with %v", fell)
	}
	if n := len(c.servers[0].hub.StreamScopes(bob.Account)); n != 1 {
		t.Errorf("%d streams are open, want 1", n)
	}
}

type panics struct{ pen }

func (p *panics) Shared(*live.Event) error   { panic("broken") }
func (p *panics) Event(e *model.Event) error { panic("broken") }

func TestStreamsAreAwaited(t *testing.T) {
	c, _ := newHouse(t)
	alice, bob := c.pair()
	one, two := c.follow(alice), c.follow(bob)
	s := c.servers[0]
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if n := s.streams.Await(over); n != 2 {
		t.Errorf("%d streams are open, want 2", n)
	}
	s.hub.Close()
	if n := s.streams.Await(t.Context()); n != 0 {
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

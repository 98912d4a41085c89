package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// crowd plays a server whose account may have so many streams open: one more closes the
// oldest, which is told to wait.
type crowd struct {
	limit int

	mu     sync.Mutex // guards the rest
	open   []chan struct{}
	opened int           // streams, so far
	polled int           // polls
	queue  []string      // ids of its events
	grown  chan struct{} // closed when the queue has grown
}

func newCrowd(limit int) *crowd { return &crowd{limit: limit, grown: make(chan struct{})} }

// say queues an event.
func (c *crowd) say(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = append(c.queue, id)
	close(c.grown)
	c.grown = make(chan struct{})
}

// after returns the events after one, and what closes when there are more.
func (c *crowd) after(id string) ([]string, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.queue[slices.Index(c.queue, id)+1:]), c.grown
}

// enter opens a stream, and closes the oldest past the limit.
func (c *crowd) enter() (out <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened++
	if len(c.open) == c.limit {
		close(c.open[0])
		c.open = c.open[1:]
	}
	mine := make(chan struct{})
	c.open = append(c.open, mine)
	return mine
}

func (c *crowd) leave(mine <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = slices.DeleteFunc(c.open, func(other chan struct{}) bool { return other == mine })
}

func (c *crowd) counts() (opened, polled int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.opened, c.polled
}

func (c *crowd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") == "" && r.Header.Get("Accept") != "text/event-stream" {
		c.poll(w, r)
		return
	}
	accept(c.stream)(&serverConn{w: w, req: r, ctx: r.Context()})
}

func (c *crowd) poll(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.polled++
	c.mu.Unlock()
	query := r.URL.Query()
	wait, _ := strconv.Atoi(query.Get("wait"))
	over := time.After(time.Duration(wait) * time.Second)
	var reply []Event
	for waiting := true; waiting && len(reply) == 0; {
		ids, grown := c.after(query.Get("after"))
		for _, id := range ids {
			reply = append(reply, Event{ID: id, Type: "tigertext:iq:message", Payload: json.RawMessage("{}")})
		}
		if len(reply) > 0 {
			break
		}
		select {
		case <-grown:
		case <-over:
			waiting = false
		case <-r.Context().Done():
			return
		}
	}
	text, err := json.Marshal(reply)
	if err != nil {
		panic(err)
	}
	success(w, string(text))
}

func (c *crowd) stream(conn *serverConn) {
	out := c.enter()
	defer c.leave(out)
	left := conn.req.Context()
	if conn.conn != nil {
		left = conn.conn.CloseRead(context.Background())
	}
	beat := time.NewTicker(5 * time.Second)
	defer beat.Stop()
	for last := conn.req.Header.Get("Last-Event-ID"); ; {
		ids, grown := c.after(last)
		for _, id := range ids {
			conn.queued(id)
			last = id
		}
		select {
		case <-grown:
		case <-beat.C:
			conn.live("sse:heartbeat", "{}")
		case <-out:
			conn.write("retry: 60000\n", eventText("live", "client_advisory", `{"advisory":{"name":"too_many_streams"}}`))
			return
		case <-left.Done():
			return
		}
	}
}

// TestEvents_of_too_many_readers_settle: with 30 readers of an account that may have 20, ten
// at a time make do without a stream, for a minute each, and all hear of everything at once.
func TestEvents_of_too_many_readers_settle(t *testing.T) {
	const readers, limit, minutes = 30, 20, 10
	for name, transport := range map[string]Transport{"sse": ServerSentEvents, "websocket": WebSocket} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newCrowd(limit)
				s.say("e0")
				c := servePipe(t, s.ServeHTTP)
				ctx, leave := context.WithCancel(t.Context())
				told := func(err error, wait time.Duration) {
					if !errors.Is(err, ErrTooManyStreams) || wait < time.Minute {
						t.Errorf("told of %v and a wait of %v", err, wait)
					}
				}
				heard := make([][]string, readers)
				var crowd sync.WaitGroup
				for i := range readers {
					crowd.Go(func() {
						for e, err := range c.Events(ctx, StreamOptions{Transport: transport, OnDisconnect: told}) {
							if err == nil {
								heard[i] = append(heard[i], e.ID)
							}
						}
					})
				}
				want := []string{"e0"}
				for minute := range minutes {
					pass(time.Minute)
					id := fmt.Sprint("e", minute+1)
					s.say(id)
					want = append(want, id)
					synctest.Wait()
					for i := range readers {
						wantStrings(t, fmt.Sprintf("reader %d at once in minute %d", i, minute), heard[i], want...)
					}
				}
				opened, polled := s.counts()
				if most := readers + minutes*(readers-limit); opened > most {
					t.Errorf("%d streams were opened in %d minutes, want %d at most", opened, minutes, most)
				}
				if most := 2*minutes*readers + minutes*readers; polled == 0 || polled > most {
					t.Errorf("%d polls in %d minutes, want some, and %d at most", polled, minutes, most)
				}
				leave()
				crowd.Wait()
			})
		})
	}
}

// TestEvents_wait_where_polls_cannot_stand_in: what only a stream does is not done by polls.
func TestEvents_wait_where_polls_cannot_stand_in(t *testing.T) {
	crowdedOut := accept(func(c *serverConn) {
		c.write("retry: 60000\n", eventText("live", "client_advisory", `{"advisory":{"name":"too_many_streams"}}`))
		c.stay()
	})
	for name, o := range map[string]StreamOptions{
		"what is written is to be Delivered":  {Deliver: true},
		"nothing is to come that came before": {NoReplay: true},
	} {
		t.Run(name, func(t *testing.T) {
			ends := accept(func(c *serverConn) {})
			goesOn := accept(func(c *serverConn) { c.queued("e1"); c.stay() })
			streamTest(t, server(crowdedOut, ends, goesOn),
				func(t *testing.T, s *eventServer, c *Client, with StreamOptions) {
					with.Deliver, with.NoReplay = o.Deliver, o.NoReplay
					wantStrings(t, "events", take(t, c, with, 1), "message e1")
					if gap := s.gap(1); gap < time.Minute || gap > 75*time.Second {
						t.Errorf("came back after %v, want about a minute", gap)
					}
					if gap := s.gap(2); gap > time.Second {
						t.Errorf("after the next end came a wait of %v: the minute was for once", gap)
					}
				})
		})
	}
}

func TestEvents_polled_after_an_event_of_another_history_begin_again(t *testing.T) {
	streamTest(t, server(
		accept(func(c *serverConn) {
			c.live("client_advisory", `{"advisory":{"name":"too_many_streams"}}`)
			c.stay()
		}),
		func(c *serverConn) {
			if c.req.URL.Query().Get("after") != "old" {
				t.Errorf("polls after %q", c.req.URL)
			}
			fail(c.w, http.StatusBadRequest, "after_invalid", "no")
		},
		func(c *serverConn) { success(c.w, "["+eventText("e1", "message", "{}")+"]") },
	), func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
		o.LastEventID = "old"
		wantStrings(t, "events", take(t, c, o, 1), "message e1")
	})
}

package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestEvents_come_in_order_without_the_streams_own(t *testing.T) {
	streamTest(t, server(accept(func(c *serverConn) {
		c.replay("e1", "e2")
		c.live("sse:heartbeat", "{}")
		c.live("message:is_typing", `{"sender_token":"u1","status":"typing"}`)
		c.queued("e3")
		c.stay()
	})), func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
		o.Typing, o.Features, o.LastEventID = true, []string{"multi-org"}, "e0"
		wantStrings(t, "events", take(t, c, o, 4), "message e1", "message e2", "message:is_typing live", "message e3")
		h := s.opens()[0]
		if h.Get("TT-X-Features") != "heartbeat_5,is-typing,multi-org" || h.Get("Last-Event-ID") != "e0" ||
			h.Get("Authorization") == "" {
			t.Errorf("headers: got %v", h)
		}
		o.Signals = true
		wantStrings(t, "with signals", take(t, c, o, 5), "client_advisory live", "message e1", "message e2",
			"client_advisory live", "sse:heartbeat live")
	})
}

func TestEvents_go_on_after_a_lost_connection(t *testing.T) {
	streamTest(t, server(
		accept(func(c *serverConn) { c.replay("e1", "e2") }), // and closes
		refuse(503),
		refuse(500),
		refuse(429, "Retry-After: 7"),
		accept(func(c *serverConn) { c.replay("e3"); c.stay() }),
	), func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
		var lost []error
		o.OnDisconnect = func(err error, wait time.Duration) { lost = append(lost, err) }
		wantStrings(t, "events", take(t, c, o, 3), "message e1", "message e2", "message e3")
		opens := s.opens()
		if len(opens) != 5 || opens[0].Get("Last-Event-ID") != "" || opens[1].Get("Last-Event-ID") != "e2" ||
			opens[4].Get("Last-Event-ID") != "e2" {
			t.Errorf("got %d connections: %v", len(opens), opens)
		}
		if len(lost) != 4 || !errors.Is(lost[0], errStreamClosed) || !errors.Is(lost[1], ErrUnavailable) {
			t.Errorf("told of %v", lost)
		}
		for n, want := range map[int]time.Duration{1: 500 * time.Millisecond, 2: time.Second, 3: 2 * time.Second} {
			if gap := s.gap(n); gap < want/2 || gap > want*3/2 {
				t.Errorf("wait %d: got %v, want about %v", n, gap, want)
			}
		}
		if gap := s.gap(4); gap < 7*time.Second || gap > 8*time.Second {
			t.Errorf("after Retry-After: 7 came a wait of %v", gap)
		}
	})
}

func TestEvents_begin_with_short_waits_again_after_a_steady_connection(t *testing.T) {
	steady := accept(func(c *serverConn) {
		for range 3 {
			pass(5 * time.Second)
			c.live("sse:heartbeat", "{}")
		}
	})
	streamTest(t, server(refuse(503), refuse(503), refuse(503), steady,
		accept(func(c *serverConn) { c.queued("e1"); c.stay() })),
		func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
			wantStrings(t, "events", take(t, c, o, 1), "message e1")
			if gap := s.gap(4) - 15*time.Second; gap > 750*time.Millisecond {
				t.Errorf("after a steady connection came a wait of %v", gap)
			}
		})
}

func TestEvents_notice_silence(t *testing.T) {
	streamTest(t, server(
		accept(func(c *serverConn) { c.queued("e1"); c.stay() }),
		func(c *serverConn) { <-c.req.Context().Done() }, // not even a header
		accept(func(c *serverConn) { c.queued("e2"); c.stay() }),
	), func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
		o.Heartbeat = 2 * time.Second
		var lost []error
		o.OnDisconnect = func(err error, wait time.Duration) { lost = append(lost, err) }
		wantStrings(t, "events", take(t, c, o, 2), "message e1", "message e2")
		if h := s.opens()[0].Get("TT-X-Features"); h != "heartbeat_2" {
			t.Errorf("features: got %q", h)
		}
		for n := 1; n <= 2; n++ {
			if gap := s.gap(n); gap < 6*time.Second || gap > 8*time.Second {
				t.Errorf("gave connection %d up after %v, want three heartbeats and a short wait", n, gap)
			}
		}
		if len(lost) != 2 || !errors.Is(lost[0], ErrSilent) || !errors.Is(lost[1], ErrSilent) {
			t.Errorf("told of %v", lost)
		}
	})
}

func TestEvents_let_the_consumer_take_its_time(t *testing.T) {
	streamTest(t, server(accept(func(c *serverConn) { c.queued("e1", "e2"); c.stay() })),
		func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
			n := 0
			for _, err := range c.Events(t.Context(), o) {
				if err != nil {
					t.Fatal(err)
				}
				pass(time.Hour)
				if n++; n == 2 {
					break
				}
			}
			if got := len(s.opens()); got != 1 {
				t.Errorf("got %d connections, want 1", got)
			}
		})
}

func TestEvents_connect_again_when_the_server_asks(t *testing.T) {
	streamTest(t, server(
		accept(func(c *serverConn) { c.queued("e1"); c.live("reconnect", "{}"); c.stay() }),
		accept(func(c *serverConn) { c.queued("e2"); c.stay() }),
	), func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
		wantStrings(t, "events", take(t, c, o, 2), "message e1", "message e2")
		if gap := s.gap(1); gap > time.Second {
			t.Errorf("came back after %v", gap)
		}
		if got := s.opens()[1].Get("Last-Event-ID"); got != "e1" {
			t.Errorf("Last-Event-ID: got %q", got)
		}
	})
}

func TestEvents_wait_as_the_retry_field_says(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := server(
			accept(func(c *serverConn) { c.write("retry: 20000\n", ""); c.queued("e1") }),
			accept(func(c *serverConn) { c.queued("e2"); c.stay() }),
		)(t)
		take(t, servePipe(t, s.ServeHTTP), StreamOptions{}, 2)
		if gap := s.gap(1); gap < 10*time.Second || gap > 30*time.Second {
			t.Errorf("came back after %v, want about 20s", gap)
		}
	})
}

func TestEvents_acknowledge_what_the_consumer_is_done_with(t *testing.T) {
	streamTest(t, server(accept(func(c *serverConn) {
		c.replay("e1", "e2")
		c.live("message:is_typing", `{}`)
		c.live("update", userJSON)
		c.queued("e3", "e4")
		c.stay()
	})), func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
		o.Acknowledge = true
		n := 0
		for e, err := range c.Events(t.Context(), o) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			pass(time.Second)
			if e.ID == "e2" {
				wantStrings(t, "acknowledged while e2 is handled", s.acks(), "e1")
			}
			if e.ID == "e4" {
				break
			}
		}
		wantStrings(t, "acknowledged in the end", s.acks(), "e1", "e2", "e3")
		if n != 6 {
			t.Errorf("got %d events, want 6", n)
		}
	})
}

func TestEvents_acknowledge_in_batches(t *testing.T) {
	var ids []string
	for i := range 120 {
		ids = append(ids, fmt.Sprint("e", i))
	}
	streamTest(t, server(accept(func(c *serverConn) { c.replay(ids...); c.stay() })),
		func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
			o.Acknowledge = true
			take(t, c, o, 120)
			wantStrings(t, "acknowledged", s.acks(), ids[:119]...)
			if n := len(s.acked); n > 4 {
				t.Errorf("in %d calls, want at most 4", n)
			}
		})
}

func TestEvents_acknowledge_before_a_cancelled_consumer_ends(t *testing.T) {
	streamTest(t, server(accept(func(c *serverConn) { c.replay("e1", "e2"); c.stay() })),
		func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
			o.Acknowledge = true
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var last error
			for e, err := range c.Events(ctx, o) {
				if last = err; e.ID == "e2" {
					cancel()
				}
			}
			if !errors.Is(last, context.Canceled) {
				t.Errorf("ended with %v", last)
			}
			wantStrings(t, "acknowledged", s.acks(), "e1", "e2")
		})
}

func TestEvents_acknowledge_again_after_a_failure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := server(accept(func(c *serverConn) {
			c.queued("e1", "e2")
			pass(12 * time.Second)
			c.queued("e3")
			c.stay()
		}))(t)
		n := 0
		s.ack = func(w http.ResponseWriter, r *http.Request) {
			if n++; n <= 3 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			w.WriteHeader(http.StatusNoContent)
		}
		c := servePipe(t, s.ServeHTTP, WithRetry(NoRetry()))
		take(t, c, StreamOptions{Acknowledge: true, Heartbeat: time.Minute}, 3)
		if acks := s.acks(); !slices.Contains(acks, "e2") || n < 4 {
			t.Errorf("after %d tries: got %q", n, acks)
		}
	})
}

func TestEvents_end_when_acknowledging_is_refused_for_good(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := server(accept(func(c *serverConn) { c.queued("e1", "e2"); c.stay() }))(t)
		s.ack = func(w http.ResponseWriter, r *http.Request) { fail(w, 403, "forbidden", "no") }
		c := servePipe(t, s.ServeHTTP)
		var last error
		for _, err := range c.Events(t.Context(), StreamOptions{Acknowledge: true}) {
			last = err
		}
		if !errors.Is(last, ErrForbidden) {
			t.Errorf("ended with %v, want the refusal", last)
		}
	})
}

func TestEvents_end_with_a_refusal_that_will_not_change(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 307} {
		streamTest(t, server(accept(func(c *serverConn) { c.queued("e1") }), refuse(status)),
			func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
				var last error
				n := 0
				for _, err := range c.Events(t.Context(), o) {
					last = err
					n++
				}
				if !errors.Is(last, &Error{Status: status}) || n != 2 {
					t.Errorf("%d: ended with %v after %d", status, last, n)
				}
				if got := len(s.opens()); got != 2 {
					t.Errorf("%d: got %d connections, want 2", status, got)
				}
			})
	}
}

func TestEvents_end_with_what_is_no_stream(t *testing.T) {
	for name, conn := range map[string]func(*serverConn){
		"a list":         func(c *serverConn) { success(c.w, "[]") },
		"no JSON":        accept(func(c *serverConn) { c.write("", "hello"); c.stay() }),
		"too long":       accept(func(c *serverConn) { c.write("", strings.Repeat("x", maxFrame+1)); c.stay() }),
		"two in one":     accept(func(c *serverConn) { c.write("", `{"event_id":"e","event":{"a":{},"b":{}}}`); c.stay() }),
		"a bad advisory": accept(func(c *serverConn) { c.live("client_advisory", "7"); c.stay() }),
	} {
		t.Run(name, func(t *testing.T) {
			streamTest(t, server(conn), func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
				var last error
				for _, err := range c.Events(t.Context(), o) {
					last = err
				}
				if !errors.Is(last, ErrProtocol) {
					t.Errorf("ended with %v, want an ErrProtocol", last)
				}
			})
		})
	}
}

func TestEvents_close_after_the_replay(t *testing.T) {
	streamTest(t, server(
		// cut short
		accept(func(c *serverConn) { c.live("client_advisory", `{"advisory":{"name":"replay_start"}}`); c.queued("e1") }),
		accept(func(c *serverConn) { c.replay("e2") }),
	), func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
		o.CloseAfterReplay, o.Acknowledge = true, true
		wantStrings(t, "events", take(t, c, o, 0), "message e1", "message e2")
		wantStrings(t, "acknowledged", s.acks(), "e1", "e2")
		if got := s.opens()[1].Get("TT-X-Features"); got != "heartbeat_5,close-after-messages" {
			t.Errorf("features: got %q", got)
		}
	})
}

// Until an event has come there is no place in the queue to go on from.
func TestEvents_without_replay_go_on_from_the_first_that_came(t *testing.T) {
	streamTest(t, server(
		accept(func(c *serverConn) {}),
		accept(func(c *serverConn) { c.queued("e1") }),
		accept(func(c *serverConn) { c.replay("e2"); c.stay() }),
	), func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
		o.NoReplay = true
		wantStrings(t, "events", take(t, c, o, 2), "message e1", "message e2")
		var asked []string
		for _, h := range s.opens() {
			asked = append(asked, h.Get("TT-X-Features")+" "+h.Get("Last-Event-ID"))
		}
		wantStrings(t, "asked for", asked, "heartbeat_5,no-offline-messages ", "heartbeat_5,no-offline-messages ",
			"heartbeat_5 e1")
	})
}

func TestEvents_end_with_the_context(t *testing.T) {
	streamTest(t, server(accept(func(c *serverConn) { c.stay() })),
		func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			start := time.Now()
			var all []error
			for _, err := range c.Events(ctx, o) {
				all = append(all, err)
			}
			if len(all) != 1 || !errors.Is(all[0], context.DeadlineExceeded) || time.Since(start) != 3*time.Second {
				t.Errorf("got %v after %v", all, time.Since(start))
			}
		})
	t.Run("while waiting", func(t *testing.T) {
		streamTest(t, server(refuse(503)), func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			for _, err := range c.Events(ctx, o) {
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
			}
			if n := len(s.opens()); n < 15 || n > 60 {
				t.Errorf("tried %d times in 10 minutes, want about one in 30s", n)
			}
		})
	})
}

func TestEvents_refuse_an_impossible_heartbeat(t *testing.T) {
	c := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	for _, err := range c.Events(t.Context(), StreamOptions{Heartbeat: time.Hour}) {
		if !errors.Is(err, ErrArgument) {
			t.Errorf("got %v", err)
		}
	}
}

func TestStreamOptions_ask_for_features(t *testing.T) {
	s := &stream{o: StreamOptions{Heartbeat: 1500 * time.Millisecond, Typing: true, Presence: true, SelfCopies: true,
		Deliver:  true,
		NoReplay: true, CloseAfterReplay: true, Features: []string{"vwr"}}}
	want := []string{"heartbeat_2", "is-typing", "presence", "presence-replay", "self-copies", "auto-deliver",
		"no-offline-messages", "close-after-messages", "vwr"}
	if got := s.features(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEvents_go_on_from_a_place_in_the_queue_whatever_the_account_sends(t *testing.T) {
	streamTest(t, server(
		accept(func(c *serverConn) {
			c.queued("e1")
			for _, kind := range []string{"message", "group_message"} {
				c.write("", eventText("no-place", kind, `{"message_id":"own","sender_token":"me"}`))
			}
		}),
		accept(func(c *serverConn) { c.queued("e2"); c.stay() }),
	), func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
		o.SelfCopies = true
		wantStrings(t, "events", take(t, c, o, 4), "message e1", "message no-place", "group_message no-place", "message e2")
		if opens := s.opens(); len(opens) != 2 || opens[1].Get("Last-Event-ID") != "e1" {
			t.Errorf("it was opened with %v, want from e1 on", opens)
		}
	})
}

func TestEvents_without_a_replay_do_not_close_after_it(t *testing.T) {
	streamTest(t, server(refuse(503)), func(t *testing.T, s *eventServer, c *Client, o StreamOptions) {
		o.NoReplay, o.CloseAfterReplay = true, true
		for _, err := range c.Events(t.Context(), o) {
			if !errors.Is(err, ErrArgument) {
				t.Errorf("got %v", err)
			}
		}
		if n := len(s.opens()); n != 0 {
			t.Errorf("it was opened %d times", n)
		}
	})
}

package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestRetry(t *testing.T) {
	read := func(ctx context.Context, c *Client) error { _, err := c.Self(ctx); return err }
	create := func(ctx context.Context, c *Client) error { _, err := c.CreateKey(ctx, "me", NewKey{}); return err }
	send := func(ctx context.Context, c *Client) error {
		_, err := c.Send(ctx, Outgoing{Recipient: "bob", Body: "x"})
		return err
	}
	leave := func(ctx context.Context, c *Client) error { return c.RemoveFromRoster(ctx, "u2", KindAccount) }
	take := func(ctx context.Context, c *Client) error {
		_, err := c.Poll(ctx, PollOptions{AutoAck: true})
		return err
	}
	again := func(ctx context.Context, c *Client) error { return errors.Join(read(ctx, c), take(ctx, c)) }
	sent := answer(http.StatusNoContent, "TT-X-Message-Id: m1", "TT-X-Msg-Ttl: 5")
	for _, tt := range []struct {
		name  string
		do    func(context.Context, *Client) error
		steps []http.HandlerFunc
		calls int
		want  error // nil: success
	}{
		{"a read after 502, 503 and 504", read, []http.HandlerFunc{answer(502), answer(503), answer(504), replies(userJSON)},
			4, nil},
		{"a read after a cut", read, []http.HandlerFunc{cut, replies(userJSON)}, 2, nil},
		{"a read after half an answer", read, []http.HandlerFunc{answer(200, "Content-Length: 99"), replies(userJSON)}, 2,
			nil},
		{"a read that keeps failing", read, []http.HandlerFunc{answer(503)}, 4, ErrUnavailable},
		{"a read after 500", read, []http.HandlerFunc{answer(500)}, 1, &Error{Status: 500}},
		{"a read after 404", read, []http.HandlerFunc{answer(404)}, 1, ErrNotFound},
		{"a read after 429", read, []http.HandlerFunc{answer(429, "Retry-After: 1"), replies(userJSON)}, 2, nil},
		{"a read with too long a Retry-After", read, []http.HandlerFunc{answer(429, "Retry-After: 3600")}, 1, ErrTooMany},
		{"a creation after 503", create, []http.HandlerFunc{answer(503)}, 1, ErrUnavailable},
		{"a creation after a cut", create, []http.HandlerFunc{cut}, 1, io.EOF},
		{"a creation after 429", create, []http.HandlerFunc{answer(429), replies(issuedJSON)}, 2, nil},
		{"a removal of a conversation after 502", leave, []http.HandlerFunc{answer(502)}, 1, &Error{Status: 502}},
		{"a poll that takes events, after a cut", take, []http.HandlerFunc{cut, replies(`[]`)}, 1, io.EOF},
		{"the same on a connection that was used before", again, []http.HandlerFunc{replies(userJSON), cut, replies(`[]`)}, 2,
			io.EOF},
		{"a send after 503", send, []http.HandlerFunc{answer(503), sent}, 2, nil},
		{"a send after a cut", send, []http.HandlerFunc{cut, answer(304, "TT-X-Message-Id: m1", "TT-X-Msg-Ttl: 5")}, 2, nil},
		{"a send after 400", send, []http.HandlerFunc{answer(400)}, 1, ErrBadRequest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScript(t, tt.steps...)
				err := tt.do(t.Context(), servePipe(t, s.ServeHTTP))
				if !errors.Is(err, tt.want) {
					t.Errorf("got %v, want %v", err, tt.want)
				}
				s.wantCalls(tt.calls)
			})
		})
	}
}

func TestRetry_waits_as_the_server_asks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t, answer(429, "Retry-After: 7"), answer(503), replies(userJSON))
		c := servePipe(t, s.ServeHTTP)
		if _, err := c.Self(t.Context()); err != nil {
			t.Fatal(err)
		}
		if gap := s.gap(1); gap < 7*time.Second || gap > 8*time.Second {
			t.Errorf("after Retry-After: 7 came a wait of %v", gap)
		}
		if gap := s.gap(2); gap < 200*time.Millisecond || gap > 600*time.Millisecond {
			t.Errorf("after the second failure came a wait of %v, want about 400ms", gap)
		}
	})
}

func TestRetry_keeps_the_request_id_and_the_body(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ids, bodies []string
		c := servePipe(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			ids, bodies = append(ids, r.Header.Get("Request-ID")), append(bodies, string(body))
			switch len(ids) {
			case 1:
				cut(w, r)
			case 2:
				answer(503)(w, r)
			default:
				answer(304, "TT-X-Message-Id: m1", "TT-X-Msg-Ttl: 5")(w, r)
			}
		})
		sent, err := c.Send(t.Context(), Outgoing{Recipient: "bob", Body: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if len(ids) != 3 || ids[0] == "" || ids[0] != ids[1] || ids[1] != ids[2] || bodies[0] != bodies[2] {
			t.Errorf("ids %q, bodies %q: want three alike", ids, bodies)
		}
		if !sent.Repeated || sent.MessageID != "m1" || sent.RequestID != ids[0] {
			t.Errorf("got %+v", sent)
		}
		again, err := c.Send(t.Context(), Outgoing{Recipient: "bob", Body: "x"})
		if err != nil || again.RequestID == sent.RequestID {
			t.Errorf("the next message has the request id %q, like the one before (%v)", again.RequestID, err)
		}
	})
}

func TestRetry_without_any_connection_repeats_creations_too(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t, replies(issuedJSON))
		c := servePipe(t, s.ServeHTTP)
		transport := c.http.Transport.(*http.Transport)
		dial, tries := transport.DialContext, 0
		transport.DialContext = func(ctx context.Context, network, address string) (conn net.Conn, err error) {
			if tries++; tries < 3 {
				return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
			}
			return dial(ctx, network, address)
		}
		if _, err := c.CreateKey(t.Context(), "me", NewKey{}); err != nil {
			t.Fatal(err)
		}
		s.wantCalls(1)
		if tries != 3 {
			t.Errorf("got %d tries, want 3", tries)
		}
	})
}

func TestRetry_ends_with_the_context(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t, answer(503, "Retry-After: 20"))
		c := servePipe(t, s.ServeHTTP)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			pass(time.Second)
			cancel()
		}()
		start := time.Now()
		_, err := c.Self(ctx)
		if !errors.Is(err, context.Canceled) || !errors.Is(err, ErrUnavailable) || time.Since(start) != time.Second {
			t.Errorf("cancelled: got %v after %v, want both reasons after 1s", err, time.Since(start))
		}
		ctx, cancel = context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start = time.Now()
		if _, err := c.Self(ctx); !errors.Is(err, ErrUnavailable) || time.Since(start) != 0 {
			t.Errorf("with a deadline before the next attempt: got %v after %v, want the refusal at once", err,
				time.Since(start))
		}
	})
}

func TestTimeout_ends_a_silent_attempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, replies(userJSON))
		c := servePipe(t, s.ServeHTTP, WithTimeout(10*time.Second))
		start := time.Now()
		if _, err := c.Self(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took < 10*time.Second || took > 11*time.Second {
			t.Errorf("took %v, want the timeout and a short wait", took)
		}
		s.wantCalls(2)
		one := servePipe(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, WithRetry(NoRetry()))
		if _, err := one.Self(t.Context()); !errors.Is(err, ErrSilent) {
			t.Errorf("got %v, want ErrSilent", err)
		}
	})
}

func TestTimeout_leaves_what_moves_alone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := servePipe(t, func(w http.ResponseWriter, r *http.Request) {
			for _, piece := range strings.SplitAfter(`{"status":"success","reply":`+userJSON+`}`, ",") {
				pass(9 * time.Second)
				_, _ = io.WriteString(w, piece)
				_ = http.NewResponseController(w).Flush()
			}
		}, WithTimeout(10*time.Second), WithRetry(NoRetry()))
		start := time.Now()
		if _, err := c.Self(t.Context()); err != nil {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
}

func TestPoll_waits_longer_than_the_timeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := servePipe(t, func(w http.ResponseWriter, r *http.Request) {
			pass(59 * time.Second)
			success(w, `[]`)
		}, WithTimeout(10*time.Second), WithRetry(NoRetry()))
		if _, err := c.Poll(t.Context(), PollOptions{Wait: time.Minute}); err != nil {
			t.Error(err)
		}
	})
}

func TestPoll_that_acknowledges_is_not_repeated_after_a_lost_answer(t *testing.T) {
	s := newScript(t, cut)
	c := serve(t, s.ServeHTTP)
	if _, err := c.Poll(t.Context(), PollOptions{AutoAck: true}); err == nil {
		t.Error("want an error")
	}
	s.wantCalls(1)
}

func TestDelay_grows_and_stays_within_bounds(t *testing.T) {
	p := RetryPolicy{MinDelay: 100 * time.Millisecond, MaxDelay: time.Second}
	for n, want := range []time.Duration{0, 100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond,
		800 * time.Millisecond, time.Second, time.Second} {
		for range 100 {
			if got := p.delay(n); n > 0 && (got < want/2 || got > want*3/2) {
				t.Fatalf("delay(%d): got %v, want %v give or take half", n, got, want)
			}
		}
	}
	if got := p.delay(1000); got > 1500*time.Millisecond {
		t.Errorf("delay(1000): got %v", got)
	}
	if got := NoRetry().delay(3); got != 0 {
		t.Errorf("without delays: got %v", got)
	}
}

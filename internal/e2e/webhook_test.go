package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"signet/client"
	"signet/internal/testenv"
)

// mostOnTheWay is how many messages wait for the receiver at most, so that the test ends.
const mostOnTheWay = 500

// hook is a receiver of a webhook that fails now and then.
type hook struct {
	t   *testing.T
	url string

	mu     sync.Mutex // guards all below
	secret string
	all    []hooked
	seen   map[string]bool // messages that it said it took
	failed chan struct{}   // has something when it failed
	got    chan struct{}   // has something when something came
}

func (h *hook) tell(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default: // it was told
	}
}

// hooked is a request that it got.
type hooked struct {
	id, body string // webhook-id; of the message
	taken    bool   // it was answered with a 2xx, or its answer got lost
}

func newHook(t *testing.T) *hook {
	h := &hook{t: t, seen: map[string]bool{}, failed: make(chan struct{}, 1), got: make(chan struct{}, 1)}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	h.url = server.URL
	return h
}

// ServeHTTP verifies what comes. Three in ten it refuses, or takes without an answer.
func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return // the server was killed
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	verifier, err := standardwebhooks.NewWebhook(h.secret)
	if err == nil {
		err = verifier.Verify(text, r.Header)
	}
	var body struct {
		Data struct {
			Event map[string]struct{ Body string }
		}
	}
	if err == nil {
		err = json.Unmarshal(text, &body)
	}
	if err != nil {
		h.t.Errorf("what came is wrong: %v: %s", err, text)
	}
	got := hooked{id: r.Header.Get("webhook-id"), body: body.Data.Event["tigertext:iq:message"].Body}
	luck := rand.IntN(10)
	got.taken = luck > 1
	h.all = append(h.all, got)
	if got.taken {
		h.seen[got.body] = true
	}
	if h.tell(h.got); luck < 3 {
		h.tell(h.failed)
	}
	switch {
	case luck < 2:
		w.WriteHeader(http.StatusServiceUnavailable)
	case luck == 2:
		panic(http.ErrAbortHandler)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

func (h *hook) took() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.seen)
}

// keepsUp waits until little is on its way of what was sent, and reports whether ctx is not over.
func (h *hook) keepsUp(ctx context.Context, sent int) bool {
	for ctx.Err() == nil && sent-h.took() > mostOnTheWay {
		h.wait(ctx)
	}
	return ctx.Err() == nil
}

// wait waits until something comes. What was to try again may have been lost with a server, and is told again
// after a while.
func (h *hook) wait(ctx context.Context) {
	select {
	case <-h.got:
	case <-ctx.Done():
	case <-time.After(time.Second):
		h.tell(h.failed)
	}
}

// TestTortureLosesNoEventOfAWebhook kills a server again and again while its webhook's receiver fails three times in
// ten: nothing is lost, nothing comes out of order, and what comes twice has one id.
func TestTortureLosesNoEventOfAWebhook(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	kills := 8
	if _, whole := testenv.Torture(t); whole {
		kills = 200
	}
	s := mustServe(t, freshDirectory(t), append([]string{"--egress.webhooks=127.0.0.1", "--egress.networks=127.0.0.1"},
		unlimited...)...)
	people := s.mustPeople("alice", "bob")
	alice := s.client(people[0].key, people[0].secret, persistent)
	bob := s.client(people[1].key, people[1].secret, persistent)
	h := newHook(t)
	made, err := alice.CreateWebhook(t.Context(), "me", client.NewWebhook{URL: h.url, Content: "full",
		Events: []string{"message"}})
	if err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	h.secret = made.Secret
	h.mu.Unlock()

	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(kills)*10*time.Second+5*time.Minute)
	defer cancel()
	var sending, trying sync.WaitGroup
	var over atomic.Bool
	var confirmed atomic.Int64
	sending.Go(func() {
		for n := 0; !over.Load() && h.keepsUp(ctx, n); n++ {
			m := client.Outgoing{Recipient: people[0].token, Body: fmt.Sprint(n), RequestID: fmt.Sprint("hook-", n)}
			if _, err := bob.Send(ctx, m); err != nil {
				t.Errorf("send %s: %v", m.Body, err)
				return
			}
			confirmed.Add(1)
		}
	})
	all := make(chan struct{})
	trying.Go(func() { // the pauses between tries are minutes: it is tried at once
		for {
			select {
			case <-h.failed:
			case <-all:
				return
			case <-ctx.Done():
				return
			}
			enabled := true
			if err := alice.ChangeWebhook(ctx, "me", made.Webhook, client.WebhookChange{Enabled: &enabled}); err != nil {
				t.Errorf("try again: %v", err)
				return
			}
		}
	})
	for range kills {
		time.Sleep(rand.N(300 * time.Millisecond)) // not a wait: the torture itself
		s.kill()
		s.mustStart()
	}
	over.Store(true)
	sending.Wait()
	for ctx.Err() == nil && h.took() < int(confirmed.Load()) {
		h.wait(ctx)
	}
	close(all)
	trying.Wait()
	h.wantAll(int(confirmed.Load()))
	s.stop()
	s.wantQuietLog()
	t.Logf("%d events in %d requests through %d kills", confirmed.Load(), len(h.all), kills)
}

// wantAll reports what was lost, came out of order, or came under two ids.
func (h *hook) wantAll(sent int) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	next, ids := 0, map[string]string{}
	for i, got := range h.all {
		if id, again := ids[got.body]; again && id != got.id {
			h.t.Errorf("message %s came as %s and as %s", got.body, id, got.id)
		}
		if ids[got.body] = got.id; i > 0 && !h.all[i-1].taken && got.id != h.all[i-1].id {
			// What was on its way to a server that was killed may be older.
			if n := number(got.body); n >= number(h.all[i-1].body) {
				h.t.Errorf("message %s came after %s, which was not taken", got.body, h.all[i-1].body)
			}
		}
		switch n := number(got.body); {
		case n > next:
			h.t.Errorf("message %d came where %d was to come", n, next)
			return
		case n == next && got.taken:
			next++
		}
	}
	if next != sent {
		h.t.Errorf("%d messages came, of %d", next, sent)
	}
}

func number(text string) (n int) {
	_, _ = fmt.Sscan(text, &n)
	return n
}

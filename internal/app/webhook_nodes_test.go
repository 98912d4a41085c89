package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"signet/client"
	"signet/internal/config"
	"signet/internal/testenv"
)

// hooked are the bodies of the messages that a webhook brought, in their order.
type hooked struct {
	mu     sync.Mutex // guards bodies
	bodies []string
}

func (h *hooked) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	var got struct {
		Data struct {
			Event map[string]struct{ Body string }
		}
	}
	_ = json.Unmarshal(text, &got)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bodies = append(h.bodies, got.Data.Event["tigertext:iq:message"].Body)
}

func (h *hooked) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.bodies)
}

// A webhook is delivered to by one server at a time, whichever has queued something, and by the others when that
// one is gone.
func TestServersShareTheirWebhooks(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, 2, "", func(cfg *config.Config) {
		cfg.Egress.Webhooks, cfg.Egress.Networks = []string{"127.0.0.1"}, []string{"127.0.0.1"}
	})
	got := new(hooked)
	receiver := httptest.NewServer(got)
	t.Cleanup(receiver.Close)
	made, err := c.Alice.Client.CreateWebhook(t.Context(), "me", client.NewWebhook{URL: receiver.URL, Content: "full",
		Events: []string{"message"}})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	send := func(node, messages int) {
		t.Helper()
		bob := c.nodes[node].As(c.Bob)
		for range messages {
			text := fmt.Sprint("message ", len(want))
			if _, err := bob.Client.Send(t.Context(), client.Outgoing{Recipient: c.Alice.Token, Body: text}); err != nil {
				t.Fatal(err)
			}
			want = append(want, text)
		}
		eventually(t, "all have come", func() bool { return len(got.all()) >= len(want) })
		if all := got.all(); !slices.Equal(all, want) {
			t.Fatalf("the receiver got %q, want %q", all, want)
		}
	}
	send(0, 5)
	send(1, 20)
	tried, err := c.nodes[1].As(c.Alice).Client.TestWebhook(t.Context(), "me", made.Webhook)
	if err != nil || tried.Outcome != "delivered" {
		t.Fatalf("a test ended with %+v, %v", tried, err)
	}
	want = append(want, "")
	c.nodes[0].Stop()
	send(1, 20)
	delivered := metric(t, c.nodes[1], `signet_webhook_deliveries_total{outcome="delivered"}`)
	if delivered < 21 {
		t.Errorf("the other server has delivered %v", delivered)
	}
}

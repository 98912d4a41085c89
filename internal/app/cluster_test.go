package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/store/postgrestest"
)

// cluster is several servers on one database, with people in it.
type cluster struct {
	*apptest.Cast
	t     *testing.T
	nodes []*apptest.Server
}

// The warnings of a server that hears of others late.
const (
	hearsLate = "other servers use the same database"
	busAway   = "the bus is away"
)

// busMetric is the name of a series about how servers hear of each other at once: through NATS,
// where its address is given, or else through the database.
func busMetric(name, nats string) string {
	if nats == "" {
		return "signet_bus_" + name + `{by="postgres"}`
	}
	return "signet_bus_" + name + `{by="nats"}`
}

// newCluster starts servers that hear of each other at once, as busMetric says.
func newCluster(t *testing.T, size int, nats string, changes ...func(*config.Config)) *cluster {
	t.Helper()
	c := startCluster(t, size, append(changes, func(cfg *config.Config) { cfg.NATS = nats })...)
	for _, node := range c.nodes {
		eventually(t, "the bus is there", func() bool { return metric(t, node, busMetric("connected", nats)) == 1 })
	}
	return c
}

// startCluster starts servers that share a database.
func startCluster(t *testing.T, size int, changes ...func(*config.Config)) *cluster {
	t.Helper()
	c := &cluster{t: t}
	first := apptest.Start(t, append([]func(*config.Config){func(cfg *config.Config) {
		cfg.Database = postgrestest.URL(t)
		cfg.Limits.MessagesPerDay, cfg.Limits.RequestsPerSecond = 0, 0
	}}, changes...)...)
	c.nodes = append(c.nodes, first)
	for range size - 1 {
		c.nodes = append(c.nodes, first.Another())
	}
	c.Cast = first.People()
	return c
}

// eventually waits until something holds, asking again and again.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(apptest.Patience); !holds(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("it does not come about that %s", what)
		}
	}
}

// metric reads one figure of a server.
func metric(t *testing.T, node *apptest.Server, name string) (value float64) {
	t.Helper()
	status, text := get(t, node, "/metrics")
	for line := range strings.Lines(text) {
		if _, err := fmt.Sscanf(line, name+" %g\n", &value); err == nil {
			return value
		}
	}
	t.Fatalf("there is no %s in the metrics (status %d)", name, status)
	return 0
}

func get(t *testing.T, node *apptest.Server, path string) (status int, body string) {
	t.Helper()
	h := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := h.Get(node.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// listener is an open stream of server-sent events.
type listener struct {
	*apptest.Stream
	t *testing.T
}

// listen opens a stream of a person on a node. What is queued by then is not on it.
func (c *cluster) listen(node int, p *apptest.Person, features ...string) *listener {
	c.t.Helper()
	return c.listenWith(node, [][2]string{{"Authorization", "Basic " + basic(p)}}, features...)
}

// listenWith is listen with credentials of its own.
func (c *cluster) listenWith(node int, credentials [][2]string, features ...string) *listener {
	c.t.Helper()
	s := c.nodes[node]
	target := "/v2/events?features=" + strings.Join(append(features, "no-offline-messages"), ",")
	st := s.MustOpen(c.t, s.NewHTTPClient(), apptest.Request{Method: "GET", Target: target,
		Header: append([][2]string{{"Accept", "text/event-stream"}}, credentials...)})
	if st.Status != http.StatusOK {
		c.t.Fatalf("a stream opens with status %d", st.Status)
	}
	l := &listener{st, c.t}
	if line, _ := l.Line(); !strings.HasPrefix(line, ":") {
		c.t.Fatalf("a stream begins with %q, want a comment", line)
	}
	return l
}

// next waits for the next event; ok is false at the end of the stream.
func (l *listener) next() (e client.Event, ok bool) {
	l.t.Helper()
	for {
		line, ok := l.Line()
		if !ok {
			return e, false
		}
		if data, found := strings.CutPrefix(line, "data: "); found {
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				l.t.Fatalf("%s: %v", data, err)
			}
			return e, true
		}
	}
}

// wantNext waits for an event of a kind, and passes over others.
func (l *listener) wantNext(kind client.EventKind) client.Event {
	l.t.Helper()
	for {
		e, ok := l.next()
		if !ok {
			l.t.Fatalf("the stream ends, want %s", kind)
		}
		if e.Kind == kind {
			return e
		}
	}
}

// wantBody waits for the next message and compares what it says.
func (l *listener) wantBody(want string) {
	l.t.Helper()
	m, err := l.wantNext(client.EventMessage).Message()
	if err != nil {
		l.t.Fatal(err)
	}
	if m.Body != want {
		l.t.Errorf("got %q, want %q", m.Body, want)
	}
}

// wantEnd waits for the end of the stream.
func (l *listener) wantEnd() {
	l.t.Helper()
	for ok := true; ok; {
		_, ok = l.next()
	}
}

func (c *cluster) at(node int, p *apptest.Person) *client.Client {
	c.t.Helper()
	return c.nodes[node].As(p).Client
}

func (c *cluster) mustSend(by *client.Client, to *apptest.Person, body string) {
	c.t.Helper()
	if _, err := by.Send(c.t.Context(), client.Outgoing{Recipient: to.Token, Body: body}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func bodies(t *testing.T, events []client.Event) (out []string) {
	t.Helper()
	for _, e := range events {
		if e.Kind == client.EventMessage {
			m, err := e.Message()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, m.Body)
		}
	}
	return out
}

package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
)

// eventServer plays the server's part of a stream: one function for each
// connection, the last one for all that follow.
type eventServer struct {
	t     *testing.T
	conns []func(*serverConn)
	ack   http.HandlerFunc // answers POST /events/ack; nil: 204

	mu     sync.Mutex // guards the rest
	opened []http.Header
	at     []time.Time
	acked  [][]string
}

// serverConn is the server's side of one stream.
type serverConn struct {
	ctx  context.Context
	w    http.ResponseWriter // server-sent events
	conn *websocket.Conn     // or a WebSocket
	req  *http.Request
}

func (c *serverConn) write(line, data string) {
	if c.conn != nil {
		if data != "" {
			_ = c.conn.Write(c.ctx, websocket.MessageText, []byte(data))
		}
		return
	}
	if data != "" {
		line += "data: " + strings.ReplaceAll(data, "\n", "\ndata: ") + "\n\n"
	}
	_, _ = io.WriteString(c.w, line)
	_ = http.NewResponseController(c.w).Flush()
}

func eventText(id, kind, payload string) string {
	return fmt.Sprintf(`{"event_id":%q,"event":{"tigertext:iq:%s":%s}}`, id, kind, payload)
}

// queued sends messages of the queue.
func (c *serverConn) queued(ids ...string) {
	for _, id := range ids {
		c.write("id: "+id+"\n", eventText(id, "message", `{"message_id":"m-`+id+`"}`))
	}
}

// live sends an event that has no place in the queue.
func (c *serverConn) live(kind, payload string) { c.write("", eventText("live", kind, payload)) }

// replay sends the queue's content between its brackets.
func (c *serverConn) replay(ids ...string) {
	c.live("client_advisory", fmt.Sprintf(`{"advisory":{"name":"replay_start","replay_message_count":%d}}`, len(ids)))
	c.queued(ids...)
	c.live("client_advisory", `{"advisory":{"name":"replay_stop"}}`)
}

// stay keeps the connection silent until the client leaves.
func (c *serverConn) stay() {
	if c.conn != nil {
		_, _, _ = c.conn.Read(c.ctx)
		return
	}
	<-c.req.Context().Done()
}

func (s *eventServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		var in struct{ Events []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v2/events/ack" {
			s.t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		s.mu.Lock()
		s.acked = append(s.acked, in.Events)
		s.mu.Unlock()
		if s.ack != nil {
			s.ack(w, r)
			return
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if r.URL.Path == "/v2/user" {
		replies(`{"token":"me"}`)(w, r)
		return
	}
	s.mu.Lock()
	n := min(len(s.opened), len(s.conns)-1)
	s.opened = append(s.opened, r.Header.Clone())
	s.at = append(s.at, time.Now())
	s.mu.Unlock()
	c := &serverConn{w: w, req: r, ctx: r.Context()}
	s.conns[n](c)
}

// accept makes a connection's function one that opens the stream first, in
// whichever way the client asks for.
func accept(f func(*serverConn)) func(*serverConn) {
	return func(c *serverConn) {
		if c.req.Header.Get("Upgrade") == "websocket" {
			conn, err := websocket.Accept(c.w, c.req, nil)
			if err != nil {
				return
			}
			defer conn.CloseNow()
			c.conn, c.ctx = conn, context.Background()
			f(c)
			return
		}
		c.w.Header().Set("Content-Type", "text/event-stream")
		c.write(": hello\n\n", "")
		f(c)
	}
}

// refuse is a connection that is answered with an error.
func refuse(status int, headers ...string) func(*serverConn) {
	return func(c *serverConn) { answer(status, headers...)(c.w, c.req) }
}

// acks returns all acknowledged ids in order.
func (s *eventServer) acks() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Concat(s.acked...)
}

func (s *eventServer) opens() []http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.opened)
}

func (s *eventServer) gap(n int) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at[n].Sub(s.at[n-1])
}

// streamTest runs a test over both transports, each in a bubble of its own.
func streamTest(t *testing.T, s func(t *testing.T) *eventServer,
	test func(t *testing.T, s *eventServer, c *Client, o StreamOptions)) {
	for name, transport := range map[string]Transport{"sse": ServerSentEvents, "websocket": WebSocket} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := s(t)
				test(t, server, servePipe(t, server.ServeHTTP), StreamOptions{Transport: transport})
			})
		})
	}
}

func server(conns ...func(*serverConn)) func(t *testing.T) *eventServer {
	return func(t *testing.T) *eventServer { return &eventServer{t: t, conns: conns} }
}

// take reads n events and leaves.
func take(t *testing.T, c *Client, o StreamOptions, n int) []string {
	t.Helper()
	var got []string
	for e, err := range c.Events(t.Context(), o) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(e.Kind)+" "+e.ID)
		if len(got) == n {
			break
		}
	}
	return got
}

func wantStrings(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

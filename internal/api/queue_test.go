package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// event is an event of an account's queue, or of a stream.
type event struct {
	value        // the payload
	id    string // event_id
	kind  string // without the namespace
}

// readEvent reads one event and checks its shape: the object under event has
// exactly one key, its type.
func readEvent(v value) event {
	v.t.Helper()
	names := v.at("event").names()
	if len(names) != 1 || len(v.names()) != 2 {
		v.t.Fatalf("an event is misshapen: %s", v)
	}
	kind, ok := strings.CutPrefix(names[0], "tigertext:iq:")
	if !ok {
		v.t.Fatalf("the event type %q has no namespace", names[0])
	}
	return event{v.at("event", names[0]), v.text("event_id"), kind}
}

// events reads the person's queue.
func (p *person) events(query ...string) []event {
	p.t.Helper()
	path := "/v2/events"
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	list := p.get(path).reply().list()
	out := make([]event, len(list))
	for i, v := range list {
		out[i] = readEvent(v)
	}
	return out
}

// wantEvents checks the kinds of all that is queued, in order, and returns it.
func (p *person) wantEvents(kinds ...string) []event {
	p.t.Helper()
	got := p.events()
	if have := kindsOf(got); !slices.Equal(have, kinds) {
		p.t.Fatalf("%s has queued %v, want %v", p.name, have, kinds)
	}
	return got
}

func kindsOf(events []event) []string {
	var out []string
	for _, e := range events {
		out = append(out, e.kind)
	}
	return out
}

// ofKind keeps the events of one kind.
func ofKind(events []event, kind string) []event {
	return slices.DeleteFunc(slices.Clone(events), func(e event) bool { return e.kind != kind })
}

func idsOf(events []event) []string {
	out := []string{}
	for _, e := range events {
		out = append(out, e.id)
	}
	return out
}

// mustAck acknowledges events.
func (p *person) mustAck(ids ...string) {
	p.t.Helper()
	p.post("/v2/events/ack", fields{"events": ids}).want(204)
}

// forgetEvents empties the person's queue, without a trace at anybody else's.
func (p *person) forgetEvents() {
	p.t.Helper()
	p.delete("/v2/events").want(200)
}

// line is one event of a stream, or a comment.
type line struct {
	event
	raw     string // the event before it is decoded
	idLine  string // what the `id:` line said
	hasID   bool   // there was one
	retry   string // what the `retry:` line before it said
	comment bool
}

// stream is an open stream of events, SSE or WebSocket.
type stream struct {
	t     *testing.T
	name  string
	lines chan line // closed at the end
	close func()
	code  websocket.StatusCode // with which a WebSocket was closed, once lines is
}

// openStream opens an event stream with a query and further headers.
func (p *person) openStream(query string, options ...option) *stream {
	p.t.Helper()
	return p.openStreamAt("/v2/events?"+query, options...)
}

// openStreamAt opens a stream of something else.
func (p *person) openStreamAt(path string, options ...option) *stream {
	p.t.Helper()
	response := p.requestStreamAt(path, options...)
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != "text/event-stream" {
		p.t.Fatalf("%s: a stream answered %s %v", p.name, response.Status, response.Header)
	}
	st := &stream{t: p.t, name: p.name, lines: make(chan line, 4096)}
	st.close = func() { _ = response.Body.Close() }
	p.t.Cleanup(st.close)
	go func() {
		defer close(st.lines)
		readSSE(p.t, bufio.NewReader(response.Body), st.lines)
	}()
	if first := st.next(); !first.comment {
		p.t.Fatalf("%s: a stream starts with %s, want a comment", p.name, first.kind)
	}
	return st
}

func (p *person) requestStream(query string, options ...option) *http.Response {
	p.t.Helper()
	return p.requestStreamAt("/v2/events?"+query, options...)
}

func (p *person) requestStreamAt(path string, options ...option) *http.Response {
	p.t.Helper()
	ctx, cancel := context.WithCancel(p.t.Context())
	p.t.Cleanup(cancel)
	r := p.request("GET", path,
		append([]option{header("Accept", "text/event-stream")}, options...)...).WithContext(ctx)
	response, err := p.s.client.Do(r)
	if err != nil {
		p.t.Fatalf("%s: open a stream: %v", p.name, err)
	}
	p.t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// readSSE reads server-sent events until the stream ends.
func readSSE(t *testing.T, r *bufio.Reader, lines chan<- line) {
	var id, data, retry string
	hasID := false
	for {
		text, err := r.ReadString('\n')
		if err != nil {
			return
		}
		text = strings.TrimSuffix(text, "\n")
		name, rest, _ := strings.Cut(text, ": ")
		switch {
		case text == "" && data != "":
			lines <- line{raw: data, idLine: id, hasID: hasID, retry: retry}
			id, data, retry, hasID = "", "", "", false
		case text == "":
		case name == "" || strings.HasPrefix(text, ":"):
			lines <- line{comment: true}
		case name == "id":
			id, hasID = rest, true
		case name == "retry":
			retry = rest
		case name == "data":
			data += rest
		default:
			t.Errorf("a stream has the line %q", text)
		}
	}
}

// decode reads what came, on the test's own goroutine.
func (l line) decode(t *testing.T) line {
	t.Helper()
	if l.comment {
		return l
	}
	d := json.NewDecoder(strings.NewReader(l.raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("an event is %q: %v", l.raw, err)
	}
	l.event = readEvent(value{t, v})
	if l.hasID && l.idLine != l.id {
		t.Errorf("the event %q has the id line %q", l.id, l.idLine)
	}
	return l
}

// openSocket opens a WebSocket of events, and returns what sends frames to the
// server.
func (p *person) openSocket(query string, options ...option) (st *stream, send func(text string)) {
	p.t.Helper()
	r := p.request("GET", "/v2/events?"+query, options...)
	alive := make(chan struct{})
	var once sync.Once
	conn, _, err := websocket.Dial(within(p.t), "ws"+strings.TrimPrefix(p.s.url, "http")+"/v2/events?"+query,
		&websocket.DialOptions{
			HTTPClient: p.s.client, HTTPHeader: r.Header,
			OnPingReceived: func(context.Context, []byte) bool { once.Do(func() { close(alive) }); return true },
		})
	if err != nil {
		p.t.Fatalf("%s: open a WebSocket: %v", p.name, err)
	}
	conn.SetReadLimit(1 << 20)
	st = &stream{t: p.t, name: p.name, lines: make(chan line, 4096), close: func() { _ = conn.CloseNow() }}
	p.t.Cleanup(st.close)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(st.lines)
		for {
			kind, frame, err := conn.Read(context.WithoutCancel(p.t.Context()))
			if err != nil {
				st.code = websocket.CloseStatus(err)
				return
			}
			if kind != websocket.MessageText {
				p.t.Errorf("%s: a frame is not of text", p.name)
			}
			p.s.checks.Event(frame)
			st.lines <- line{raw: string(frame)}
		}
	}()
	select {
	case <-alive: // the server shows so that it listens for events
	case <-ended: // it had all to say
	case <-time.After(patience):
		p.t.Fatalf("%s: a WebSocket gets no ping", p.name)
	}
	return st, func(text string) {
		p.t.Helper()
		if err := conn.Write(within(p.t), websocket.MessageText, []byte(text)); err != nil {
			p.t.Fatalf("%s: write to a WebSocket: %v", p.name, err)
		}
	}
}

// next waits for the next event or comment.
func (st *stream) next() line {
	st.t.Helper()
	select {
	case l, open := <-st.lines:
		if !open {
			st.t.Fatalf("the stream of %s has ended", st.name)
		}
		return l.decode(st.t)
	case <-time.After(patience):
		st.t.Fatalf("nothing comes on the stream of %s", st.name)
	}
	return line{}
}

// wantNext waits for the next event, which has to be of this kind. Comments are
// passed over.
func (st *stream) wantNext(kind string) line {
	st.t.Helper()
	for {
		l := st.next()
		if l.comment {
			continue
		}
		if l.kind != kind {
			st.t.Fatalf("the stream of %s has %s %s, want %s", st.name, l.kind, l.value, kind)
		}
		return l
	}
}

// nextOf waits for the next event of a kind, and passes over all others.
func (st *stream) nextOf(kind string) line {
	st.t.Helper()
	for {
		if l := st.next(); l.kind == kind {
			return l
		}
	}
}

// wantReplay reads a replay with its brackets, and checks the kinds within.
func (st *stream) wantReplay(kinds ...string) []event {
	st.t.Helper()
	begin := st.wantNext("client_advisory")
	begin.at("advisory").wantIs(fields{"name": "replay_start", "replay_message_count": len(kinds)})
	if begin.hasID {
		st.t.Error("an advisory has an id line, and is not queued")
	}
	var out []event
	for _, kind := range kinds {
		out = append(out, st.wantNext(kind).event)
	}
	st.wantNext("client_advisory").at("advisory").wantIs(fields{"name": "replay_stop"})
	return out
}

// wantEnd waits for the end of the stream; only comments may come before.
func (st *stream) wantEnd() {
	st.t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case l, open := <-st.lines:
			if !open {
				return
			}
			if !l.comment {
				st.t.Fatalf("the stream of %s has %s, want its end", st.name, l.raw)
			}
		case <-deadline:
			st.t.Fatalf("the stream of %s does not end", st.name)
		}
	}
}

package clientreplay

import (
	"encoding/json"
	"slices"
	"strings"

	"signet/client"
	"signet/internal/app/apptest"
)

// open opens the story's stream, as event sources wait for it: the head and a
// comment at once, then the replay. JavaScript 13.x compares the whole Content-Type,
// and never connects where a parameter follows.
func (s *story) open(r apptest.Request) {
	s.t.Helper()
	s.stream = s.cast.MustOpen(s.t, s.http, r)
	if s.stream.Status != 200 || s.stream.Header.Get("Content-Type") != "text/event-stream" {
		s.t.Fatalf("%s: got %d %v, want a stream of events", s.where, s.stream.Status, s.stream.Header)
	}
	if line, _ := s.stream.Line(); !strings.HasPrefix(line, ":") {
		s.t.Fatalf("%s: the stream begins with %q, want a comment", s.where, line)
	}
}

// received is an event as a client takes it from a stream.
type received struct {
	id      string // event_id
	kind    string // without the namespace
	payload string
	queued  bool // it has an id line
}

// next waits for the next event. Comments are passed over.
func (s *story) next() (e received) {
	s.t.Helper()
	idLine := ""
	for {
		line, open := s.stream.Line()
		if !open {
			s.t.Fatalf("%s: the stream has ended", s.where)
		}
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" || name == "":
		case name == "id":
			idLine, e.queued = value, true
		case name == "data":
			s.read(value, &e)
			if e.queued && idLine != e.id {
				s.t.Errorf("%s: the event %s has the id line %q", s.where, value, idLine)
			}
			return e
		default:
			s.t.Fatalf("%s: the stream has the line %q, which no client expects", s.where, line)
		}
	}
}

// read reads {"event_id": ..., "event": {TYPE: ...}}: the clients take the first
// key of event for the type, so there has to be exactly one.
func (s *story) read(data string, e *received) {
	s.t.Helper()
	var wire map[string]json.RawMessage
	var event map[string]json.RawMessage
	s.must(json.Unmarshal([]byte(data), &wire))
	s.must(json.Unmarshal(wire["event_id"], &e.id))
	s.must(json.Unmarshal(wire["event"], &event))
	if len(wire) != 2 || len(event) != 1 || e.id == "" {
		s.t.Fatalf("%s: the event is misshapen: %s", s.where, data)
	}
	for name, payload := range event {
		kind, ok := strings.CutPrefix(name, "tigertext:iq:")
		if !ok {
			s.t.Fatalf("%s: the event has the type %s", s.where, name)
		}
		e.kind, e.payload = kind, string(payload)
	}
}

// wantEvent waits for the next event that is no heartbeat, and compares it.
func (s *story) wantEvent(kind, payload string) received {
	s.t.Helper()
	e := s.next()
	for beats := 0; e.kind == "sse:heartbeat" && kind != e.kind; e = s.next() {
		if beats++; beats > mostBeats {
			s.t.Fatalf("%s: the event %s does not come", s.where, kind)
		}
	}
	if e.kind != kind {
		s.t.Fatalf("%s: the stream has %s %s, want %s", s.where, e.kind, e.payload, kind)
	}
	s.match("the event "+kind, payload, e.payload)
	if e.queued == live[kind] {
		s.t.Errorf("%s: the event %s has an id line: %v", s.where, kind, e.queued)
	}
	if e.queued {
		s.unacknowledged = append(s.unacknowledged, e.id)
	} else {
		s.advisory = e.id
	}
	return e
}

// mostBeats is for how many heartbeats, of 5 s each, an event is waited for.
const mostBeats = 4

// live are the kinds of event that are in no queue.
var live = map[string]bool{"client_advisory": true, "message:is_typing": true, "presence": true, "sse:heartbeat": true,
	"reconnect": true}

// wantReplay reads the brackets of a replay of nothing.
func (s *story) wantReplay() {
	s.t.Helper()
	s.wantEvent("client_advisory", `{"advisory":{"name":"replay_start","replay_message_count":0}}`)
	s.wantEvent("client_advisory", `{"advisory":{"name":"replay_stop"}}`)
}

// wantHeartbeat waits for what the client asked for each 5 s; after 12 s without
// anything it would take the stream for dead.
func (s *story) wantHeartbeat() {
	s.t.Helper()
	s.wantEvent("sse:heartbeat", `{}`)
}

// wantStreamEnd waits for the end of the stream; heartbeats and comments may come
// before.
func (s *story) wantStreamEnd() {
	s.t.Helper()
	for {
		line, open := s.stream.Line()
		if !open {
			return
		}
		if strings.HasPrefix(line, "data: ") && !strings.Contains(line, "sse:heartbeat") {
			s.t.Errorf("%s: the stream has %s, want its end", s.where, line)
		}
	}
}

// nextUnacknowledged is the id of an event that a client acknowledges now. The
// clients acknowledge more than is queued, advisories for one.
func (s *story) nextUnacknowledged() string {
	if len(s.unacknowledged) == 0 {
		return s.advisory
	}
	id := s.unacknowledged[0]
	s.unacknowledged = s.unacknowledged[1:]
	return id
}

// wantQueued checks which events are not acknowledged.
func (s *story) wantQueued() {
	s.t.Helper()
	events, err := s.me.Client.Poll(s.t.Context(), client.PollOptions{Limit: 1000})
	s.must(err)
	var got []string
	for _, e := range events {
		got = append(got, e.ID)
	}
	if !slices.Equal(got, s.unacknowledged) {
		s.t.Errorf("%s: queued is %v, want %v", s.where, got, s.unacknowledged)
	}
}

// withdraw takes an event off those that are queued: the server has withdrawn it.
func (s *story) withdraw(id string) {
	s.unacknowledged = slices.DeleteFunc(s.unacknowledged, func(queued string) bool { return queued == id })
}

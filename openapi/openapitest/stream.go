package openapitest

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// stream compares server-sent events as they pass, and holds nothing back: it
// keeps the line and the event that have not ended yet.
type stream struct {
	validator *Validator
	name      string
	schema    *jsonschema.Schema // of its events
	line      []byte
	data      []string
	id        string
	hasID     bool
	begun     bool
}

func (v *Validator) newStream(x *exchange) *stream {
	path := x.request.URL.EscapedPath()
	schema := v.document.streamEvent
	if strings.HasSuffix(strings.TrimSuffix(path, "/"), "/audit") {
		schema = v.document.auditEvent
	}
	return &stream{validator: v, name: fmt.Sprintf("a stream (%s %s)", x.request.Method, path), schema: schema}
}

// write takes the next bytes, which may end anywhere.
func (s *stream) write(p []byte) {
	for {
		line, rest, ended := bytes.Cut(p, []byte{'\n'})
		s.line = append(s.line, line...)
		if !ended {
			return
		}
		s.endLine(strings.TrimSuffix(string(s.line), "\r"))
		s.line = s.line[:0]
		p = rest
	}
}

func (s *stream) endLine(line string) {
	if !s.begun && !strings.HasPrefix(line, ":") {
		s.report(line, "it does not begin with a comment")
	}
	s.begun = true
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch {
	case line == "":
		s.endEvent()
	case name == "": // a comment
	case name == "data":
		s.data = append(s.data, value)
	case name == "id":
		s.id, s.hasID = value, true
	case name == "retry":
	default:
		s.report(line, "events are unnamed, and have data and id only")
	}
}

// endEvent compares an event that is complete.
func (s *stream) endEvent() {
	data, id, hasID := strings.Join(s.data, "\n"), s.id, s.hasID
	some := len(s.data) > 0
	s.data, s.id, s.hasID = nil, "", false
	if !some {
		if hasID {
			s.report("id: "+id, "an id without data")
		}
		return
	}
	d := s.validator.document
	if problem := eventProblem(s.schema, []byte(data)); problem != "" {
		s.report(data, problem)
		return
	}
	value, _ := decodeJSON([]byte(data)) // eventProblem has done so
	event := part{value, ""}
	kind := event.at("event").names()[0]
	switch eventID := event.at("event_id").text(); {
	case hasID && id != eventID:
		s.report(data, fmt.Sprintf("its id: %q is not its event_id", id))
	case hasID && !d.queuedTypes[kind]:
		s.report(data, "it has an id:, and is not queued")
	}
}

func (s *stream) report(what, problem string) {
	s.validator.report(s.name, []string{problem}, []byte(what))
}

// eventProblem compares an event with its schema; empty if nothing differs.
func eventProblem(schema *jsonschema.Schema, text []byte) string {
	value, err := decodeJSON(text)
	if err != nil {
		return err.Error()
	}
	return differences(schema, value)
}

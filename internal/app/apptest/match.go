package apptest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// counted are the fields whose numbers only the server knows. Where one is
// written down, any positive integer is right.
var counted = map[string]bool{"sort_number": true, "mute_start": true}

// measured are the fields whose numbers are measured. Where one is written down, any number is right.
var measured = map[string]bool{"duration_ms": true}

// own are the fields whose texts are of one request only. Where one is written
// down, any text is right.
var own = map[string]bool{"request_id": true}

// MatchJSON compares a JSON text with the one that is written down, and returns
// what differs. Objects must have the same members, in any order; arrays the same
// elements, in the same order. Placeholders stand for what only the server knows,
// a time for any time.
func (n *Names) MatchJSON(want, got string) []string {
	wanted, err := parseJSON(want)
	if err != nil {
		return []string{fmt.Sprintf("what is written down is no JSON: %v", err)}
	}
	found, err := parseJSON(got)
	if err != nil {
		return []string{fmt.Sprintf("the answer is no JSON: %v", err)}
	}
	m := matcher{names: n}
	m.value("", wanted, found)
	return m.problems
}

// parseJSON reads one value and keeps numbers as they are written.
func parseJSON(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("more than one value in %s", text)
	}
	return v, nil
}

type matcher struct {
	names    *Names
	problems []string
}

func (m *matcher) differ(path, format string, args ...any) {
	m.problems = append(m.problems, strings.TrimPrefix(path, ".")+": "+fmt.Sprintf(format, args...))
}

func (m *matcher) value(path string, want, got any) {
	name := path[strings.LastIndexByte(path, '.')+1:]
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			m.object(path, w, g)
			return
		}
	case []any:
		if g, ok := got.([]any); ok {
			m.array(path, w, g)
			return
		}
	case string:
		if g, ok := got.(string); ok && (m.names.MatchText(w, g) || own[name] && g != "") {
			return
		}
	case json.Number:
		if g, ok := got.(json.Number); ok && (w == g || counted[name] && positive(g) || measured[name]) {
			return
		}
	default: // true, false, null
		if want == got {
			return
		}
	}
	m.differ(path, "got %s, want %s", written(got), written(want))
}

func (m *matcher) object(path string, want, got map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if g, there := got[name]; there {
			m.value(path+"."+name, want[name], g)
		} else {
			m.differ(path+"."+name, "missing, want %s", written(want[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, wanted := want[name]; !wanted {
			m.differ(path+"."+name, "got %s, want nothing", written(got[name]))
		}
	}
}

func (m *matcher) array(path string, want, got []any) {
	if len(want) != len(got) {
		m.differ(path, "got %d elements, want %d: %s", len(got), len(want), written(got))
		return
	}
	for i := range want {
		m.value(path+"["+strconv.Itoa(i)+"]", want[i], got[i])
	}
}

func positive(n json.Number) bool {
	i, err := n.Int64()
	return err == nil && i > 0
}

func written(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

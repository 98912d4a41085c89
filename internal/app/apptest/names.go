package apptest

import (
	"encoding/base64"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"
)

// Names are what the placeholders of a story stand for: <alice> for what was
// given to the name "alice". Three forms are made of others:
//
//	<credentials of alice>   base64 of what "alice key" and "alice secret" stand for
//	<base64 of some:text>    base64 of the text
//	<any thing>              in an answer: whatever comes; it is not remembered
//
// They are safe for concurrent use.
type Names struct {
	mu     sync.Mutex // guards values
	values map[string]string
}

var placeholder = regexp.MustCompile(`<[A-Za-z][^<>\n]*>`)

// Set gives a name its value.
func (n *Names) Set(name, value string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.values == nil {
		n.values = map[string]string{}
	}
	n.values[name] = value
}

// Clone returns the same names, for a story that goes on another way.
func (n *Names) Clone() *Names {
	n.mu.Lock()
	defer n.mu.Unlock()
	return &Names{values: maps.Clone(n.values)}
}

// SetPerson gives a person's name its token, and makes its credentials known.
func (n *Names) SetPerson(p *Person) {
	n.Set(p.Name, p.Token)
	n.Set(p.Name+" key", p.Key)
	n.Set(p.Name+" secret", p.Secret)
}

// Get returns what a name stands for.
func (n *Names) Get(name string) (string, bool) {
	if who, ok := strings.CutPrefix(name, "credentials of "); ok {
		key, known := n.Get(who + " key")
		secret, both := n.Get(who + " secret")
		return encode64(key + ":" + secret), known && both
	}
	if text, ok := strings.CutPrefix(name, "base64 of "); ok {
		return encode64(text), true
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	value, known := n.values[name]
	return value, known
}

func encode64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// Fill replaces the placeholders of a text. All must be known.
func (n *Names) Fill(text string) (string, error) {
	var unknown []string
	filled := placeholder.ReplaceAllStringFunc(text, func(p string) string {
		value, known := n.Get(p[1 : len(p)-1])
		if !known {
			unknown = append(unknown, p)
		}
		return value
	})
	if unknown != nil {
		return "", fmt.Errorf("nothing has told yet what %s is", strings.Join(unknown, " and "))
	}
	return filled, nil
}

// MatchText reports whether a text is the written one: placeholders that are
// known stand for their values, others for whatever is in their place, which
// they stand for from then on.
func (n *Names) MatchText(want, got string) bool {
	places := placeholder.FindAllStringIndex(want, -1)
	if places == nil {
		return want == got || isTime(want) && isTime(got)
	}
	var pattern strings.Builder
	pattern.WriteString(`(?s)^`)
	var open []string
	at := 0
	for _, place := range places {
		pattern.WriteString(regexp.QuoteMeta(want[at:place[0]]))
		at = place[1]
		name := want[place[0]+1 : place[1]-1]
		switch value, known := n.Get(name); {
		case known:
			pattern.WriteString(regexp.QuoteMeta(value))
		default:
			open = append(open, name)
			pattern.WriteString(`(.+?)`)
		}
	}
	pattern.WriteString(regexp.QuoteMeta(want[at:]) + `$`)
	found := regexp.MustCompile(pattern.String()).FindStringSubmatch(got)
	if found == nil {
		return false
	}
	for i, name := range open {
		if !strings.HasPrefix(name, "any ") {
			n.Set(name, found[1+i])
		}
	}
	return true
}

// The one form of a time (contract, section 1).
var timeForm = regexp.MustCompile(`^20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z$`)

func isTime(text string) bool { return timeForm.MatchString(text) }

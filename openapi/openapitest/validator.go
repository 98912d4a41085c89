package openapitest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Validator compares what a test sends and gets with the document. It is safe for
// concurrent use; after the end of its test it stays silent.
type Validator struct {
	t        testing.TB
	document *document
	coverage []*Coverage

	mu       sync.Mutex // guards what follows
	ended    bool
	reported int
}

// Option changes how a Validator works.
type Option func(*settings)

type settings struct {
	prefix, namespace string
	coverage          []*Coverage
}

// WithVendor compares with the document as a server shows it that has other
// vendor names (`vendor.prefix`, `vendor.namespace`).
func WithVendor(prefix, namespace string) Option {
	return func(s *settings) { s.prefix, s.namespace = prefix, namespace }
}

// WithCoverage also counts what is seen into a Coverage that several tests share.
func WithCoverage(c *Coverage) Option {
	return func(s *settings) { s.coverage = append(s.coverage, c) }
}

// New makes a Validator for a test. Make it before the server, so that it still
// listens while the server's last answers go out.
func New(t testing.TB, options ...Option) *Validator {
	t.Helper()
	var s settings
	for _, option := range options {
		option(&s)
	}
	load := func() (*document, error) { return load(s.prefix, s.namespace) }
	if s.prefix == "" && s.namespace == "" {
		load = standard
	}
	d, err := load()
	if err != nil {
		t.Fatalf("openapi: %v", err)
	}
	v := &Validator{t: t, document: d, coverage: append(s.coverage, new(Coverage))}
	t.Cleanup(func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.ended = true
	})
	return v
}

// Seen returns how often each operation was carried out, by operationId. What was
// refused (a status from 400 on) does not count.
func (v *Validator) Seen() map[string]int { return v.coverage[len(v.coverage)-1].Seen() }

// Event compares what one WebSocket frame, or one event's data, holds with the
// document.
func (v *Validator) Event(text []byte) {
	if problem := v.document.eventProblem(text); problem != "" {
		v.report("a streamed event", []string{problem}, text)
	}
}

// check compares an exchange that is over, or whose head is all that is compared.
func (v *Validator) check(x *exchange) {
	op, problems := v.document.examine(x)
	if op != nil && x.status < http.StatusBadRequest {
		for _, c := range v.coverage {
			c.add(op.ID)
		}
	}
	if len(problems) > 0 {
		v.report(x.describe(op), problems, x.body)
	}
}

// reports bounds how much a test says: a wrong field in each of a thousand
// answers is one fault.
const reports = 20

func (v *Validator) report(what string, problems []string, body []byte) {
	v.t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.reported++
	switch {
	case v.ended:
	case v.reported > reports:
		v.t.Fail()
	default:
		v.t.Errorf("openapi: %s is not as the document has it:\n%s%s", what, list(problems), shown(body))
	}
}

func list(problems []string) string {
	var b strings.Builder
	for _, problem := range problems {
		fmt.Fprintf(&b, "  * %s\n", strings.ReplaceAll(problem, "\n", "\n    "))
	}
	return b.String()
}

// shown is the beginning of a body.
func shown(body []byte) string {
	const most = 2048
	switch {
	case len(body) == 0:
		return ""
	case len(body) > most:
		return fmt.Sprintf("  body (%d bytes): %.*q...", len(body), most, body)
	default:
		return fmt.Sprintf("  body: %s", body)
	}
}

// Coverage counts which operations were carried out, over as many tests as share
// it. Its zero value is ready, and safe for concurrent use.
type Coverage struct {
	mu   sync.Mutex // guards seen
	seen map[string]int
}

func (c *Coverage) add(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = map[string]int{}
	}
	c.seen[id]++
}

// Seen returns how often each operation was carried out, by operationId.
func (c *Coverage) Seen() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := maps.Clone(c.seen)
	if seen == nil {
		seen = map[string]int{}
	}
	return seen
}

// Operations lists every call that the document describes, by pattern and method.
func Operations(t testing.TB) []Operation {
	t.Helper()
	d, err := standard()
	if err != nil {
		t.Fatalf("openapi: %v", err)
	}
	out := make([]Operation, len(d.operations))
	for i, op := range d.operations {
		out[i] = op.Operation
	}
	slices.SortFunc(out, func(a, b Operation) int {
		return strings.Compare(a.Pattern+" "+a.Method, b.Pattern+" "+b.Method)
	})
	return out
}

package openapitest

import (
	"fmt"
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

	mu       sync.Mutex // guards what follows
	ended    bool
	reported int
}

// Option changes how a Validator works.
type Option func(*settings)

type settings struct{ prefix, namespace string }

// WithVendor compares with the document as a server shows it that has other
// vendor names (`vendor.prefix`, `vendor.namespace`).
func WithVendor(prefix, namespace string) Option {
	return func(s *settings) { s.prefix, s.namespace = prefix, namespace }
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
	v := &Validator{t: t, document: d}
	t.Cleanup(func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.ended = true
	})
	return v
}

// Event compares what one WebSocket frame, or one event's data, holds with the
// document.
func (v *Validator) Event(text []byte) {
	if problem := eventProblem(v.document.streamEvent, text); problem != "" {
		v.report("a streamed event", []string{problem}, text)
	}
}

// check compares an exchange that is over, or whose head is all that is compared.
func (v *Validator) check(x *exchange) {
	op, problems := v.document.examine(x)
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

// Parameters lists the names of the parameters that each call has in a place, `query` or
// `header`, by its method and pattern.
func Parameters(t testing.TB, in string) map[string][]string {
	t.Helper()
	d, err := standard()
	if err != nil {
		t.Fatalf("openapi: %v", err)
	}
	out := map[string][]string{}
	for _, op := range d.operations {
		for _, p := range op.parameters {
			if call := op.Method + " " + op.Pattern; p.in == in {
				out[call] = append(out[call], p.name)
			}
		}
	}
	return out
}

package openapitest

import (
	"cmp"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// exchange is one request and its answer.
type exchange struct {
	request *http.Request // its body is in sent
	sent    *capture      // nil: none

	status int
	header http.Header
	body   []byte // of an answer that is kept to be compared
	length int64  // of the body in bytes; -1: not known
}

func (x *exchange) describe(op *operation) string {
	name := "an unknown call"
	if op != nil {
		name = op.ID
	}
	return fmt.Sprintf("%s (%s %s), answered with %d,", name, x.request.Method, x.request.URL.EscapedPath(), x.status)
}

// problem describes a difference in a sentence.
func problem(format string, args ...any) []string { return []string{fmt.Sprintf(format, args...)} }

// examine compares an exchange with the document. The operation is nil where the
// document has none for it.
func (d *document) examine(x *exchange) (*operation, []string) {
	place, values := d.paths.find(x.request.URL.EscapedPath(), x.request.Method)
	if place == nil {
		return nil, d.examineUnknown(x, "path")
	}
	op := place.operation(x.request.Method)
	if op == nil {
		if x.isPreflight() {
			return nil, nil
		}
		return nil, slices.Concat(d.examineUnknown(x, "method"), x.allowProblems(place))
	}
	described := op.responses[x.status]
	if described == nil && x.status == http.StatusMethodNotAllowed && x.request.Method == http.MethodHead {
		return op, slices.Concat(x.answerProblems(d.methodNotAllowed), x.allowProblems(place))
	}
	if described == nil {
		return op, problem("the status %d is not one that this operation answers", x.status)
	}
	problems := x.answerProblems(described)
	if x.status < http.StatusBadRequest {
		problems = append(problems, x.requestProblems(op, values)...)
	}
	return op, problems
}

// examineUnknown compares the answer to a path or a method that the document
// does not have.
func (d *document) examineUnknown(x *exchange, what string) []string {
	place, _ := d.paths.find(x.request.URL.EscapedPath(), x.request.Method)
	if place != nil && place.plain() && x.status == http.StatusMethodNotAllowed {
		return nil
	}
	for status, described := range map[int]*response{
		http.StatusUnauthorized: d.unauthorized, http.StatusNotFound: d.notFound,
		http.StatusMethodNotAllowed: d.methodNotAllowed, http.StatusServiceUnavailable: d.unavailable,
	} {
		if x.status == status {
			return x.answerProblems(described)
		}
	}
	return problem("the document does not have this %s, which is then answered with 404, 405 or 401", what)
}

// isPreflight reports whether a browser asked what it may send, and was told.
func (x *exchange) isPreflight() bool {
	return x.request.Method == http.MethodOptions && x.status == http.StatusNoContent &&
		x.request.Header.Get("Access-Control-Request-Method") != "" && x.header.Get("Access-Control-Allow-Origin") != ""
}

// allowProblems compares the Allow header of a 405 with the methods of the path.
func (x *exchange) allowProblems(place *route) []string {
	if x.status != http.StatusMethodNotAllowed {
		return nil
	}
	given, _ := x.headerValue("Allow")
	if given == "" {
		return problem("header Allow: it has to list the path's methods")
	}
	for method := range strings.SplitSeq(given, ",") {
		if method = strings.TrimSpace(method); !place.allows(method) {
			return problem("header Allow: the path has no method %q", method)
		}
	}
	return nil
}

// answerProblems compares the answer with how the document describes it.
func (x *exchange) answerProblems(described *response) []string {
	return append(x.headerProblems(described), x.bodyProblems(described)...)
}

func (x *exchange) headerProblems(described *response) (problems []string) {
	for _, h := range described.headers {
		value, found := x.headerValue(h.name)
		switch {
		case !found && h.required:
			problems = append(problems, fmt.Sprintf("header %s: it is missing", h.name))
		case found:
			if differs := textDifferences(h.schema, value); differs != "" {
				problems = append(problems, fmt.Sprintf("header %s: %q: %s", h.name, value, differs))
			}
		}
	}
	own := x.request.Header.Values("Request-Id")
	if id, found := x.headerValue("Request-Id"); found && len(own) == 1 && visible(own[0]) && own[0] != id {
		problems = append(problems, fmt.Sprintf("header Request-Id: %q, where the client sent %q", id, own[0]))
	}
	if coding, found := x.headerValue("Content-Encoding"); found &&
		!strings.Contains(x.request.Header.Get("Accept-Encoding"), coding) {
		problems = append(problems, fmt.Sprintf("header Content-Encoding: %q, which the client did not ask for", coding))
	}
	return problems
}

// headerValue returns a header of the answer however its name is spelt: a server
// may write it otherwise than http.Header does.
func (x *exchange) headerValue(name string) (string, bool) {
	for given, values := range x.header {
		if strings.EqualFold(given, name) && len(values) > 0 {
			return values[0], true
		}
	}
	return "", false
}

// visible reports whether a Request-ID is one that the server is to repeat.
func visible(id string) bool {
	return id != "" && len(id) <= 128 && !strings.ContainsFunc(id, func(r rune) bool { return r < '!' || r > '~' })
}

func (x *exchange) bodyProblems(described *response) []string {
	if len(described.content) == 0 {
		if x.length > 0 && x.request.Method != http.MethodHead {
			return problem("there is a body of %d bytes, where there is to be none", x.length)
		}
		return nil
	}
	given, _ := x.headerValue("Content-Type")
	kind, _, err := mime.ParseMediaType(given)
	schema := described.find(kind)
	if err != nil || schema == nil {
		return problem("header Content-Type: %q is not one that the document has here", given)
	}
	switch {
	case x.request.Method == http.MethodHead && len(x.body) == 0, x.length < 0:
	case kind == "application/json":
		return x.jsonProblems(schema)
	case kind == "text/plain":
		return wrap("body: ", differences(schema, string(x.body)))
	}
	return nil // a file, or a stream, which is compared while it is read
}

// find returns the schema of a type, or of one that covers it; nil: there is none.
func (r *response) find(kind string) *jsonschema.Schema {
	family, _, _ := strings.Cut(kind, "/")
	return cmp.Or(r.content[kind], r.content[family+"/*"], r.content["*/*"])
}

func (x *exchange) jsonProblems(schema *jsonschema.Schema) []string {
	coding, _ := x.headerValue("Content-Encoding")
	text, err := decompress(coding, x.body)
	if err != nil {
		return problem("body: %v", err)
	}
	value, err := decodeJSON(text)
	if err != nil {
		return problem("body: %v", err)
	}
	problems := wrap("body: ", differences(schema, value))
	if x.status >= http.StatusBadRequest {
		problems = append(problems, x.errorProblems(value)...)
	}
	return problems
}

// errorProblems compares what an error repeats of its head: no schema can.
func (x *exchange) errorProblems(value any) (problems []string) {
	inner := part{value, ""}.at("error")
	if status := fmt.Sprint(inner.at("status").value); status != strconv.Itoa(x.status) {
		problems = append(problems, fmt.Sprintf("body: error.status is %s, and the answer's %d", status, x.status))
	}
	if id, _ := x.headerValue("Request-Id"); inner.at("request_id").text() != id {
		problems = append(problems, fmt.Sprintf("body: error.request_id is not the Request-Id %q", id))
	}
	return problems
}

func wrap(before, differs string) []string {
	if differs == "" {
		return nil
	}
	return []string{before + differs}
}

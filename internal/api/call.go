package api

import (
	"net/http"
	"net/textproto"
	"strings"
	"time"
	"unicode/utf8"

	"signet/internal/model"
	"signet/internal/service"
)

// call is one request on its way through the adapter, and what an endpoint gets
// of it.
type call struct {
	view
	request  *http.Request
	writer   responseWriter
	endpoint *endpoint
	actor    *model.Actor // who calls; nil on public routes
	tried    string       // the key, or else the address, whose credentials the call came with
	origin   *service.Origin
	id       string // of the request, as Request-Id answers it
	fields   fields // of the body
	sentBody bool   // there was one, and it was not blank

	query      fields
	queryKnown bool
	params     [maxParams]string
	allow      string // methods of the path
	files      []storedFile
	started    time.Time
	logged     error // what went wrong, for the access log
	streamed   bool
	held       bool    // its stream goes on after it
	abandoned  bool    // the client left before it got an answer
	caller     *caller // for the access log; nil: there is none
	outage     bool    // refused because something is away, which is told for all such calls at once
}

// path returns a parameter of the path, decoded. It is never empty.
func (c *call) path(name string) string {
	for i, known := range c.endpoint.params {
		if known == name {
			return c.params[i]
		}
	}
	return ""
}

// head reports whether only the head of the answer is wanted.
func (c *call) head() bool { return c.request.Method == http.MethodHead }

// readQuery returns the fields of the query.
func (c *call) readQuery() *fields {
	if !c.queryKnown {
		c.queryKnown = true
		parseQuery(c.request.URL.RawQuery, &c.query)
	}
	return &c.query
}

// besideBody finds a field of a DELETE that its body does not have: in the query,
// else in a header of the vendor's, `sender_token` in TT-X-Sender-Token. Published
// clients end a mute so, with an empty object as the body (contract, section 1).
func (c *call) besideBody(name string) *field {
	if given := c.readQuery().get(name); given != nil {
		return given
	}
	lines := c.request.Header[textproto.CanonicalMIMEHeaderKey(c.vendor.prefix+strings.ReplaceAll(name, "_", "-"))]
	if len(lines) == 0 {
		return nil
	}
	given := &field{name: name, kind: formKind, text: lines[0], more: lines[1:]}
	if !utf8.ValidString(strings.Join(lines, "")) {
		given.flaw = model.Invalidf(codeTextInvalid, shownName(name), "The text is not valid UTF-8.")
	}
	return given
}

// err returns the first fault that the getters of the body's or the query's
// fields came upon, to be asked before anything is done with their values.
func (c *call) err() error {
	if c.fields.fault != nil {
		return c.fields.fault
	}
	if c.query.fault != nil {
		return c.query.fault
	}
	return nil
}

// file returns what the sink of a file field kept.
func (c *call) file(name string) (any, bool) {
	for i := range c.files {
		if c.files[i].name == name {
			return c.files[i].value, true
		}
	}
	return nil, false
}

// organization returns the organization that the call names in its header, else
// in a query or body field of the header's name; empty if none. It is as the
// client wrote it: what is no token names no organization.
func (c *call) organization() model.OrganizationID {
	if lines := c.request.Header[c.vendor.organizationField]; len(lines) > 0 {
		for _, other := range lines[1:] {
			if other != lines[0] {
				c.fields.refuse(repeated(c.vendor.organizationKey))
			}
		}
		if named := strings.TrimSpace(lines[0]); named != "" {
			return model.OrganizationID(named)
		}
	}
	for _, f := range []*fields{c.readQuery(), &c.fields} {
		for i := range f.list {
			if name := f.list[i].name; strings.EqualFold(name, c.vendor.organizationField) {
				return model.OrganizationID(strings.TrimSpace(f.Text(name)))
			}
		}
	}
	return ""
}

// requestID returns the Request-ID under which the client wants its call to have
// happened once, or "" where it sent none.
func (c *call) requestID() (string, error) {
	sent, ok := c.request.Header["Request-Id"]
	switch {
	case !ok:
		return "", nil
	case len(sent) > 1 || !validRequestID(sent[0]):
		return "", model.Invalidf(codeRequestIDInvalid, "Request-ID", "A Request-ID is 1 to 128 visible ASCII characters.")
	}
	return sent[0], nil
}

package api

import (
	"net/http"
	"strings"
	"time"

	"signet/internal/access"
	"signet/internal/api/guard"
	"signet/internal/api/input"
	"signet/internal/api/output"
	"signet/internal/api/wire"
	"signet/internal/audit"
	"signet/internal/content"
	"signet/internal/large"
	"signet/internal/model"
	"signet/internal/trace"
)

// call is one request on its way through the adapter, and what an endpoint gets
// of it.
type call struct {
	wire.View
	vendor   *vendor
	request  *http.Request
	writer   output.Writer
	endpoint *endpoint
	actor    *model.Actor   // who calls; nil on public routes
	proven   *access.Proven // whose password a sign-in gave
	before   *model.Actor   // of the session that the browser had when it signed in; nil: none
	beside   *model.Actor   // the key that elevates the session; nil: none was given
	way      Way            // known where the call has to do with a cookie
	tried    string         // the key, or else the address, whose credentials the call came with
	back     string         // where a browser goes on, if the call shows nothing itself; empty: to the first page
	origin   *audit.Origin
	action   model.AuditAction // what it is in the audit log, where its body says more than the route; empty: the route's
	id       string            // of the request, as Request-Id answers it
	body     input.Body[*content.Upload]
	read     bool        // the body has been read
	held     guard.Held  // the memory that the body takes
	answer   guard.Held  // and what the answer takes
	large    *large.Pass // nil: the call was refused
	rows     int         // that it writes, or leaves to be written
	leave    func()      // ends the upload that it is; nil: it is none

	work trace.Work // the context of all that is done for it
	span trace.Span

	query      input.Fields
	queryKnown bool
	params     [maxParams]string
	allow      string // methods of the path
	started    time.Time
	logged     error // what went wrong, for the access log
	scim       bool  // its path is one of SCIM, be there such an endpoint or not
	streamed   bool
	hijacked   bool    // its stream goes on after it
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

// release gives back what the body took.
func (c *call) release() {
	c.held.Release()
	c.answer.Release()
	c.large.Leave()
	if c.leave != nil {
		c.leave()
	}
}

// readQuery returns the fields of the query.
func (c *call) readQuery() *input.Fields {
	if !c.queryKnown {
		c.queryKnown = true
		input.ParseQuery(c.request.URL.RawQuery, c.endpoint.reader.Limits.Fields, &c.query)
	}
	return &c.query
}

// err returns the first fault that the getters of the body's or the query's
// fields came upon, to be asked before anything is done with their values.
func (c *call) err() error {
	if err := c.body.Err(); err != nil {
		return err
	}
	return c.query.Err()
}

// organization returns the organization that the call names in its header, else
// in a query or body field of the header's name; empty if none. It is as the
// client wrote it: what is no token names no organization.
func (c *call) organization() model.OrganizationID {
	if lines := c.request.Header[c.vendor.organizationField]; len(lines) > 0 {
		for _, line := range lines {
			if fault := input.WantText(c.vendor.organizationKey, line); fault != nil {
				c.body.Fields.Refuse(fault)
			}
			if line != lines[0] {
				c.body.RefuseRepeated(c.vendor.organizationKey)
			}
		}
		if named := strings.TrimSpace(lines[0]); named != "" {
			return model.OrganizationID(named)
		}
	}
	for _, f := range []*input.Fields{c.readQuery(), &c.body.Fields} {
		if name := f.Spelt(c.vendor.organizationField); name != "" {
			return model.OrganizationID(strings.TrimSpace(f.Text(name)))
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
	case len(sent) > 1 || !model.ValidRequestID(sent[0]):
		return "", model.Invalidf(codeRequestIDInvalid, "Request-ID", "A Request-ID is 1 to 128 visible ASCII characters.")
	}
	return sent[0], nil
}

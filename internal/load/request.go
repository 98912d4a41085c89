package load

import (
	"bytes"
	"net/http"
	"net/url"
	"strconv"
)

// request is a call that is prepared once and made many times: the bytes that go
// over the wire, so that making it costs next to nothing.
type request struct {
	method string
	url    *url.URL
	start  string   // of the head, to the one who calls
	who    string   // the Authorization
	lines  []byte   // further lines of the head
	parts  [][]byte // of the body, one after the other
}

// newRequest prepares a call of a person's, with a body that is JSON or empty.
func newRequest(who *person, method string, to *url.URL, body string) *request {
	r := &request{method: method, url: to, who: who.authorization,
		start: method + " " + to.RequestURI() + " HTTP/1.1\r\nHost: " + to.Host +
			"\r\nUser-Agent: signet-bench\r\nAuthorization: "}
	if body == "" {
		return r
	}
	return r.withHeader("Content-Type", "application/json").withBody([]byte(body))
}

// withHeader returns the same call with one more header.
func (r *request) withHeader(name, value string) *request {
	other := *r
	other.lines = make([]byte, 0, len(r.lines)+len(name)+len(value)+4)
	other.lines = append(append(append(append(append(other.lines, r.lines...), name...), ": "...), value...), "\r\n"...)
	return &other
}

// withBody returns the same call with another body, which may come in parts.
func (r *request) withBody(parts ...[]byte) *request {
	other := *r
	other.parts = parts
	return &other
}

// from returns the same call for another person.
func (r *request) from(who *person) *request {
	other := *r
	other.who = who.authorization
	return &other
}

// body returns the whole body.
func (r *request) body() []byte { return bytes.Join(r.parts, nil) }

// appendHead adds the request as it goes over the wire (RFC 9112), up to its body.
func (r *request) appendHead(b []byte) []byte {
	b = append(append(append(append(b, r.start...), r.who...), "\r\n"...), r.lines...)
	length := 0
	for _, part := range r.parts {
		length += len(part)
	}
	if length > 0 || r.method == http.MethodPost {
		b = append(strconv.AppendInt(append(b, "Content-Length: "...), int64(length), 10), "\r\n"...)
	}
	return append(b, "\r\n"...)
}

// String names the call without what it carries.
func (r *request) String() string { return r.method + " " + r.url.Path }

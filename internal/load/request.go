package load

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
)

// request is a call that is prepared once and made many times: the bytes that go over
// the wire, so that making it costs next to nothing.
type request struct {
	url    *url.URL
	method string
	header http.Header
	body   []byte
	wire   []byte // all of it
}

// newRequest prepares a call of a person's, with a body that is JSON or empty.
func newRequest(who *person, method string, to *url.URL, body string) *request {
	r := request{url: to, method: method, body: []byte(body), header: http.Header{
		"User-Agent": {"signet-bench"}, "Authorization": {who.authorization}}}
	if body != "" {
		r.header.Set("Content-Type", "application/json")
	}
	return r.written()
}

// withHeader returns the same call with one more header, or another value of it.
func (r request) withHeader(name, value string) *request {
	r.header = r.header.Clone()
	r.header.Set(name, value)
	return r.written()
}

// withBody returns the same call with another body.
func (r request) withBody(body []byte) *request {
	r.body = body
	return r.written()
}

// from returns the same call for another person.
func (r request) from(who *person) *request { return r.withHeader("Authorization", who.authorization) }

// written returns the call as it goes over the wire.
func (r request) written() *request {
	var wire bytes.Buffer
	out := http.Request{Method: r.method, URL: r.url, Header: r.header, ContentLength: int64(len(r.body)),
		Body: io.NopCloser(bytes.NewReader(r.body))}
	_ = out.Write(&wire) // to memory, which has no way to fail
	r.wire = wire.Bytes()
	return &r
}

// String names the call without what it carries.
func (r *request) String() string { return r.method + " " + r.url.Path }

package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// patience is how long an answer may take before it counts as none.
const patience = 30 * time.Second

// connection is a connection of the load: it makes one call at a time. Its calls
// may be different people's.
type connection struct {
	transport *http.Transport
	body      bytes.Buffer // of the last answer
}

func newConnection() *connection {
	return &connection{transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		ForceAttemptHTTP2:     true,
		DisableCompression:    true,
		ResponseHeaderTimeout: patience,
		MaxIdleConnsPerHost:   1,
	}}
}

func (c *connection) close() { c.transport.CloseIdleConnections() }

// request is a call that is prepared once and made many times.
type request struct {
	method string
	url    *url.URL
	header http.Header // shared by all of its calls, which only read it
	body   []byte
}

// newRequest prepares a call of a person's, with a body that is JSON or empty.
func newRequest(who *person, method string, to *url.URL, body string) *request {
	header := http.Header{"Authorization": {who.authorization}}
	if body != "" {
		header.Set("Content-Type", "application/json")
	}
	return &request{method: method, url: to, header: header, body: []byte(body)}
}

// withHeader returns the same call with one more header.
func (r *request) withHeader(name, value string) *request {
	other := *r
	other.header = r.header.Clone()
	other.header[name] = []string{value}
	return &other
}

// withBody returns the same call with another body.
func (r *request) withBody(body []byte) *request {
	other := *r
	other.body = body
	return &other
}

// call makes a call, reads its answer into c.body, and returns the head. What is
// not a 2xx is a failure of that status.
func (c *connection) call(ctx context.Context, r *request) (http.Header, error) {
	response, err := c.open(ctx, r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	c.body.Reset()
	if _, err := c.body.ReadFrom(response.Body); err != nil {
		return nil, &failure{kindConnection, fmt.Errorf("%s: read the answer: %w", r, err)}
	}
	return response.Header, nil
}

// open makes a call and leaves the answer's body to the caller, who closes it.
func (c *connection) open(ctx context.Context, r *request) (*http.Response, error) {
	// Not through http.Client, whose redirects and cookies cost time and have no
	// meaning here.
	response, err := c.transport.RoundTrip(r.with(ctx))
	if err != nil {
		return nil, &failure{kindConnection, fmt.Errorf("%s: %w", r, err)}
	}
	if response.StatusCode/100 == 2 {
		return response, nil
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10)) // half a refusal tells no less than none
	return nil, &failure{strconv.Itoa(response.StatusCode), fmt.Errorf("%s: %s%s", r, response.Status, explanation(text))}
}

func (r *request) with(ctx context.Context) *http.Request {
	request := &http.Request{
		Method: r.method, URL: r.url, Host: r.url.Host, Header: r.header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if len(r.body) > 0 {
		request.Body = io.NopCloser(bytes.NewReader(r.body))
		request.ContentLength = int64(len(r.body))
		request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.body)), nil }
	}
	return request.WithContext(ctx)
}

// String names the call without what it carries.
func (r *request) String() string { return r.method + " " + r.url.Path }

// explanation is what a refusal says of itself.
func explanation(text []byte) string {
	var refusal struct {
		Error struct{ Code, Message string }
	}
	if json.Unmarshal(text, &refusal) != nil || refusal.Error.Code == "" {
		return ""
	}
	return fmt.Sprintf(" (%s: %s)", refusal.Error.Code, refusal.Error.Message)
}

package apptest

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Request is a request as it goes over the wire. Header names are sent as they
// are spelt; the host and the length of the body are added.
type Request struct {
	Method string
	Target string // path and query, as they are sent
	Header [][2]string
	Body   string
}

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// MustSend sends a request and reads the whole answer.
func (s *Server) MustSend(t testing.TB, h *http.Client, r Request) Answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	response := s.mustDo(t, h, r.make(t, ctx, s.URL))
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s %s: read the answer: %v", r.Method, r.Target, err)
	}
	return Answer{response.StatusCode, response.Header, string(body)}
}

func (s *Server) mustDo(t testing.TB, h *http.Client, r *http.Request) *http.Response {
	t.Helper()
	response, err := h.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", r.Method, r.URL.RequestURI(), err)
	}
	return response
}

// make makes the request that goes out exactly as written.
func (r *Request) make(t testing.TB, ctx context.Context, base string) *http.Request {
	t.Helper()
	var body io.Reader
	if r.Body != "" {
		body = strings.NewReader(r.Body)
	}
	made, err := http.NewRequestWithContext(ctx, r.Method, base+r.Target, body)
	if err != nil {
		t.Fatal(err)
	}
	if sent := made.URL.RequestURI(); sent != r.Target {
		t.Fatalf("the path %s would be sent as %s", r.Target, sent)
	}
	for _, line := range r.Header {
		// Not Header.Add, which would spell the name its own way.
		made.Header[line[0]] = append(made.Header[line[0]], line[1])
	}
	return made
}

package client

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); goleak.VerifyTestMain(m) }

// serve starts a server that speaks as much of the interface as the test needs,
// and returns a client of it.
func serve(t *testing.T, h http.HandlerFunc, opts ...Option) *Client {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	c, err := New(srv.URL, "KEY", "SECRET", opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// servePipe is serve over pipes in memory: inside a synctest bubble time then
// passes only when both sides wait.
func servePipe(t *testing.T, h http.HandlerFunc, opts ...Option) *Client {
	t.Helper()
	l := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	srv := &http.Server{Handler: h}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = srv.Serve(l)
	}()
	transport := &http.Transport{DialContext: l.dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = srv.Close()
		<-served
	})
	c, err := New("http://signet.test", "KEY", "SECRET",
		append([]Option{WithHTTPClient(&http.Client{Transport: transport})}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.closed:
		return nil, &net.OpError{Op: "dial", Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// success writes an envelope around a reply.
func success(w http.ResponseWriter, reply string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"status":"success","reply":`+reply+`}`)
}

// fail writes a refusal as the contract has it.
func fail(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"status": "fail", "error": map[string]any{
		"status": status, "code": code, "message": message, "request_id": "r-1",
	}})
}

// script answers one request after the other with its steps; the last one goes on.
type script struct {
	t     *testing.T
	mu    sync.Mutex // guards the rest
	steps []http.HandlerFunc
	calls int
	at    []time.Time
}

func newScript(t *testing.T, steps ...http.HandlerFunc) *script { return &script{t: t, steps: steps} }

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	n := min(s.calls, len(s.steps)-1)
	s.calls++
	s.at = append(s.at, time.Now())
	s.mu.Unlock()
	s.steps[n](w, r)
}

func (s *script) wantCalls(n int) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls != n {
		s.t.Errorf("the server got %d requests, want %d", s.calls, n)
	}
}

// gap returns the time between two requests, counted from 0.
func (s *script) gap(n int) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at[n].Sub(s.at[n-1])
}

// answer is a step with a status and headers given as "Name: value".
func answer(status int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
	}
}

// cut is a step that breaks the connection without an answer.
func cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// wantJSON reports how two JSON texts differ in meaning.
func wantJSON(t *testing.T, what, got, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Errorf("%s: %v in %q", what, err, got)
		return
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("%s: the wanted text: %v in %q", what, err, want)
	}
	a, _ := json.Marshal(g)
	b, _ := json.Marshal(w)
	if string(a) != string(b) {
		t.Errorf("%s:\n got %s\nwant %s", what, a, b)
	}
}

// pass lets time go by in a synctest bubble.
func pass(d time.Duration) { <-time.After(d) }

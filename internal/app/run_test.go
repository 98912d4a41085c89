package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// blocking is a handler whose requests wait until they are let go.
type blocking struct {
	entered chan struct{}
	release chan struct{}
	ended   chan error // what the request's context said at its end
}

func newBlocking() *blocking {
	return &blocking{entered: make(chan struct{}), release: make(chan struct{}), ended: make(chan error, 8)}
}

func (b *blocking) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.entered <- struct{}{}
	select {
	case <-b.release:
	case <-r.Context().Done():
	}
	b.ended <- r.Context().Err()
	_, _ = io.WriteString(w, "done")
}

// pipes is a listener whose connections are in memory, so that their deadlines
// follow the clock of synctest.
type pipes struct {
	waiting chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.waiting:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

type result struct {
	status int
	body   string
	err    error
}

func get(url string) <-chan result {
	out := make(chan result, 1)
	go func() {
		answer, err := caller.Get(url)
		if err != nil {
			out <- result{err: err}
			return
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		out <- result{answer.StatusCode, string(body), err}
	}()
	return out
}

func TestStoppingFinishesWhatRunsAndRefusesWhatIsNew(t *testing.T) {
	work := newBlocking()
	h := newHarness(work.ServeHTTP)
	a := mustOpen(t, settings(t), h)
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- a.Run(ctx) }()

	running := get(a.BaseURL() + "/v2/message")
	<-work.entered
	cancel()
	<-h.streams // it is stopping

	answer, body := mustDo(t, "POST", a.BaseURL()+"/v2/message", "Request-ID", "mine-1")
	wantStatus(t, answer, http.StatusServiceUnavailable)
	for name, want := range map[string]string{
		"Retry-After": "1", "Request-Id": "mine-1", "Cache-Control": "no-store",
		"X-Content-Type-Options": "nosniff", "Content-Type": "application/json",
	} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	var envelope struct {
		Status string
		Error  struct {
			Status     int
			Code       string
			Message    string
			Request_ID string
		}
	}
	if err := json.Unmarshal([]byte(body), &envelope); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if e := envelope.Error; envelope.Status != "fail" || e.Status != 503 || e.Code != "unavailable" ||
		e.Request_ID != "mine-1" || e.Message == "" {
		t.Errorf("got the body %s, want the error envelope of contract section 1", body)
	}
	answer, _ = mustDo(t, "GET", a.BaseURL()+"/readyz")
	wantStatus(t, answer, http.StatusServiceUnavailable)
	answer, _ = mustDo(t, "GET", a.BaseURL()+"/healthz")
	wantStatus(t, answer, http.StatusOK)

	close(work.release)
	if got := <-running; got.err != nil || got.status != 200 || got.body != "done" {
		t.Errorf("the running request got %+v, want its answer", got)
	}
	if err := <-stopped; err != nil {
		t.Errorf("Run returned %v, want nil", err)
	}
	if err := <-work.ended; err != nil {
		t.Errorf("the running request was cancelled: %v", err)
	}
	if want := []string{"streams ended", "task ended", "store closed"}; !slices.Equal(h.did, want) {
		t.Errorf("stopping did %q, want %q", h.did, want)
	}
	if got := <-get(a.BaseURL() + "/healthz"); got.err == nil {
		t.Error("a stopped server still answers")
	}
	mustOpen(t, a.cfg, newHarness(answerOK)) // the directory is free again
}

func TestStoppingEndsStreams(t *testing.T) {
	h := newHarness(nil)
	entered := make(chan struct{})
	h.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, ": open\n\n")
		_ = http.NewResponseController(w).Flush()
		close(entered)
		<-h.streams
		_, _ = io.WriteString(w, "data: reconnect\n\n")
	})
	a := mustOpen(t, settings(t), h)
	stop := mustRun(t, a)
	stream := get(a.BaseURL() + "/v2/events")
	<-entered
	if err := stop(); err != nil {
		t.Error(err)
	}
	if got := <-stream; got.err != nil || !strings.HasSuffix(got.body, "data: reconnect\n\n") {
		t.Errorf("the stream got %+v, want its last event and its end", got)
	}
}

func TestRequestsThatOutlastTheGraceAreCutOff(t *testing.T) {
	work := newBlocking()
	h := newHarness(work.ServeHTTP)
	cfg := settings(t)
	cfg.Shutdown.Grace = time.Millisecond
	a := mustOpen(t, cfg, h)
	stop := mustRun(t, a)
	running := get(a.BaseURL() + "/v2/message")
	<-work.entered
	if err := stop(); err != nil {
		t.Errorf("Run returned %v, want nil", err)
	}
	if err := <-work.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the request's context says %v, want that it was cancelled", err)
	}
	if got := <-running; got.status != 200 || got.body != "done" {
		t.Errorf("the client got %+v, want what the request said when it was cancelled", got)
	}
	if want := []string{"streams ended", "task ended", "store closed"}; !slices.Equal(h.did, want) {
		t.Errorf("stopping did %q, want %q", h.did, want)
	}
}

// A request that waits for its client does not look at its context. Its
// connection is closed under it.
func TestRequestsThatWaitForTheirClientAreCutOff(t *testing.T) {
	read := make(chan error, 1)
	h := newHarness(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		read <- err
	})
	cfg := settings(t)
	synctest.Test(t, func(t *testing.T) {
		a := mustOpen(t, cfg, h)
		a.network.listener.Close()
		memory := &pipes{waiting: make(chan net.Conn), closed: make(chan struct{})}
		a.network.listener = memory
		ctx, cancel := context.WithCancel(context.Background())
		stopped := make(chan error, 1)
		go func() { stopped <- a.Run(ctx) }()
		ours, theirs := net.Pipe()
		defer ours.Close()
		memory.waiting <- theirs
		if _, err := io.WriteString(ours, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		began := time.Now()
		cancel()
		if err := <-stopped; err != nil {
			t.Errorf("Run returned %v, want nil", err)
		}
		if took, want := time.Since(began), cfg.Shutdown.Grace+lastWords; took != want {
			t.Errorf("stopping took %v, want %v", took, want)
		}
	})
	if err := <-read; err == nil {
		t.Error("the handler read a whole body that was never sent")
	}
}

func TestRunReportsASocketThatFails(t *testing.T) {
	h := newHarness(answerOK)
	a := mustOpen(t, settings(t), h)
	a.network.listener.Close()
	if err := a.Run(t.Context()); err == nil {
		t.Error("Run returned nil for a closed socket")
	}
	if !slices.Contains(h.did, "store closed") {
		t.Errorf("it did %q, want the store closed", h.did)
	}
}

func TestConnectionsBeforeRunAreAnsweredByIt(t *testing.T) {
	a := mustOpen(t, settings(t), newHarness(answerOK))
	early := get(a.BaseURL() + "/v2/user")
	stop := mustRun(t, a)
	if got := <-early; got.status != 200 {
		t.Errorf("got %+v, want 200", got)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// A load balancer has shutdown.delay to notice that a server stops: /readyz says it, and
// requests and streams go on, on connections that are not kept.
func TestStoppingServesUntilLoadBalancersHaveSeenIt(t *testing.T) {
	h := newHarness(answerOK)
	cfg := settings(t)
	cfg.Shutdown.Delay = 5 * time.Second
	synctest.Test(t, func(t *testing.T) {
		a := mustOpen(t, cfg, h)
		a.network.listener.Close()
		memory := &pipes{waiting: make(chan net.Conn), closed: make(chan struct{})}
		a.network.listener = memory
		ctx, cancel := context.WithCancel(context.Background())
		stopped := make(chan error, 1)
		go func() { stopped <- a.Run(ctx) }()
		want := func(path string, status int, closes bool) {
			t.Helper()
			ours, theirs := net.Pipe()
			defer ours.Close()
			memory.waiting <- theirs
			if _, err := io.WriteString(ours, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			answer, err := http.ReadResponse(bufio.NewReader(ours), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if answer.StatusCode != status || answer.Close != closes {
				t.Errorf("%s answers %d, closing %v, want %d, %v", path, answer.StatusCode, answer.Close, status, closes)
			}
		}
		want("/v2/user", http.StatusOK, false)
		cancel()
		synctest.Wait()
		want("/readyz", http.StatusServiceUnavailable, false)
		want("/v2/user", http.StatusOK, true)
		time.Sleep(cfg.Shutdown.Delay - time.Nanosecond)
		want("/v2/user", http.StatusOK, true)
		if len(h.did) != 0 {
			t.Errorf("it did %q before the delay was over", h.did)
		}
		began := time.Now()
		if err := <-stopped; err != nil {
			t.Errorf("Run returned %v, want nil", err)
		}
		if took := time.Since(began); took != time.Nanosecond {
			t.Errorf("after the delay it took %v more", took)
		}
	})
	if want := []string{"streams ended", "task ended", "store closed"}; !slices.Equal(h.did, want) {
		t.Errorf("stopping did %q, want %q", h.did, want)
	}
}

func TestAServerThatFailsWhileItLeavesStopsAtOnce(t *testing.T) {
	cfg := settings(t)
	cfg.Shutdown.Delay = time.Hour
	a := mustOpen(t, cfg, newHarness(answerOK))
	stop := mustRun(t, a)
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	answer := &http.Response{}
	for answer.StatusCode != http.StatusServiceUnavailable {
		answer, _ = mustDo(t, "GET", a.BaseURL()+"/readyz")
	}
	a.network.listener.Close()
	if err := <-stopped; err == nil {
		t.Error("Run returned nil for a closed socket")
	}
}

package app

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/api"
)

func TestProbes(t *testing.T) {
	h := newHarness(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) })
	a := mustOpen(t, settings(t), h)
	mustRun(t, a)
	for _, test := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/healthz", 200, "ok\n"},
		{"GET", "/healthz/", 200, "ok\n"},
		{"HEAD", "/healthz", 200, ""},
		{"POST", "/healthz", 405, ""},
		{"GET", "/readyz", 200, "ok\n"},
		{"GET", "/readyz/", 200, "ok\n"},
		{"DELETE", "/readyz", 405, ""},
		{"GET", "/healthz/more", 418, ""},
		{"GET", "/v2//user", 418, ""},
		{"GET", "/more", 418, ""},
	} {
		answer, body := mustDo(t, test.method, a.BaseURL()+test.path)
		wantStatus(t, answer, test.status)
		if body != test.body {
			t.Errorf("%s %s answered %q, want %q", test.method, test.path, body, test.body)
		}
		if strings.HasPrefix(test.path, "/healthz") && len(answer.Header.Get("Request-Id")) != 36 && test.status != 418 {
			t.Errorf("%s %s: Request-Id is %q", test.method, test.path, answer.Header.Get("Request-Id"))
		}
		if allow := answer.Header.Get("Allow"); (test.status == 405) != (allow == "GET, HEAD") {
			t.Errorf("%s %s: Allow is %q", test.method, test.path, allow)
		}
	}
}

func TestReadinessTellsWhatToSeeTo(t *testing.T) {
	a := mustOpen(t, settings(t), newHarness(answerOK))
	mustRun(t, a)
	a.warnings.Set("clock", "the clock is in doubt")
	answer, body := mustDo(t, "GET", a.BaseURL()+"/readyz")
	wantStatus(t, answer, http.StatusOK)
	if want := "ok\nwarning: clock: the clock is in doubt\n"; body != want {
		t.Errorf("got %q, want %q", body, want)
	}
	answer, metrics := mustDo(t, "GET", a.BaseURL()+"/metrics", "Request-ID", "mine")
	if got := answer.Header.Get("Request-Id"); got != "mine" {
		t.Errorf("/metrics: Request-Id is %q", got)
	}
	if want := `signet_warning{topic="clock"} 1`; !strings.Contains(metrics, want) {
		t.Errorf("/metrics has no %s", want)
	}
	a.warnings.Clear("clock")
	if _, body := mustDo(t, "GET", a.BaseURL()+"/readyz"); body != "ok\n" {
		t.Errorf("after the warning, got %q", body)
	}
}

func TestReadinessFollowsTheStore(t *testing.T) {
	h := newHarness(answerOK)
	h.storeErr = errors.New("disk on fire at /srv/secret/path")
	a := mustOpen(t, settings(t), h)
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	var later atomic.Int64
	a.probe.clock = func() time.Time { return now.Add(time.Duration(later.Load())) }
	mustRun(t, a)

	answer, body := mustDo(t, "GET", a.BaseURL()+"/readyz")
	wantStatus(t, answer, http.StatusServiceUnavailable)
	if strings.Contains(body, "secret") || answer.Header.Get("Retry-After") == "" {
		t.Errorf("answered %q with Retry-After %q, want a neutral text and a time", body, answer.Header.Get("Retry-After"))
	}
	answer, _ = mustDo(t, "GET", a.BaseURL()+"/healthz")
	wantStatus(t, answer, http.StatusOK)

	h.mu.Lock()
	h.storeErr = nil
	h.mu.Unlock()
	later.Store(int64(probeAge))
	answer, _ = mustDo(t, "GET", a.BaseURL()+"/readyz")
	wantStatus(t, answer, http.StatusOK)
}

func TestProbeAsksTheStoreOnceASecond(t *testing.T) {
	asked := 0
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	p := &probe{clock: func() time.Time { return now }, check: func(context.Context) error { asked++; return nil }}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		if err := p.look(gone); err != nil {
			t.Fatal(err)
		}
	}
	now = now.Add(probeAge)
	_ = p.look(t.Context())
	if asked != 2 {
		t.Errorf("asked the store %d times, want 2", asked)
	}
}

func TestMetricsAreForThisMachine(t *testing.T) {
	h := newHarness(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNotFound) })
	a := mustOpen(t, settings(t), h)
	mustRun(t, a)
	answer, body := mustDo(t, "GET", a.BaseURL()+"/metrics")
	wantStatus(t, answer, http.StatusOK)
	for _, want := range []string{"go_goroutines", "go_build_info"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in the metrics", want)
		}
	}
	for _, header := range []string{"X-Forwarded-For", "X-Real-IP", "Forwarded", "Via"} {
		answer, _ = mustDo(t, "GET", a.BaseURL()+"/metrics", header, "203.0.113.7")
		wantStatus(t, answer, http.StatusNotFound)
	}
}

func TestFromThisMachine(t *testing.T) {
	cfg := settings(t)
	cfg.Proxies = []string{"10.0.0.0/8"}
	a := mustOpen(t, cfg, newHarness(answerOK))
	for address, want := range map[string]bool{
		"127.0.0.1:1": true, "127.9.9.9:1": true, "[::1]:1": true, "[::ffff:127.0.0.1]:1": true,
		"192.0.2.1:1": false, "[2001:db8::1]:1": false, "": false, "@": false,
	} {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.RemoteAddr, r.Host = address, "127.0.0.1:8080"
		if got := a.network.fromThisMachine(r); got != want {
			t.Errorf("fromThisMachine(%q) = %v, want %v", address, got, want)
		}
	}
}

// TestMetricsAreForWhoAsksThisMachine: not for a page whose name resolves to it, as that
// of a page in a browser on this machine may from one moment to the next.
func TestMetricsAreForWhoAsksThisMachine(t *testing.T) {
	notFound := func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNotFound) }
	shared, own := settings(t), settings(t)
	own.Metrics.Listen = "127.0.0.1:0"
	a, b := mustOpen(t, shared, newHarness(notFound)), mustOpen(t, own, newHarness(notFound))
	mustRun(t, a)
	mustRun(t, b)
	for _, url := range []string{a.BaseURL(), "http://" + b.MetricsAddr().String()} {
		for host, want := range map[string]int{
			"": 200, "127.0.0.1": 200, "localhost:1": 200, "LOCALHOST": 200, "[::1]:80": 200, "192.0.2.1": 200,
			"evil.example": 404, "evil.example:8080": 404, "localhost.evil.example": 404, "127.0.0.1.evil.example": 404,
		} {
			r, err := http.NewRequestWithContext(t.Context(), "GET", url+"/metrics", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Host = host
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("/metrics of %s asked as %q: got %d, want %d", url, host, answer.StatusCode, want)
			}
		}
	}
}

func TestMetricsOnAnAddressOfTheirOwn(t *testing.T) {
	h := newHarness(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNotFound) })
	cfg := settings(t)
	cfg.Metrics.Listen = "127.0.0.1:0"
	a := mustOpen(t, cfg, h)
	stop := mustRun(t, a)
	own := "http://" + a.MetricsAddr().String()
	answer, _ := mustDo(t, "GET", own+"/metrics", "X-Forwarded-For", "203.0.113.7")
	wantStatus(t, answer, http.StatusOK)
	answer, _ = mustDo(t, "GET", own+"/v2/user")
	wantStatus(t, answer, http.StatusNotFound)
	answer, _ = mustDo(t, "GET", a.BaseURL()+"/metrics")
	wantStatus(t, answer, http.StatusNotFound)
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestPagesOfOtherOriginsCanReadThatTheServerStops: else a browser tells them of a
// failure of the network, and nothing of Retry-After.
func TestPagesOfOtherOriginsCanReadThatTheServerStops(t *testing.T) {
	const origin = "https://app.example.com"
	handler, err := api.New(api.Options{CORSOrigins: []string{origin}, VendorPrefix: "TT"})
	if err != nil {
		t.Fatal(err)
	}
	a := &App{gate: newGate()}
	a.gate.close()
	call := func(method string, headers ...string) *http.Response {
		r := httptest.NewRequest(method, "/v2/user", nil)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		a.admit(handler).ServeHTTP(w, r)
		return w.Result()
	}
	answer := call("GET", "Origin", origin)
	wantStatus(t, answer, http.StatusServiceUnavailable)
	if got := answer.Header.Get("Access-Control-Allow-Origin"); got != origin ||
		!strings.Contains(answer.Header.Get("Access-Control-Expose-Headers"), "Retry-After") {
		t.Errorf("a page gets %v", answer.Header)
	}
	wantStatus(t, call("OPTIONS", "Origin", origin, "Access-Control-Request-Method", "GET"), http.StatusNoContent)
	for _, refused := range []*http.Response{call("GET", "Origin", "https://evil.example"),
		call("OPTIONS", "Origin", "https://evil.example", "Access-Control-Request-Method", "GET")} {
		wantStatus(t, refused, http.StatusServiceUnavailable)
		if got := refused.Header.Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("a foreign page gets %q", got)
		}
	}
}

func TestRefusalInventsARequestID(t *testing.T) {
	for _, sent := range []string{"", "two words", strings.Repeat("x", 129), "tab\t"} {
		r := httptest.NewRequest("GET", "/v2/user", nil)
		r.Header["Request-Id"] = []string{sent}
		w := httptest.NewRecorder()
		refuseStopping(w, r)
		answer := w.Result()
		body, _ := io.ReadAll(answer.Body)
		id := answer.Header.Get("Request-Id")
		if id == sent || len(id) != 36 || !strings.Contains(string(body), id) {
			t.Errorf("%q: Request-Id is %q in %s", sent, id, body)
		}
	}
}

// TestEveryAnswerIsKeptApart: whatever a browser is led to, a page, a call, an error or what
// is for machines, it stands in no frame, loads nothing of others and tells no other server
// its address.
func TestEveryAnswerIsKeptApart(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	for address, status := range map[string]int{"/": 200, "/c/somebody": 200, "/console": 200, "/docs": 200, "/sw.js": 200,
		"/manifest.webmanifest": 200, "/assets/none.js": 404, "/v2/user": 401, "/v2/none": 404, "/none": 404, "/healthz": 200,
		"/readyz": 200, "/metrics": 200} {
		answer, _ := mustDo(t, "GET", w.app.BaseURL()+address)
		wantStatus(t, answer, status)
		policy := strings.Split(answer.Header.Get("Content-Security-Policy"), "; ")
		for _, directive := range []string{"default-src 'none'", "base-uri 'none'", "form-action 'none'",
			"frame-ancestors 'none'"} {
			if !slices.Contains(policy, directive) {
				t.Errorf("%s: the policy %q lacks %s", address, policy, directive)
			}
		}
		for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"} {
			if got := answer.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", address, name, got, want)
			}
		}
	}
}

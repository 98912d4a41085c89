package api

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"signet/internal/api/guard"
)

func TestRateOfAKey(t *testing.T) {
	h := start(t, nil, route{method: "GET", pattern: "/v2/x", handler: nothing},
		route{method: "GET", pattern: "/open", public: true, handler: nothing})
	for i := range 100 {
		got := h.mustSend(request{method: "GET", path: "/v2/x"})
		if got.StatusCode != 204 || got.Header.Get("RateLimit-Remaining") != strconv.Itoa(99-i) {
			t.Fatalf("request %d: got %d, %s left", i, got.StatusCode, got.Header.Get("RateLimit-Remaining"))
		}
	}
	got := h.mustSend(request{method: "GET", path: "/v2/x"})
	h.wantError(got, 429, guard.CodeRateLimited, "")
	h.wantHeader(got, "Retry-After", "1")
	h.wantHeader(got, "RateLimit-Limit", "100")
	h.wantHeader(got, "RateLimit-Remaining", "0")
	h.wantHeader(got, "RateLimit-Reset", "2")
	if want := `"message":"Too many requests/second, please try again later."`; !strings.Contains(string(got.body), want) {
		t.Errorf("got %s", got.body)
	}
	h.clock.Advance(time.Second)
	for i := range 50 {
		if got := h.mustSend(request{method: "GET", path: "/v2/x"}); got.StatusCode != 204 {
			t.Fatalf("request %d of the next second: got %d", i, got.StatusCode)
		}
	}
	h.wantError(h.mustSend(request{method: "GET", path: "/v2/x"}), 429, guard.CodeRateLimited, "")
	// An error after the credentials has the headers too, one before has none.
	h.clock.Advance(time.Minute)
	h.wantHeader(h.mustSend(request{method: "GET", path: "/v2/nowhere"}), "RateLimit-Limit", "")
	h.wantHeader(h.mustSend(request{method: "GET", path: "/v2/x", anyone: true}), "RateLimit-Limit", "")
	h.wantHeader(h.mustSend(request{method: "GET", path: "/open"}), "RateLimit-Limit", "")
	// A key of its own figures.
	h.auth.actors["alice"].Key.RequestsPerSecond = new(0)
	h.wantHeader(h.mustSend(request{method: "GET", path: "/v2/x"}), "RateLimit-Limit", "")
	h.auth.actors["alice"].Key.RequestsPerSecond = new(5)
	h.wantHeader(h.mustSend(request{method: "GET", path: "/v2/x"}), "RateLimit-Limit", "10")
}

func TestFailedLoginsOverHTTP(t *testing.T) {
	h := start(t, nil, route{method: "GET", pattern: "/v2/x", handler: nothing})
	for range 10 {
		wrong := request{method: "GET", path: "/v2/x", headers: []string{"Authorization: Basic YWxpY2U6d3Jvbmc="}}
		h.wantError(h.mustSend(wrong), 401, "credentials_invalid", "")
	}
	got := h.mustSend(request{method: "GET", path: "/v2/x", headers: []string{"Authorization: Basic YWxpY2U6d3Jvbmc="}})
	h.wantError(got, 429, guard.CodeTooManyFailures, "")
	h.wantHeader(got, "Retry-After", "60")
	if got := h.mustSend(request{method: "GET", path: "/v2/x"}); got.StatusCode != 204 { // the right secret
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
	// What is no pair of key and secret at all is no guess.
	for range 200 {
		h.mustSend(request{method: "GET", path: "/v2/x", anyone: true})
	}
	h.clock.Advance(time.Minute)
	if got := h.mustSend(request{method: "GET", path: "/v2/x"}); got.StatusCode != 204 {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
}

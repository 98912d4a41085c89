package api

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/testclock"
)

func TestRateOfAKey(t *testing.T) {
	h := start(t, nil, route{method: "GET", pattern: "/v2/x", handler: nothing}, route{method: "GET", pattern: "/open", public: true, handler: nothing})
	for i := range 100 {
		got := h.mustSend(request{method: "GET", path: "/v2/x"})
		if got.StatusCode != 204 || got.Header.Get("RateLimit-Remaining") != strconv.Itoa(99-i) {
			t.Fatalf("request %d: got %d, %s left", i, got.StatusCode, got.Header.Get("RateLimit-Remaining"))
		}
	}
	got := h.mustSend(request{method: "GET", path: "/v2/x"})
	h.wantError(got, 429, codeRateLimited, "")
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
	h.wantError(h.mustSend(request{method: "GET", path: "/v2/x"}), 429, codeRateLimited, "")
	// An error after the credentials has the headers too, one before has none.
	h.clock.Advance(time.Minute)
	h.wantHeader(h.mustSend(request{method: "GET", path: "/v2/nowhere"}), "RateLimit-Limit", "")
	h.wantHeader(h.mustSend(request{method: "GET", path: "/v2/x", anyone: true}), "RateLimit-Limit", "")
	h.wantHeader(h.mustSend(request{method: "GET", path: "/open"}), "RateLimit-Limit", "")
	// A key of its own figures.
	h.auth.actors["alice"].Key.RequestsPerSecond = pointer(0)
	h.wantHeader(h.mustSend(request{method: "GET", path: "/v2/x"}), "RateLimit-Limit", "")
	h.auth.actors["alice"].Key.RequestsPerSecond = pointer(5)
	h.wantHeader(h.mustSend(request{method: "GET", path: "/v2/x"}), "RateLimit-Limit", "10")
}

func TestFiguresOfAKey(t *testing.T) {
	for _, c := range []struct {
		rate, burst       int
		own               *int
		ownRate, ownBurst int
	}{
		{50, 100, nil, 50, 100}, {0, 100, nil, 0, 100}, {50, 0, nil, 50, 0},
		{50, 100, pointer(0), 0, 0}, {50, 100, pointer(1), 1, 2}, {50, 100, pointer(1000), 1000, 2000}, {50, 75, pointer(1), 1, 2}, {50, 10, pointer(1), 1, 1},
		{0, 100, pointer(5), 5, 100}, {0, 100, pointer(500), 500, 500}, {50, 0, pointer(5), 0, 0}, {1, 1 << 30, pointer(1 << 30), 1 << 30, 1<<31 - 1},
	} {
		rates := newRates(time.Now, c.rate, c.burst)
		if rate, burst := rates.figures(&model.Key{RequestsPerSecond: c.own}); rate != c.ownRate || burst != c.ownBurst {
			t.Errorf("%+v: got %d, %d", c, rate, burst)
		}
	}
}

func TestRatesForgetKeysThatAreIdle(t *testing.T) {
	clock := testclock.New()
	rates := newRates(clock.Now, 50, 100)
	for i := range 100_000 {
		if _, _, ok := rates.take(&model.Key{Key: strconv.Itoa(i)}); !ok {
			t.Fatal("the first request of a key was refused")
		}
		if i%100 == 0 {
			clock.Advance(time.Millisecond * 100)
		}
	}
	n := 0
	for i := range rates.shards {
		n += len(rates.shards[i].buckets)
	}
	if n > rateShards*rateSweep {
		t.Errorf("%d buckets are held", n)
	}
	// A busy key is not forgotten among them.
	busy := &model.Key{Key: "busy"}
	for range 100 {
		rates.take(busy)
	}
	for i := range 50_000 {
		rates.take(&model.Key{Key: "other" + strconv.Itoa(i)})
	}
	if _, _, ok := rates.take(busy); ok {
		t.Error("a busy key got a new bucket")
	}
}

func TestAClockThatGoesBackGivesNothing(t *testing.T) {
	clock := testclock.New()
	rates := newRates(clock.Now, 50, 1)
	key := &model.Key{Key: "k"}
	rates.take(key)
	clock.Advance(-time.Hour)
	if _, _, ok := rates.take(key); ok {
		t.Error("a request was let through")
	}
	clock.Advance(time.Hour + time.Second/50)
	if _, _, ok := rates.take(key); !ok {
		t.Error("a request was refused")
	}
}

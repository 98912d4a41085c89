package guard

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"signet/internal/model"
	"signet/internal/testclock"
)

func TestFiguresOfAKey(t *testing.T) {
	for _, c := range []struct {
		rate, burst       int
		own               *int
		ownRate, ownBurst int
	}{
		{50, 100, nil, 50, 100}, {0, 100, nil, 0, 100}, {50, 0, nil, 50, 0},
		{50, 100, new(0), 0, 0}, {50, 100, new(1), 1, 2}, {50, 100, new(1000), 1000, 2000},
		{50, 75, new(1), 1, 2}, {50, 10, new(1), 1, 1},
		{0, 100, new(5), 5, 100}, {0, 100, new(500), 500, 500}, {50, 0, new(5), 0, 0},
		{1, 1 << 30, new(1 << 30), 1 << 30, 1<<31 - 1},
	} {
		rates := NewRates(time.Now, c.rate, c.burst)
		if rate, burst := rates.figures(&model.Key{RequestsPerSecond: c.own}); rate != c.ownRate || burst != c.ownBurst {
			t.Errorf("%+v: got %d, %d", c, rate, burst)
		}
	}
}

func TestRatesForgetKeysThatAreIdle(t *testing.T) {
	clock := testclock.New()
	rates := NewRates(clock.Now, 50, 100)
	for i := range 100_000 {
		if _, err := rates.Take(&model.Key{Counter: strconv.Itoa(i)}); err != nil {
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
	busy := &model.Key{Counter: "busy"}
	for range 100 {
		rates.Take(busy)
	}
	for i := range 50_000 {
		rates.Take(&model.Key{Counter: "other" + strconv.Itoa(i)})
	}
	if _, err := rates.Take(busy); err == nil {
		t.Error("a busy key got a new bucket")
	}
}

func TestAClockThatGoesBackGivesNothing(t *testing.T) {
	clock := testclock.New()
	rates := NewRates(clock.Now, 50, 1)
	key := &model.Key{Counter: "k"}
	rates.Take(key)
	clock.Advance(-time.Hour)
	if _, err := rates.Take(key); err == nil {
		t.Error("a request was let through")
	}
	clock.Advance(time.Hour + time.Second/50)
	if _, err := rates.Take(key); err != nil {
		t.Error("a request was refused")
	}
}

// TestKeysOfOneCounterShareTheBucket: an account that issues keys to itself gains
// nothing by them.
func TestKeysOfOneCounterShareTheBucket(t *testing.T) {
	rates := NewRates(testclock.New().Now, 50, 100)
	passed := 0
	for i := range 40 {
		key := &model.Key{Key: strconv.Itoa(i), Counter: "root"}
		for range 100 {
			if _, err := rates.Take(key); err == nil {
				passed++
			}
		}
	}
	if passed != 100 {
		t.Errorf("%d requests of 40 keys were let through, want 100", passed)
	}
}

func TestWhatARequestCosts(t *testing.T) {
	clock := testclock.New()
	rates := NewRates(clock.Now, 50, 100)
	key := &model.Key{Counter: "k"}
	want := func(got Quota, remaining, reset int) {
		t.Helper()
		if got != (Quota{100, remaining, reset}) {
			t.Errorf("got %+v, want %d left and %d s until it is full", got, remaining, reset)
		}
	}
	left, err := rates.Take(key)
	if err != nil {
		t.Fatal(err)
	}
	want(left, 99, 1)
	want(rates.Charge(key, 89), 10, 2)
	want(rates.Charge(key, 1000), 0, 4) // a burst at most
	if left, err = rates.Take(key); err == nil {
		t.Error("a debt of 90 is no token")
	}
	want(left, 0, 4)
	clock.Advance(time.Second)
	if _, err := rates.Take(key); err == nil {
		t.Error("a debt of 90 is paid after a second")
	}
	clock.Advance(time.Second)
	if left, err = rates.Take(key); err != nil {
		t.Errorf("10 of 100 tokens are there again: %v", err)
	}
	want(left, 9, 2)
}

func TestWaitingForTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rates := NewRates(time.Now, 10, 2)
		key := &model.Key{Counter: "k"}
		begun := time.Now()
		for range 12 {
			if err := rates.Wait(t.Context(), key, 1); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(begun); took != time.Second {
			t.Errorf("12 tokens took %v, want two at once and ten a second", took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := rates.Wait(ctx, key, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

package guard

import (
	"strconv"
	"testing"
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
		if _, err := rates.Take(&model.Key{Key: strconv.Itoa(i)}); err != nil {
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
		rates.Take(busy)
	}
	for i := range 50_000 {
		rates.Take(&model.Key{Key: "other" + strconv.Itoa(i)})
	}
	if _, err := rates.Take(busy); err == nil {
		t.Error("a busy key got a new bucket")
	}
}

func TestAClockThatGoesBackGivesNothing(t *testing.T) {
	clock := testclock.New()
	rates := NewRates(clock.Now, 50, 1)
	key := &model.Key{Key: "k"}
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

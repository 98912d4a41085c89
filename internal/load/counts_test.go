package load

import (
	"context"
	"maps"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// To read the counters takes a while, in which operations go on: the clock is that of the test.
func TestCountersAreReadAsAMeasurementBeginsAndEnds(t *testing.T) {
	for _, test := range []struct {
		what   string
		warmup time.Duration
	}{
		{"without a warm-up", 0},
		{"behind a warm-up", 100 * time.Millisecond},
	} {
		t.Run(test.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				readings, operations := 0, new(atomic.Int64)
				g := &gauge{counters: func() Counts {
					readings++
					time.Sleep(50 * time.Millisecond)
					return Counts{"operations": float64(operations.Load())}
				}}
				p := Plan{Scenario: Send, Connections: 1, Warmup: test.warmup, Duration: 200 * time.Millisecond}
				r := measure(t.Context(), &p, g, func(context.Context, *connection, int) error {
					time.Sleep(time.Millisecond)
					operations.Add(1)
					return nil
				}, func(Progress) {})
				if each := r.Counts["operations"]; readings != 2 || each < 0.99 || each > 1.01 {
					t.Errorf("%d readings tell of %v operations for each of %d, want 2 and 1", readings, each, r.Operations)
				}
			})
		})
	}
}

// A moment may be over before an operation could begin; what is counted of none says nothing.
func TestEachConnectionCarriesOutOneOperation(t *testing.T) {
	operations := new(atomic.Int64)
	g := &gauge{counters: func() Counts { return Counts{"operations": float64(operations.Load())} }}
	p := Plan{Scenario: Send, Connections: 3, Duration: 1}
	r := measure(t.Context(), &p, g, func(context.Context, *connection, int) error {
		operations.Add(1)
		return nil
	}, func(Progress) {})
	if r.Operations != 3 || r.Counts["operations"] != 1 {
		t.Errorf("%d operations, each counted %v times, want 3 and 1", r.Operations, r.Counts["operations"])
	}
}

func TestCountsAreThoseOfEachOperationBetweenTwoReadings(t *testing.T) {
	earlier := countsAt{Counts{"statements": 100, "gone": 1}, 10}
	for _, test := range []struct {
		later countsAt
		want  Counts
	}{
		{countsAt{Counts{"statements": 220, "new": 5}, 30}, Counts{"statements": 6}},
		{countsAt{Counts{"statements": 220}, 10}, nil}, // nothing ended
		{countsAt{}, nil},
	} {
		if got := test.later.since(earlier); !maps.Equal(got, test.want) {
			t.Errorf("after %v it is %v, want %v", test.later, got, test.want)
		}
	}
}

package load

import (
	"context"
	"maps"
	"testing"
	"time"
)

func TestCountersAreReadAsAMeasurementBeginsAndEnds(t *testing.T) {
	const grown = 1e9
	times := 0
	first := make(chan struct{})
	g := &gauge{counters: func() Counts {
		if times++; times == 1 {
			close(first)
		}
		return Counts{"bytes": grown * float64(times)}
	}}
	p := Plan{Scenario: Send, Connections: 1, Duration: 200 * time.Millisecond}
	r := measure(t.Context(), &p, g, func(context.Context, *connection, int) error {
		<-first // so that all of them end after it
		return nil
	}, func(Progress) {})
	if want := round(grown/float64(r.Operations), 4); times != 2 || r.Counts["bytes"] != want {
		t.Errorf("%d readings tell of %v bytes for each of %d operations, want 2 and %v", times, r.Counts["bytes"],
			r.Operations, want)
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

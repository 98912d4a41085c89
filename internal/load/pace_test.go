package load

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// runPace lets operations of a fake server pass, in a bubble's time, and returns
// what was recorded.
func runPace(ctx context.Context, workers int, rate float64, warmup, duration time.Duration,
	operate func(ctx context.Context, n int) error) *recorder {
	begin := time.Now()
	rec := newRecorder(begin.Add(warmup))
	numbers := make(chan int, 1)
	numbers <- 0
	p := &pace{workers: workers, rate: rate, begin: begin, end: begin.Add(warmup + duration), record: rec,
		sleep: time.Sleep,
		operate: func(ctx context.Context, _ int) error {
			n := <-numbers
			numbers <- n + 1
			return operate(ctx, n)
		}}
	p.run(ctx)
	return rec
}

// wantNear compares milliseconds to the digits that a histogram keeps.
func wantNear(t *testing.T, what string, got, want float64) {
	t.Helper()
	if got < want*0.999-0.001 || got > want*1.001+0.001 {
		t.Errorf("%s is %v ms, want %v", what, got, want)
	}
}

// stall is a server that answers in a millisecond, but hangs for a second at one
// operation.
func stall(at int) func(context.Context, int) error {
	return func(_ context.Context, n int) error {
		if n == at {
			time.Sleep(time.Second)
		} else {
			time.Sleep(time.Millisecond)
		}
		return nil
	}
}

// A server that hangs for a second at a rate of 100 a second has kept a hundred
// operations waiting, not one.
func TestWithARateLatencyCountsFromTheIntendedStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := runPace(t.Context(), 1, 100, 0, 10*time.Second, stall(500))
		if done, failed := rec.counts(); done != 1000 || failed != 0 {
			t.Errorf("%d operations and %d failed, want 1000 and 0", done, failed)
		}
		got := rec.summary()
		// The first waiter waits 990 ms and is served in 1, the next 980 and 2, ...:
		// the backlog shrinks by 9 ms with each, so some 110 operations are late.
		wantNear(t, "the longest", got.Max, 1000)
		wantNear(t, "the median", got.P50, 1)
		// The 10th from the top began 9 places behind the stall: 1000 - 9*9.
		wantNear(t, "the 99th percentile", got.P99, 1000-9*10)
	})
}

func TestWithoutARateAStallDelaysOneOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := runPace(t.Context(), 1, 0, 0, 10*time.Second, stall(500))
		got := rec.summary()
		wantNear(t, "the longest", got.Max, 1000)
		wantNear(t, "the 99.9th percentile", got.P999, 1)
		if done, _ := rec.counts(); done != 9001 {
			t.Errorf("%d operations in 9 seconds of a millisecond each and one of a second, want 9001", done)
		}
	})
}

func TestOperationsThatNeverBeginCountWithTheirWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Each takes as long as four may: three in four have no connection.
		rec := runPace(t.Context(), 1, 4, 0, 10*time.Second, func(context.Context, int) error {
			time.Sleep(time.Second)
			return nil
		})
		done, failed := rec.counts()
		if done != 10 || failed != 0 || rec.unstarted != 30 {
			t.Errorf("%d done, %d failed, %d not begun; want 10, 0 and 30", done, failed, rec.unstarted)
		}
		// The last that began, the tenth, was to at 2.25 s, did at 9 s and ended at 10 s;
		// the first that did not was to at 2.5 s.
		wantNear(t, "the longest", rec.summary().Max, 7750)
	})
}

func TestARateIsKeptWhileConnectionsAreFree(t *testing.T) {
	for _, workers := range []int{1, 7} {
		t.Run(fmt.Sprintf("connections=%d", workers), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := make(chan time.Duration, 10)
				start := time.Now()
				runPace(t.Context(), workers, 3, 0, 2*time.Second, func(context.Context, int) error {
					begun <- time.Since(start).Round(time.Millisecond)
					return nil
				})
				close(begun)
				var got []time.Duration
				for at := range begun {
					got = append(got, at)
				}
				if want := "[0s 333ms 667ms 1s 1.333s 1.667s]"; fmt.Sprint(got) != want {
					t.Errorf("operations began at %v, want %s", got, want)
				}
			})
		})
	}
}

func TestTheWarmupIsNotCounted(t *testing.T) {
	for _, rate := range []float64{0, 10} {
		t.Run(fmt.Sprintf("rate=%v", rate), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := runPace(t.Context(), 1, rate, 2*time.Second, 3*time.Second, func(_ context.Context, n int) error {
					if time.Sleep(100 * time.Millisecond); n < 5 {
						return errors.New("cold")
					}
					return nil
				})
				if done, failed := rec.counts(); done != 30 || failed != 0 {
					t.Errorf("%d done and %d failed, want 30 and 0", done, failed)
				}
			})
		})
	}
}

func TestFailuresAreCountedByKindAndNotTimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := runPace(t.Context(), 1, 10, 0, time.Second, func(_ context.Context, n int) error {
			time.Sleep(time.Millisecond)
			switch n {
			case 2, 3:
				time.Sleep(50 * time.Millisecond)
				return fmt.Errorf("wrapped: %w", &failure{"429", errors.New("slow down")})
			case 4:
				return errors.New("reset")
			}
			return nil
		})
		if got, want := fmt.Sprint(rec.failures), "map[429:2 connection:1]"; got != want {
			t.Errorf("failures are %s, want %s", got, want)
		}
		if !strings.Contains(rec.first.Error(), "slow down") {
			t.Errorf("the first failure is %q", rec.first)
		}
		if done, failed := rec.counts(); done != 7 || failed != 3 {
			t.Errorf("%d done and %d failed, want 7 and 3", done, failed)
		}
		wantNear(t, "the longest", rec.summary().Max, 1)
	})
}

// A connection that is refused at once must not be tried as fast as a program can.
func TestAfterAFailureAConnectionPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := runPace(t.Context(), 1, 0, 0, time.Second, func(context.Context, int) error { return errors.New("refused") })
		if _, failed := rec.counts(); failed != 100 {
			t.Errorf("%d failures in a second, want 100", failed)
		}
	})
}

func TestInterruptionEndsARunAndCountsNothingThatWasCutOff(t *testing.T) {
	for _, rate := range []float64{0, 10} {
		t.Run(fmt.Sprintf("rate=%v", rate), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 450*time.Millisecond)
				defer cancel()
				start := time.Now()
				rec := runPace(ctx, 1, rate, 0, time.Hour,
					func(ctx context.Context, n int) error { return wait(ctx, 100*time.Millisecond) })
				if took := time.Since(start); took != 450*time.Millisecond {
					t.Errorf("it took %v, want 450ms", took)
				}
				if done, failed := rec.counts(); done != 4 || failed != 0 {
					t.Errorf("%d done and %d failed, want 4 and 0", done, failed)
				}
			})
		})
	}
}

func TestTogetherStopsAtTheFirstFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		ran := make(chan int, 100)
		err := together(t.Context(), 100, 3, func(ctx context.Context, i int) error {
			ran <- i
			if i == 7 {
				return broken
			}
			return wait(ctx, time.Second)
		})
		if !errors.Is(err, broken) || len(ran) > 9 {
			t.Errorf("got %v after %d of 100, want the failure after at most 9", err, len(ran))
		}
	})
}

// The histogram keeps three digits whatever the time.
func TestLatenciesKeepTheirDigits(t *testing.T) {
	for _, d := range []time.Duration{time.Microsecond, 137 * time.Microsecond, 24 * time.Millisecond, 3 * time.Second,
		time.Hour, 5 * time.Hour, 0} {
		rec := newRecorder(time.Time{})
		rec.record(time.Unix(100, 0), time.Unix(100, 0).Add(d), nil)
		want := min(max(float64(d.Microseconds())/1000, 0.001), 3600_000)
		got := rec.summary()
		for what, ms := range map[string]float64{"mean": got.Mean, "p50": got.P50, "p99.9": got.P999, "max": got.Max} {
			wantNear(t, fmt.Sprintf("%s of %v", what, d), ms, want)
		}
	}
}

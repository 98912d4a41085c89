package meter

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"
)

func TestHistogramCountsUpToEachBound(t *testing.T) {
	h := NewHistogram(1, 2, 4)
	for _, value := range []int64{0, 1, 2, 3, 4, 5, 500} {
		h.Observe(value)
	}
	want := Figures{Bounds: []int64{1, 2, 4}, Counts: []uint64{2, 3, 5}, Count: 7, Sum: 515}
	if got := h.Read(); !reflect.DeepEqual(got, want) {
		t.Errorf("Read() = %+v, want %+v", got, want)
	}
	if n := testing.AllocsPerRun(100, func() { h.Since(time.Now()) }); n != 0 {
		t.Errorf("counting takes memory: %v allocations", n)
	}
}

func TestTaskNotesHowItEnded(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	task := Task{Name: "sweep"}
	if !task.Succeeded().IsZero() {
		t.Errorf("a task that never ran succeeded at %v", task.Succeeded())
	}
	fault := errors.New("the disk is away")
	ctx, stop := context.WithCancel(t.Context())
	for _, step := range []struct {
		what     string
		err      error
		failures int64
		at       time.Time
	}{
		{"a failure", fault, 1, time.Time{}}, {"a success", nil, 1, now}, {"another failure", fault, 2, now},
	} {
		if err := task.Run(ctx, clock, func() error { return step.err }); !errors.Is(err, step.err) {
			t.Errorf("after %s: Run() = %v", step.what, err)
		}
		if !task.Succeeded().Equal(step.at) || task.Failures() != step.failures {
			t.Errorf("after %s: succeeded at %v, %d failures; want %v, %d", step.what, task.Succeeded(), task.Failures(),
				step.at, step.failures)
		}
	}
	stop()
	if err := task.Run(ctx, clock, ctx.Err); err == nil || task.Failures() != 2 {
		t.Errorf("a task that was stopped: %v, %d failures; want an error, 2", err, task.Failures())
	}
}

func BenchmarkObserve(b *testing.B) {
	h := NewDurations()
	for b.Loop() {
		h.Observe(int64(300 * time.Microsecond))
	}
}

package meter

import (
	"context"
	"sync/atomic"
	"time"
)

// Task is work that a server does by itself, again and again. It is safe for concurrent
// use.
type Task struct {
	Name string // one of a fixed few

	succeeded atomic.Int64 // when it last did, in milliseconds since 1970; 0: never
	took      atomic.Int64 // how long it ran then, in nanoseconds
	failures  atomic.Int64
}

// Run does the work and notes how it ended. That the server stops is no failure.
func (t *Task) Run(ctx context.Context, clock func() time.Time, work func() error) error {
	begun := time.Now()
	err := work()
	switch {
	case err == nil:
		t.took.Store(int64(time.Since(begun)))
		t.succeeded.Store(clock().UnixMilli())
	case ctx.Err() == nil:
		t.failures.Add(1)
	}
	return err
}

// Succeeded returns when the task last ended well, or the zero time.
func (t *Task) Succeeded() time.Time {
	if at := t.succeeded.Load(); at != 0 {
		return time.UnixMilli(at)
	}
	return time.Time{}
}

// Took returns how long it ran then.
func (t *Task) Took() time.Duration { return time.Duration(t.took.Load()) }

// Failures returns how often it failed.
func (t *Task) Failures() int64 { return t.failures.Load() }

package backlog

import (
	"context"
	"fmt"
	"sync"
	"time"

	"signet/internal/health"
	"signet/internal/store"
)

const (
	// retryFirst and retryLongest are for how long a job waits that failed: twice as long each
	// time.
	retryFirst, retryLongest = time.Second, time.Minute
	// topic is that of the warning that a job fails for longer than stuckAge.
	topic    = "backlog"
	stuckAge = time.Minute
)

// failing is a job that failed when it was tried last.
type failing struct {
	since, last time.Time
}

// failures are what goes wrong. Of those in a row the first is logged, and where they do not end
// a warning tells of them.
type failures struct {
	*Options

	mu    sync.Mutex // guards since
	since map[store.JobNumber]failing
}

// putOff has a job that failed done later.
func (f *failures) putOff(ctx context.Context, kind *Kind, j *store.Job, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	kind.failed.Add(1)
	f.note(ctx, kind, j, err)
	again := *j
	wait := retryLongest
	if again.Failures < 6 {
		wait = retryFirst << again.Failures
	}
	again.Failures++
	return f.Store.Update(ctx, func(tx *store.Tx) error {
		put := again
		_, err := tx.PutOffJob(&put, f.Now().Add(wait))
		return err
	})
}

// note tells of a job that failed.
func (f *failures) note(ctx context.Context, kind *Kind, j *store.Job, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	was, again := f.since[j.Number()]
	if !again {
		was.since = now
		f.Log.Error("work in the background failed, and is tried again", "kind", kind.Name, "error", err)
	}
	was.last = now
	f.since[j.Number()] = was
	if now.Sub(was.since) > stuckAge && !f.Warnings.Holds(topic) {
		f.Warnings.Set(topic, fmt.Sprintf("work in the background fails again and again: %s", kind.Name), "error", err)
	}
}

// over notes that a job ended well. What another server has done since, no longer counts.
func (f *failures) over(kind *Kind, j *store.Job) {
	kind.done.Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.since) == 0 {
		return
	}
	delete(f.since, j.Number())
	for number, was := range f.since {
		if time.Since(was.last) > 2*retryLongest {
			delete(f.since, number)
		}
	}
	if len(f.since) == 0 && f.Warnings.Holds(topic) {
		f.Warnings.Clear(topic)
	}
}

// report tells of what kept jobs from being done at all.
func (f *failures) report(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		health.Complain(ctx, f.Log, f.Outages, "work in the background waits, and is tried again", err)
	}
}

package sweep

import (
	"slices"
	"sync/atomic"
	"time"

	"signet/internal/meter"
	"signet/internal/store"
)

// sweepLate is when a part of the sweep is overdue, and houseLate one of housekeeping.
const sweepLate, houseLate = 10 * time.Minute, 3 * time.Hour

// Counts are what a sweeper has removed since it was made.
type Counts struct {
	Expired atomic.Int64 // messages that ended by themselves
	Erased  atomic.Int64 // messages that left the store, whatever for
	Orphans atomic.Int64 // files to which nothing referred
	Dropped atomic.Int64 // events that a queue held above its limit
}

// countEnded counts messages that a sweep removed.
func (c *Counts) countEnded(rows []store.MessageRow) {
	c.Erased.Add(int64(len(rows)))
	for i := range rows {
		if !rows[i].Recalled {
			c.Expired.Add(1)
		}
	}
}

// tasks are what a sweeper does, part by part.
type tasks struct {
	messages, files, keyUses, audit, wipe, keys, longQueues meter.Task // of a sweep
	records, auditTrim, queues, notes, orphans, pastKeys    meter.Task // of housekeeping
}

// name gives each task its name.
func (t *tasks) name() {
	for i, name := range [...]string{"messages", "files", "key_uses", "audit_checkpoints", "wipe", "keys", "long_queues",
		"records", "audit_retention", "queues", "notes", "orphans", "past_keys"} {
		t.all()[i].Name = name
	}
}

// all lists them: the sweep's, then housekeeping's.
func (t *tasks) all() []*meter.Task {
	return []*meter.Task{&t.messages, &t.files, &t.keyUses, &t.audit, &t.wipe, &t.keys, &t.longQueues,
		&t.records, &t.auditTrim, &t.queues, &t.notes, &t.orphans, &t.pastKeys}
}

// Tasks are what the sweeper does, part by part.
func (w *Sweeper) Tasks() []*meter.Task { return w.tasks.all() }

// Late reports whether a task should have ended well since: one of the sweep within ten
// minutes, or three of its rounds, one of housekeeping within three hours.
func (w *Sweeper) Late(task *meter.Task) bool {
	all := w.tasks.all()
	after := max(sweepLate, 3*w.Interval)
	if slices.Index(all, task) >= slices.Index(all, &w.tasks.records) {
		after = houseLate
	}
	last := task.Succeeded()
	if last.IsZero() {
		last = w.begun
	}
	return w.Clock.Now().Sub(last) > after
}

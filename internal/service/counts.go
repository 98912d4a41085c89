package service

import (
	"slices"
	"sync/atomic"

	"signet/internal/meter"
	"signet/internal/store"
)

// Counts are what a service did since it was made: on this node, and what is on disk.
type Counts struct {
	Sent      ByKind       // messages
	Copies    ByKind       // of these, one for each recipient
	Delivered atomic.Int64 // copies that reached their reader: acknowledged, or read without
	Read      atomic.Int64 // copies
	Recalled  atomic.Int64 // messages
	Expired   atomic.Int64 // messages that ended by themselves and were swept
	Erased    atomic.Int64 // messages that left the store, whatever for
	Orphans   atomic.Int64 // files that nothing referred to, removed
}

// ByKind counts messages to one account and to groups.
type ByKind struct{ OneToOne, Group atomic.Int64 }

func (k *ByKind) add(group bool, n int) {
	if group {
		k.Group.Add(int64(n))
	} else {
		k.OneToOne.Add(int64(n))
	}
}

// Counts returns what the service counts. They go on counting.
func (s *Service) Counts() *Counts { return &s.counts }

// countEnded counts messages that a sweep removed.
func (c *Counts) countEnded(rows []store.MessageRow) {
	c.Erased.Add(int64(len(rows)))
	for i := range rows {
		if !rows[i].Recalled {
			c.Expired.Add(1)
		}
	}
}

// tasks are what a service does by itself, part by part.
type tasks struct {
	messages, unreadable, organizations, holds, files, keyUses, audit, wipe, keys meter.Task // of a sweep
	records, auditTrim, queues, orphans, pastKeys                                 meter.Task // of housekeeping
}

// name gives each task its name.
func (t *tasks) name() {
	for i, name := range [...]string{"messages", "unreadable", "organizations", "holds", "files", "key_uses", "audit_checkpoints", "wipe", "keys",
		"records", "audit_retention", "queues", "orphans", "past_keys"} {
		t.all()[i].Name = name
	}
}

// all lists them: the sweep's, then housekeeping's.
func (t *tasks) all() []*meter.Task {
	return []*meter.Task{&t.messages, &t.unreadable, &t.organizations, &t.holds, &t.files, &t.keyUses, &t.audit, &t.wipe, &t.keys,
		&t.records, &t.auditTrim, &t.queues, &t.orphans, &t.pastKeys}
}

// Tasks are what the service does by itself, part by part.
func (s *Service) Tasks() []*meter.Task { return s.tasks.all() }

// Housekeeping reports whether a task is one of housekeeping, by its name; the others
// are the sweep's.
func Housekeeping(task string) bool {
	var t tasks
	t.name()
	all := t.all()
	i := slices.IndexFunc(all, func(other *meter.Task) bool { return other.Name == task })
	return i >= slices.Index(all, &t.records)
}

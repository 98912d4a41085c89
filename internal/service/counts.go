package service

import (
	"sync/atomic"
	"time"

	"signet/internal/meter"
)

// Counts are what a service did since it was made: on this node, and what is on disk.
type Counts struct {
	Sent      ByKind       // messages
	Copies    ByKind       // of these, one for each recipient
	Delivered atomic.Int64 // copies that reached their reader: acknowledged, or read without
	Read      atomic.Int64 // copies
	Confirmed atomic.Int64 // copies
	Recalled  atomic.Int64 // messages

	Escalated     EscalationCounts
	HandOvers     atomic.Int64 // of groups with a rota, whose members changed by it
	LateHandOvers atomic.Int64 // of these, more than a second after their time
}

// EscalationCounts are what this server has done of escalations.
type EscalationCounts struct {
	Steps     atomic.Int64
	Exhausted atomic.Int64     // escalations to which nobody came
	Delay     *meter.Histogram // how long after they were due these were done, in nanoseconds
}

// newStepDelays begins to count delays. A step that comes more than a second after it was due is late.
func newStepDelays() *meter.Histogram {
	return meter.NewHistogram(int64(100*time.Millisecond), int64(time.Second), int64(5*time.Second),
		int64(30*time.Second), int64(5*time.Minute), int64(time.Hour))
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

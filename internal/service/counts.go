package service

import (
	"sync/atomic"
)

// Counts are what a service did since it was made: on this node, and what is on disk.
type Counts struct {
	Sent      ByKind       // messages
	Copies    ByKind       // of these, one for each recipient
	Delivered atomic.Int64 // copies that reached their reader: acknowledged, or read without
	Read      atomic.Int64 // copies
	Recalled  atomic.Int64 // messages
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

package service

import (
	"strings"
	"sync"

	"signet/internal/model"
	"signet/internal/store"
)

// messageMemory remembers messages that were sent here and those that queues were read
// for, with what they say, so that most are read and opened never, and a queue that is
// read again, and a message to many, once. The store says why a remembered one can be
// relied on (store.Messages).
//
// It is bounded by its size and by two sweeps, which is as long as what is erased may
// stay anywhere. What is recalled or ends on this node leaves it at once, and all of it
// when a key is destroyed.
type messageMemory struct {
	mu         sync.RWMutex // guards all below
	young, old map[model.MessageID]*store.MessageRow
	size       int    // of the young ones, in bytes
	version    uint64 // raised by every forget, so that no older reading is put back
}

const (
	// memorySize is how many bytes of messages are remembered, about: those of some
	// 10,000 short ones.
	memorySize = 8 << 20
	// memoryRow is what a message takes beside its content.
	memoryRow = 512
)

func newMessageMemory() *messageMemory {
	return &messageMemory{young: map[model.MessageID]*store.MessageRow{}}
}

// reading is the memory for one transaction, and is made before that begins.
func (m *messageMemory) reading() *messageReading {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return &messageReading{m, m.version}
}

type messageReading struct {
	*messageMemory
	version uint64
}

// Known returns a message that is remembered, or nil.
func (r *messageReading) Known(id model.MessageID) *store.MessageRow {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if row := r.young[id]; row != nil {
		return row
	}
	return r.old[id]
}

// sent remembers a message that the transaction wrote, as it would be read. One with data
// or an attachment is left to its first reader: what it takes is not known here.
func (r *messageReading) sent(row *store.MessageRow, content model.Content) {
	if row.DOR || content.Attachment != nil || len(content.Data) > 0 {
		return
	}
	kept := *row
	kept.Content.Body = strings.Clone(content.Body) // which is a piece of all that the client sent
	r.learn(&kept)
}

// learn remembers a message that was read in the transaction, with its content. The
// row is not changed from then on.
func (r *messageReading) learn(row *store.MessageRow) {
	if row.DOR {
		return
	}
	size := memoryRow + len(row.Sealed)
	row.Sealed, row.Opened = nil, true
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.version != r.messageMemory.version || r.young[row.ID] != nil {
		return
	}
	if r.size > memorySize/2 {
		r.turn()
	}
	r.young[row.ID] = row
	r.size += size
}

// age forgets what was remembered before the last call.
func (m *messageMemory) age() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.young)+len(m.old) > 0 {
		m.turn()
	}
}

func (m *messageMemory) turn() {
	m.young, m.old, m.size = map[model.MessageID]*store.MessageRow{}, m.young, 0
}

// forget drops messages, after the transaction that took away what they say; without
// any it drops all.
func (m *messageMemory) forget(ids ...model.MessageID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.version++
	for _, id := range ids {
		delete(m.young, id)
		delete(m.old, id)
	}
	if len(ids) == 0 {
		m.turn()
		m.old = nil
	}
}

package service

import (
	"strings"

	"signet/internal/cache"
	"signet/internal/model"
	"signet/internal/store"
)

// messageMemory remembers messages, with their opened content and their text, that were sent
// here or read for a queue. So most messages are never read and opened from the store, and one to many
// readers is opened once. The store says why a remembered message can be relied on
// (store.Messages).
//
// It is bounded by its size and by two sweeps: erased content may stay nowhere for longer.
// What is recalled or ends on this node leaves it at once, and all of it when a key is
// destroyed.
type messageMemory struct {
	*cache.Cache[model.MessageID, *store.MessageRow]
}

const (
	// memorySize is how many bytes of messages are remembered, about: those of some
	// 5,000 short ones.
	memorySize = 8 << 20
	// memoryRow is what a message takes beside its content.
	memoryRow = 512
	// memoryText is what it takes as text, beside its content once more. What takes more, as
	// its content has much that is escaped, is not kept as text.
	memoryText = 640
)

func newMessageMemory() messageMemory {
	return messageMemory{cache.New[model.MessageID, *store.MessageRow](memorySize)}
}

// reading is the memory for one transaction, and is made before that begins.
func (m messageMemory) reading() *messageReading { return &messageReading{m, m.Version()} }

type messageReading struct {
	messageMemory
	version cache.Version
}

// Known returns a message that is remembered, or nil.
func (r *messageReading) Known(id model.MessageID) *store.MessageRow {
	row, _ := r.Get(id)
	return row
}

// sent remembers a message that the transaction wrote, as it would be read. One with data
// or an attachment is left to its first reader: what it takes is not known here.
func (r *messageReading) sent(row *store.MessageRow, content model.Content) {
	if row.DOR || content.Attachment != nil || len(content.Data) > 0 {
		return
	}
	kept := *row
	kept.Content.ReplyTo = content.ReplyTo
	kept.Content.Body = strings.Clone(content.Body) // which is a piece of all that the client sent
	r.learn(&kept)
}

// learn remembers a message that was read in the transaction, with its content. The
// row is not changed from then on.
func (r *messageReading) learn(row *store.MessageRow) {
	if row.DOR {
		return
	}
	content := len(row.Sealed)
	row.Sealed, row.Opened, row.Text = nil, true, model.NewText(memoryText+content)
	r.Put(r.version, row.ID, row, memoryRow+content+memoryText+content)
}

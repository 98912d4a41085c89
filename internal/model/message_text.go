package model

import (
	"slices"
	"sync/atomic"
)

// Text keeps how a message is written for its readers, but for what differs between them. It
// is with a message that is remembered, and is gone with it. It is safe for concurrent use; a
// nil one keeps nothing.
type Text struct {
	room    int // bytes that it keeps at most
	written atomic.Bool
	kept    atomic.Pointer[Pieces]
}

// Pieces are the text of a message before what is its reader's own, and after it.
type Pieces struct{ Before, After []byte }

// NewText returns a text that keeps so many bytes at most.
func NewText(room int) *Text { return &Text{room: room} }

// Pieces returns what is kept, or nil.
func (t *Text) Pieces() *Pieces {
	if t == nil {
		return nil
	}
	return t.kept.Load()
}

// Keep keeps what a message was written as, from the second time on, if there is room for it:
// most messages have one reader, and are written once.
func (t *Text) Keep(before, after []byte) {
	if t == nil || len(before)+len(after) > t.room || !t.written.Swap(true) {
		return
	}
	text := slices.Concat(before, after)
	t.kept.Store(&Pieces{text[:len(before):len(before)], text[len(before):]})
}

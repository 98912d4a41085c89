package model

import (
	"strconv"
	"strings"
)

// Cursor is a place in an account's queue: the epoch of its history, and a
// position. Its text is an event's id, opaque to clients.
type Cursor struct {
	Epoch    string
	Position int64
}

// String returns the cursor as an event id.
func (c Cursor) String() string {
	var room [64]byte
	return string(c.Append(room[:0]))
}

// Append appends the cursor as an event id.
func (c Cursor) Append(b []byte) []byte {
	return strconv.AppendInt(append(append(b, c.Epoch...), '-'), c.Position, 36)
}

// ParseCursor reads an event id. ok is false for anything that String does not
// write.
func ParseCursor(id string) (c Cursor, ok bool) {
	epoch, position, found := strings.Cut(id, "-")
	if !found || epoch == "" || len(id) > 64 || strings.Trim(position, "0123456789abcdefghijklmnopqrstuvwxyz") != "" {
		return Cursor{}, false
	}
	n, err := strconv.ParseInt(position, 36, 64)
	if err != nil || n < 0 || strconv.FormatInt(n, 36) != position {
		return Cursor{}, false
	}
	return Cursor{epoch, n}, true
}

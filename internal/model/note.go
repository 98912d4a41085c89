package model

import "time"

// NoteEvent is what a note says that happened to a group.
type NoteEvent string

// The events, as the interface names them (contract, section 7).
const (
	NoteCreated    NoteEvent = "created"
	NoteAdded      NoteEvent = "added"
	NoteRemoved    NoteEvent = "removed"
	NoteLeft       NoteEvent = "left"
	NoteRenamed    NoteEvent = "renamed"
	NoteHistoryOn  NoteEvent = "history_on"
	NoteHistoryOff NoteEvent = "history_off"
	NotePublic     NoteEvent = "public"
	NotePrivate    NoteEvent = "private"
)

const (
	// MostNoted is how many of those to whom something was done a note names.
	MostNoted = 20
	// NoteLife is how long a note is kept.
	NoteLife = 365 * 24 * time.Hour
)

// Note is what changed of a group, in the one order with its messages. Names are as they
// were then.
type Note struct {
	Event    NoteEvent
	Caller   NotedAccount // zero: nobody, or one who was erased
	Subjects []NotedAccount
	Count    int    // of those to whom it was done; Subjects has the first of them
	Name     string // that the group has since
	Sort     int64
	Created  time.Time
}

// NotedAccount is an account with the name that it had.
type NotedAccount struct {
	Account AccountID
	Name    string
}

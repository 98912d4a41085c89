package model

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Identity is what a store says of itself: which installation it is, in which epoch
// of its history, and which turn it took last.
//
// A turn is a number with a random text. At each start, and every few minutes, a store
// takes the next one together with its key ring and its attachments. Of two copies of
// a store one takes it first; what the other one knows then is not the last turn any
// more, however the copy was made.
type Identity struct {
	Installation string
	Epoch        string
	Turn         Turn
}

// String names an installation and its epoch, as messages do.
func (i Identity) String() string {
	return fmt.Sprintf("installation %s, epoch %s", i.Installation, i.Epoch)
}

// Turn is a number, a dash and a random text; empty before the first.
type Turn string

// NewTurn returns the turn after t, with a random text.
func (t Turn) NewTurn(random string) Turn {
	return Turn(strconv.FormatInt(t.Number()+1, 10) + "-" + random)
}

// Number is the number of a turn.
func (t Turn) Number() int64 {
	number, _, _ := strings.Cut(string(t), "-")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0 // the empty turn, or no turn
	}
	return n
}

// Mark names the owner of a key ring, or of a place of attachments. The zero Mark
// means that there is none.
type Mark struct {
	Installation string    `json:"installation"`
	Epoch        string    `json:"epoch"`
	Turn         Turn      `json:"turn,omitempty"` // the last that was taken
	Next         Turn      `json:"next,omitempty"` // one that is being taken
	Home         string    `json:"home,omitempty"` // where the installation's data is, for people
	Used         time.Time `json:"used,omitzero"`  // when the last turn was taken
}

// String describes the owner for people.
func (m *Mark) String() string {
	text := Identity{Installation: m.Installation, Epoch: m.Epoch}.String()
	if m.Home != "" {
		text += ", data at " + m.Home
	}
	if !m.Used.IsZero() {
		text += ", last used " + m.Used.UTC().Format("2006-01-02 15:04 UTC")
	}
	return text
}

// Nobody reports whether the mark names no owner.
func (m *Mark) Nobody() bool { return m.Installation == "" }

// SameOwner reports whether two marks are of one installation in one epoch.
func (m *Mark) SameOwner(other *Mark) bool {
	return m.Installation == other.Installation && m.Epoch == other.Epoch
}

// Fit is how a mark and a store fit together.
type Fit int

// How a mark and a store fit.
const (
	FitsNobody Fit = iota // it has no owner yet
	Fits                  // it is this store's
	FitsOlder             // it is this store's, as it was earlier: an older copy was put back
	Overtaken             // of this installation and epoch, but another copy of the store took the last turn
	Foreign               // of another installation, or another epoch
)

// Refused reports whether the store may not use the marked place.
func (f Fit) Refused() bool { return f == Overtaken || f == Foreign }

// Fit compares the mark with a store. The store has to be read after the mark: its
// turn is the one that was taken last by then.
func (m *Mark) Fit(i Identity) Fit {
	switch {
	case m.Nobody():
		return FitsNobody
	case m.Installation != i.Installation || m.Epoch != i.Epoch:
		return Foreign
	case m.Turn == i.Turn || m.Next == i.Turn:
		return Fits
	case m.Turn.Number() < i.Turn.Number():
		return FitsOlder
	}
	return Overtaken
}

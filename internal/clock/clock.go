// Package clock tells whether a clock is to be believed, before anything is erased by
// what it says: a wrong one would erase for good what has not ended.
//
// It owns the rule and what has to be remembered for it. It does not know where that
// is kept, which clock it is, or what is erased.
package clock

import (
	"fmt"
	"time"
)

const (
	// Tolerance is by how much a clock may differ from the time that has passed.
	Tolerance = time.Hour

	// noteInterval is how often what is remembered is written anew.
	noteInterval = 10 * time.Minute
)

// State is what is remembered of a clock, across restarts.
type State struct {
	Known time.Time // the latest time that was believed; zero: none was yet

	// Where the clock says something else, that is in Said, as of last time; Spent is for
	// how long a server has seen it say so.
	Said  time.Time
	Spent time.Duration

	// Highest is more than anything that a clock has said which was ahead of the time
	// that is believed now; zero: none was.
	Highest time.Time
}

// String is the form in which the state is stored.
func (s State) String() string {
	return fmt.Sprintf("%d %d %d %d", millis(s.Known), millis(s.Said), s.Spent.Milliseconds(), millis(s.Highest))
}

// Parse reads it. No text is the state of a clock that was never looked at.
func Parse(text string) (s State, err error) {
	if text == "" {
		return s, nil
	}
	var known, said, spent, highest int64
	if _, err := fmt.Sscanf(text, "%d %d %d %d", &known, &said, &spent, &highest); err != nil {
		return s, fmt.Errorf("what is stored of the clock, %q, cannot be read: %w", text, err)
	}
	return State{Known: moment(known), Said: moment(said), Spent: time.Duration(spent) * time.Millisecond, Highest: moment(highest)}, nil
}

// Accepted is the state after somebody has said that the clock is right.
func (s State) Accepted(now time.Time) State {
	return State{Known: now, Highest: above(now, later(s.Highest, s.Said.Add(noteInterval)))}
}

// Departed reports whether the clock says something else than the time that is known.
func (s State) Departed() bool { return !s.Said.IsZero() }

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// above returns highest where it is after now, or else no time.
func above(now, highest time.Time) time.Time {
	if highest.After(now) {
		return highest
	}
	return time.Time{}
}

// begin is a moment from which the time that passes is told.
var begin = time.Now()

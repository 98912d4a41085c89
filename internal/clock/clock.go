// Package clock decides whether a clock can be trusted, before anything is erased by
// it: a wrong clock would erase for good what has not ended.
//
// It owns the rule and the state that the rule needs. It does not know where that is
// kept, which clock it is, or what is erased.
package clock

import (
	"fmt"
	"time"
)

const (
	// Tolerance is how far a clock may be off the time that has passed.
	Tolerance = time.Hour

	// noteInterval is how often the state is written again.
	noteInterval = 10 * time.Minute
)

// State is what is remembered of a clock, across restarts.
type State struct {
	Known time.Time // the last known time; zero: there is none yet

	// Said is what the clock said the last time, if that is something else; Spent is
	// how long a server has seen it say so.
	Said  time.Time
	Spent time.Duration

	// Highest is later than anything that a clock has said while it was ahead; zero:
	// none was.
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
	return State{Known: moment(known), Said: moment(said), Spent: time.Duration(spent) * time.Millisecond,
		Highest: moment(highest)}, nil
}

// Accepted is the state after a person has said that the clock is right.
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

package clock

import "time"

// Watch judges what a clock says, from a start of the server on. It is used by one
// goroutine at a time.
//
// A second clock that cannot be set, and that counts from the machine's start, says how
// much time passes. From it and from what the clock said before, the watch knows
// which time it is. A clock that is ahead of this time is in doubt until it is right
// again, or a person accepts it, or it has been ahead for long enough. At a start it is
// unknown how much time has passed, so a clock may be further ahead.
type Watch struct {
	Jump  time.Duration // how far a clock may be ahead at a start
	Doubt time.Duration // how long it is in doubt
	Ring  time.Time     // the last time that the key ring knows; zero: none

	looked bool
	limit  time.Duration // how far it may be ahead now
	at     time.Duration // when it was looked at, by the clock that cannot be set
	state  State
}

// Verdict is the judgement on a clock.
type Verdict struct {
	State               // to be remembered
	Keep  bool          // the state must be stored now
	Doubt bool          // the clock is ahead, and nothing may be erased by it
	Back  bool          // the clock is behind, by which nothing is erased too early
	Off   time.Duration // how far it is ahead of the known time or, below 0, behind
	Left  time.Duration // how long the doubt still lasts if nothing changes
}

// Look judges a clock that says now. elapsed is the time since some moment, by the
// clock that cannot be set. kept is the stored state, perhaps of another server. own is
// what this machine's own clock says, if that is another one.
func (w *Watch) Look(now time.Time, elapsed time.Duration, kept State, own time.Time) Verdict {
	passed := max(elapsed-w.at, 0)
	if !w.looked {
		passed = 0
		w.start(now, kept)
	}
	w.looked, w.at = true, elapsed
	highest := later(kept.Highest, w.state.Highest)
	if own.After(now.Add(time.Second)) && own.After(highest) {
		highest = own.Add(noteInterval)
	}
	highest = above(now, highest)

	known := w.state.Known
	if !known.IsZero() {
		known = known.Add(passed)
	}
	off := now.Sub(known)
	// The store's state may be that of another server, or of a person who accepted
	// the clock.
	if known.IsZero() || off >= -Tolerance && off <= w.limit || now.Sub(kept.Known).Abs() <= Tolerance {
		return w.believe(now, kept, highest)
	}
	if w.state.Departed() && now.Sub(w.state.Said.Add(passed)).Abs() <= Tolerance {
		w.state.Spent += passed
	} else {
		w.state.Spent = 0
	}
	if w.state.Spent >= w.Doubt {
		return w.believe(now, kept, highest)
	}
	if highest.IsZero() && off > 0 {
		highest = now.Add(noteInterval)
	}
	w.state.Known, w.state.Said, w.state.Highest = known, now, highest
	return Verdict{
		State: w.state, Doubt: off > 0, Back: off < 0, Off: off, Left: w.Doubt - w.state.Spent,
		Keep: !kept.Departed() || highest.After(kept.Highest) || w.state.Spent < kept.Spent ||
			w.state.Spent-kept.Spent >= noteInterval,
	}
}

// start takes over what is remembered.
func (w *Watch) start(now time.Time, kept State) {
	w.state, w.limit = kept, w.Jump
	w.state.Known = later(kept.Known, w.Ring)
	if !kept.Departed() {
		return
	}
	// A restart is no reason to believe what was in doubt.
	ahead := now.Sub(kept.Said)
	if kept.Said.After(kept.Known) && ahead >= -Tolerance {
		w.limit = Tolerance
	}
	if ahead < -Tolerance || ahead > w.Jump {
		w.state.Said, w.state.Spent = time.Time{}, 0 // it says something else again
		return
	}
	w.state.Said = now
}

// believe takes what the clock says as the time.
func (w *Watch) believe(now time.Time, kept State, highest time.Time) Verdict {
	if w.state.Departed() {
		highest = above(now, later(highest, w.state.Said.Add(noteInterval)))
	}
	w.state, w.limit = State{Known: now, Highest: highest}, Tolerance
	return Verdict{
		State: w.state,
		Keep: kept.Known.IsZero() || kept.Departed() || now.Sub(kept.Known).Abs() >= noteInterval ||
			highest.Sub(kept.Highest) > 0,
	}
}

package clock

import "time"

// Watch judges what a clock says, from a start of the server on. It is used by one
// goroutine at a time.
//
// The time that passes is told by a clock that nobody sets, which counts from the
// machine's start. By it, and by what the clock said before, the watch knows which
// time it is. A clock that is ahead of that is in doubt, until it is right again, or
// somebody says that it is, or it has said so for long enough. At a start nobody knows
// how much time has passed, and so a clock may be ahead by more.
type Watch struct {
	Jump  time.Duration // by how much a clock may be ahead at a start
	Doubt time.Duration // for how long it is in doubt
	Ring  time.Time     // the latest time that the key ring knows of; zero: none

	looked bool
	limit  time.Duration // by how much it may be ahead now
	at     time.Duration // when it was looked at, by the clock that nobody sets
	state  State
}

// Verdict is what to make of a clock.
type Verdict struct {
	State               // to be remembered
	Keep  bool          // the state is to be stored now
	Doubt bool          // the clock is ahead, and nothing may be erased by it
	Back  bool          // the clock is behind, by which nothing is erased too early
	Off   time.Duration // by how much it is ahead of the time that is known, or, below 0, behind
	Left  time.Duration // for how long yet, where it goes on as it is
}

// Look judges a clock that says now. elapsed is the time that has passed since some
// moment, by the clock that nobody sets; kept is the state that is stored, perhaps by
// another server, and own what this machine's own clock says, where it is another one.
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
	// What the store knows is another server's, or of somebody who accepted the clock.
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
		Keep: !kept.Departed() || highest.After(kept.Highest) || w.state.Spent < kept.Spent || w.state.Spent-kept.Spent >= noteInterval,
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
		Keep:  kept.Known.IsZero() || kept.Departed() || now.Sub(kept.Known).Abs() >= noteInterval || highest.Sub(kept.Highest) > 0,
	}
}

package clock

import (
	"testing"
	"time"
)

const day = 24 * time.Hour

// house is a clock on a wall, the time that passes, and what is remembered.
type house struct {
	t       *testing.T
	watch   Watch
	now     time.Time
	elapsed time.Duration
	kept    State
	written int
}

func newHouse(t *testing.T) *house {
	h := &house{t: t, now: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)}
	h.restart()
	return h
}

// restart begins to watch anew, with what is remembered.
func (h *house) restart() { h.watch = Watch{Jump: 7 * day, Doubt: day} }

// pass lets time pass, in steps of a sweep's length or a little more.
func (h *house) pass(d time.Duration) {
	for ; d > 0; d -= 5 * time.Minute {
		h.now, h.elapsed = h.now.Add(min(d, 5*time.Minute)), h.elapsed+min(d, 5*time.Minute)
		h.look()
	}
}

// off lets time pass without a server.
func (h *house) off(d time.Duration) { h.now, h.elapsed = h.now.Add(d), h.elapsed+d }

func (h *house) look() Verdict {
	h.t.Helper()
	v := h.watch.Look(h.now, h.elapsed, h.kept, h.now)
	if v.Keep {
		read, err := Parse(v.String())
		if err != nil {
			h.t.Fatal(err)
		}
		h.kept, h.written = read, h.written+1
	}
	return v
}

func (h *house) want(what string, doubt bool) {
	h.t.Helper()
	if v := h.look(); v.Doubt != doubt {
		h.t.Errorf("%s: in doubt %v, want %v (%+v, remembered %+v)", what, v.Doubt, doubt, v, h.kept)
	}
}

func TestClockThatGoesOnIsBelievedAndSeldomNoted(t *testing.T) {
	h := newHouse(t)
	h.want("at the first start", false)
	h.pass(2 * day)
	h.want("days later", false)
	if most := int(2*day/noteInterval) + 1; h.written > most {
		t.Errorf("it was noted %d times in two days, want at most %d", h.written, most)
	}
	h.restart()
	h.want("after a restart", false)
	h.off(6 * day)
	h.restart()
	h.want("after six days off", false)
}

func TestJumpAheadIsInDoubtUntilTheClockIsRightAgain(t *testing.T) {
	h := newHouse(t)
	h.pass(time.Hour)
	h.now = h.now.Add(31 * day)
	h.want("31 days ahead", true)
	h.pass(time.Hour)
	h.want("an hour later", true)
	if v := h.look(); v.Off.Round(time.Minute) != 31*day || v.Left.Round(time.Minute) != 23*time.Hour {
		t.Errorf("it is %v ahead for %v, want 31 days for 23 hours", v.Off, v.Left)
	}
	h.now = h.now.Add(-31 * day)
	h.want("right again", false)
	if v := h.look(); v.Back {
		t.Error("a clock that is right again went back")
	}
	h.now = h.now.Add(31 * day)
	h.want("wrong once more", true)
	if v := h.look(); v.Left != day {
		t.Errorf("it is in doubt for %v, want a day anew", v.Left)
	}
}

func TestSmallJumpsAreNone(t *testing.T) {
	h := newHouse(t)
	h.look()
	h.now = h.now.Add(59 * time.Minute)
	h.want("59 minutes ahead", false)
	h.now = h.now.Add(61 * time.Minute)
	h.want("61 minutes ahead", true)
}

func TestDoubtRunsOut(t *testing.T) {
	h := newHouse(t)
	h.look()
	h.now = h.now.Add(31 * day)
	h.look()
	h.pass(day - 10*time.Minute)
	h.want("a day less some minutes later", true)
	h.pass(10 * time.Minute)
	h.want("a day later", false)
	h.restart()
	h.want("after a restart", false)
	// Who sets it right then: nothing is erased too early by a clock that is behind, but
	// the next jump is one again.
	h.now = h.now.Add(-31 * day)
	if v := h.look(); v.Doubt || !v.Back {
		t.Errorf("31 days back: %+v", v)
	}
	h.pass(day + 10*time.Minute)
	if v := h.look(); v.Doubt || v.Back {
		t.Errorf("a day later: %+v", v)
	}
	h.now = h.now.Add(31 * day)
	h.want("31 days ahead again", true)
}

func TestDoubtThatMovesBeginsAnew(t *testing.T) {
	h := newHouse(t)
	h.look()
	h.now = h.now.Add(31 * day)
	h.look()
	h.pass(20 * time.Hour)
	h.now = h.now.Add(300 * day)
	h.look()
	h.pass(20 * time.Hour)
	h.want("20 hours after the second jump", true)
}

func TestDoubtOutlivesARestart(t *testing.T) {
	for _, jump := range []time.Duration{2 * day, 31 * day} { // a start alone would let two days pass
		h := newHouse(t)
		h.look()
		h.now = h.now.Add(jump)
		h.look()
		h.pass(2 * time.Hour)
		h.restart()
		h.want("after a restart", true)
		h.off(14 * time.Hour)
		h.restart()
		h.want("after a night", true)
		h.pass(21 * time.Hour)
		h.want("23 hours with a server, if a few minutes were not noted", true)
		h.pass(90 * time.Minute)
		h.want("a day with a server", false)
	}
}

func TestStartAfterALongAbsenceIsInDoubt(t *testing.T) {
	h := newHouse(t)
	h.pass(time.Hour)
	h.off(8 * day)
	h.restart()
	h.want("after 8 days off", true)
	h.now = h.now.Add(-3 * day)
	h.want("set right, to 5 days", false)

	h = newHouse(t)
	h.pass(time.Hour)
	h.off(8 * day)
	h.restart()
	h.look()
	h.pass(day)
	h.want("a day later", false)
}

func TestKeyRingKnowsMoreThanAStoreThatWasPutBack(t *testing.T) {
	h := newHouse(t)
	h.look()
	h.off(30 * day)
	h.restart()
	h.watch.Ring = h.now.Add(-time.Hour)
	h.want("a store of 30 days ago, with the ring of today", false)

	h = newHouse(t)
	h.look()
	h.off(30 * day)
	h.restart()
	h.watch.Ring = h.now.Add(-time.Hour)
	h.now = h.now.Add(31 * day)
	h.want("and a clock 31 days ahead", true)
}

func TestClockThatStartsBehindMayCatchUp(t *testing.T) {
	h := newHouse(t)
	h.pass(time.Hour)
	right := h.now.Add(3 * day) // three days off
	h.elapsed += 3 * day
	h.restart()
	h.now = time.Date(1970, 1, 1, 0, 0, 7, 0, time.UTC) // a machine without a battery
	if v := h.look(); v.Doubt || !v.Back {
		t.Errorf("in 1970: %+v", v)
	}
	h.now = right
	h.want("set by the network", false)
	if v := h.look(); v.Back {
		t.Errorf("set by the network: %+v", v)
	}
	h.now = h.now.Add(3 * day)
	h.want("three days more", true)
}

func TestAcceptedClockIsBelieved(t *testing.T) {
	for _, jump := range []time.Duration{31 * day, -31 * day} {
		h := newHouse(t)
		h.look()
		h.now = h.now.Add(jump)
		h.look()
		h.kept = h.kept.Accepted(h.now)
		h.pass(time.Minute)
		if v := h.look(); v.Doubt || v.Back {
			t.Errorf("%v, accepted: %+v", jump, v)
		}
		h.restart()
		if v := h.look(); v.Doubt || v.Back {
			t.Errorf("%v, accepted, after a restart: %+v", jump, v)
		}
	}
}

func TestOneServerFollowsAnother(t *testing.T) {
	h := newHouse(t)
	h.look()
	other := &house{t: t, watch: h.watch, now: h.now, elapsed: 77 * time.Hour}
	other.look()
	h.now, other.now = h.now.Add(31*day), other.now.Add(31*day)
	h.look()
	other.kept = h.kept
	other.want("the other server", true)
	h.pass(day)
	h.want("the first, a day later", false)
	other.kept, other.now = h.kept, h.now
	other.want("the other, which has looked once only", false)
}

func TestHighestIsAboveAllThatWasSaid(t *testing.T) {
	h := newHouse(t)
	h.look()
	h.now = h.now.Add(31 * day)
	h.look()
	h.pass(time.Hour)
	top := h.now
	h.now = h.now.Add(-31 * day)
	for range 2 {
		if v := h.look(); !v.Highest.After(top) || v.Highest.After(top.Add(2*noteInterval)) {
			t.Errorf("the highest is %v, want a little more than %v", v.Highest, top)
		}
		h.restart()
	}
	written := h.written
	h.look()
	if h.written != written {
		t.Error("it is written at each look")
	}
	h.pass(32 * day)
	if v := h.look(); !v.Highest.IsZero() {
		t.Errorf("the highest is %v still, at %v", v.Highest, h.now)
	}
}

func TestUnreadableStateIsAnError(t *testing.T) {
	for _, text := range []string{"x", "1 2", "1 2 x 4"} {
		if s, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %+v", text, s)
		}
	}
	if s, err := Parse(""); err != nil || s != (State{}) {
		t.Errorf("Parse of nothing = %+v, %v", s, err)
	}
}

func TestElapsedNeverGoesBack(t *testing.T) {
	if a, b := Elapsed(), Elapsed(); a < 0 || b < a {
		t.Errorf("%v, then %v", a, b)
	}
}

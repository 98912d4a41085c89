package duty

import (
	"time"

	"signet/internal/model"
)

// Shift is a time in which one account is on duty without a break.
type Shift struct {
	From, To time.Time
	Account  model.AccountID
	Override bool
}

// source is by what somebody is on duty.
type source struct {
	account  model.AccountID
	override int // which one, from 1 on; 0: none
	turn     int // which one, from 0 on; -1: none
	end      time.Time
	begun    time.Time
}

// same reports whether two times are of one shift.
func (s *source) same(o *source) bool { return s.override == o.override && s.turn == o.turn }

// at returns by what somebody is on duty at a time. Its begin and end are those of the turn or the
// override as a whole.
func (r *Rota) at(t time.Time) source {
	for i := len(r.Overrides) - 1; i >= 0; i-- {
		if o := &r.Overrides[i]; o.covers(t) {
			return source{account: o.Account, override: i + 1, turn: -1, begun: o.From, end: o.To}
		}
	}
	n, ok := r.turn(t)
	if !ok {
		return source{turn: -1, begun: t, end: t}
	}
	return source{account: r.Rotation.Accounts[n%len(r.Rotation.Accounts)], turn: n, begun: r.begins(n),
		end: r.begins(n + 1)}
}

// turn returns which turn of the rotation a time is in, from 0 on; false before the first, or where
// there is no rotation.
func (r *Rota) turn(t time.Time) (n int, ok bool) {
	if r.Rotation.Hours == 0 || len(r.Rotation.Accounts) == 0 || t.Before(r.Rotation.Start) {
		return 0, false
	}
	passed := reading(r.Zone, t).Sub(reading(r.Zone, r.Rotation.Start))
	n = max(0, int(passed/(time.Duration(r.Rotation.Hours)*time.Hour)))
	for !r.begins(n + 1).After(t) { // while the clock shows an hour again, turns have begun that are still to come by it
		n++
	}
	for n > 0 && r.begins(n).After(t) {
		n--
	}
	return n, true
}

// begins returns when a turn begins.
func (r *Rota) begins(n int) time.Time {
	start := r.Rotation.Start
	if n == 0 {
		return start
	}
	shown := reading(r.Zone, start).Add(time.Duration(n*r.Rotation.Hours) * time.Hour)
	return reached(r.Zone, shown, start)
}

// Next returns the first time after one at which somebody else may be on duty; false: never.
func (r *Rota) Next(t time.Time) (next time.Time, ok bool) {
	earlier := func(at time.Time) {
		if at.After(t) && (!ok || at.Before(next)) {
			next, ok = at, true
		}
	}
	for _, o := range r.Overrides {
		earlier(o.From)
		earlier(o.To)
	}
	if r.Rotation.Hours == 0 {
		return next, ok
	}
	if n, begun := r.turn(t); begun {
		earlier(r.begins(n + 1))
	} else {
		earlier(r.Rotation.Start)
	}
	return next, ok
}

// Shifts returns the shifts of a span, in their order: whole, also those that began before it or end
// after it. A time in which nobody is on duty has none. here is that of At.
func (r *Rota) Shifts(from, to time.Time, here func(model.AccountID) bool) []Shift {
	if !from.Before(to) {
		return nil
	}
	var out []Shift
	last := r.at(to.Add(-time.Nanosecond))
	t, end := r.at(from).begun, to
	if last.end.After(end) {
		end = last.end
	}
	for more := true; more && t.Before(to); {
		by := r.at(t)
		var until time.Time
		until, more = r.until(t, end, &by)
		if !by.account.IsZero() && here(by.account) && until.After(from) {
			out = append(out, Shift{From: t, To: until, Account: by.account, Override: by.override > 0})
		}
		t = until
	}
	return out
}

// until returns how long somebody is on duty from a time on by the same, and whether anything comes
// after that before the end.
func (r *Rota) until(t, end time.Time, by *source) (until time.Time, more bool) {
	for {
		next, ok := r.Next(t)
		if !ok || !next.Before(end) {
			return end, false
		}
		if after := r.at(next); !after.same(by) {
			return next, true
		}
		t = next
	}
}

package duty

import (
	"slices"
	"time"

	"signet/internal/model"
)

// What a rota has at most.
const (
	MostTurns     = 100      // accounts of a rotation
	MostOverrides = 200      // those that are over count too, until they are old
	MostFallback  = 50       // accounts
	MostHours     = 366 * 24 // of a turn
)

// OverridesAge is for how long overrides count that are over: where there are more than a rota has, older ones go.
const OverridesAge = 31 * 24 * time.Hour

// Times of a rota are in these years: far from the ends of what time.Time and the zones know.
const (
	firstYear = 2000
	lastYear  = 2099
)

// Rota says who is on duty, and who is in the group besides.
type Rota struct {
	Zone      *time.Location
	Rotation  Rotation
	Overrides []Override        // of those at one time the last counts
	Always    []model.AccountID // are in the group at any time; they are not on duty by that
	Fallback  []model.AccountID // are in the group while nobody is on duty
}

// Rotation has accounts on duty one after the other, for a number of hours each, round and round. A
// turn begins when the clock of the zone shows its hour: also on a day of 23 or 25 hours.
type Rotation struct {
	Accounts []model.AccountID // a zero one is nobody: of who has left, the turn stays
	Start    time.Time         // of the first turn; nobody is on duty before
	Hours    int               // of a turn, as the clock shows them; 0: there is no rotation
}

// Override has an account on duty in place of whoever's turn it is.
type Override struct {
	From, To time.Time
	Account  model.AccountID // zero: nobody, as in a rotation
}

// covers reports whether a time is the override's.
func (o *Override) covers(t time.Time) bool { return !t.Before(o.From) && t.Before(o.To) }

// Validate refuses what is no rota, or too much. The field of the error is that of the interface.
func (r *Rota) Validate() error {
	if r.Rotation.Hours == 0 && len(r.Overrides) == 0 {
		return model.Invalidf("rota_invalid", "rotation", "A rota has a rotation, or an override.")
	}
	if r.Rotation.Hours != 0 {
		if err := r.Rotation.validate(); err != nil {
			return err
		}
	}
	if len(r.Overrides) > MostOverrides {
		return model.Invalidf("rota_invalid", "overrides", "A rota has at most %d overrides.", MostOverrides)
	}
	for _, o := range r.Overrides {
		if !ofRota(o.From) || !ofRota(o.To) || !o.From.Before(o.To) {
			return model.Invalidf("rota_invalid", "overrides", "An override is `from` a whole minute `to` a later one, "+
				"in the years %d to %d.", firstYear, lastYear)
		}
	}
	if len(r.Fallback) > MostFallback {
		return model.Invalidf("rota_invalid", "fallback", "At most %d accounts are the fallback.", MostFallback)
	}
	return nil
}

func (r *Rotation) validate() error {
	switch {
	case r.Hours < 1 || r.Hours > MostHours:
		return model.Invalidf("rota_invalid", "rotation", "A turn has `hours` of 1 to %d.", MostHours)
	case !ofRota(r.Start):
		return model.Invalidf("rota_invalid", "rotation",
			"A rotation has a `start` on a whole minute, in the years %d to %d.", firstYear, lastYear)
	case len(r.Accounts) < 1 || len(r.Accounts) > MostTurns:
		return model.Invalidf("rota_invalid", "rotation", "A rotation has `accounts`, at most %d.", MostTurns)
	}
	return nil
}

// ofRota reports whether a rota may have a time.
func ofRota(t time.Time) bool {
	t = t.UTC()
	return t.Equal(t.Truncate(time.Minute)) && t.Year() >= firstYear && t.Year() <= lastYear
}

// Names returns all accounts that a rota names, each once, in no particular order.
func (r *Rota) Names() []model.AccountID {
	all := slices.Concat(r.Rotation.Accounts, r.Always, r.Fallback)
	for _, o := range r.Overrides {
		all = append(all, o.Account)
	}
	named := map[model.AccountID]bool{{}: true}
	return slices.DeleteFunc(all, func(account model.AccountID) bool {
		again := named[account]
		named[account] = true
		return again
	})
}

// Duty is who is in a group by its rota at a time.
type Duty struct {
	On      model.AccountID   // who is on duty; zero: nobody
	Away    model.AccountID   // whose turn it is, but who is not here; zero: somebody is on duty, or it is nobody's turn
	Members []model.AccountID // each once: who is on duty, or the fallback, and those who always are
}

// At returns who is in the group at a time. here tells who is there to be in it: no turn goes to
// somebody else because an account is disabled, or has left.
func (r *Rota) At(t time.Time, here func(model.AccountID) bool) Duty {
	var d Duty
	if d.On = r.at(t).account; !d.On.IsZero() && !here(d.On) {
		d.On, d.Away = model.AccountID{}, d.On
	}
	in := map[model.AccountID]bool{{}: true}
	add := func(accounts ...model.AccountID) {
		for _, account := range accounts {
			if !in[account] && here(account) {
				in[account] = true
				d.Members = append(d.Members, account)
			}
		}
	}
	if d.On.IsZero() {
		add(r.Fallback...)
	} else {
		add(d.On)
	}
	add(r.Always...)
	return d
}

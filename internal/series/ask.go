package series

import (
	"slices"
	"strings"
	"time"

	"signet/internal/model"
)

// Ask says which figures are wanted, of which time.
type Ask struct {
	Names []string      // none: all
	Since time.Time     // zero: as long before Until as is usual for the step
	Until time.Time     // exclusive; zero: now
	Step  time.Duration // one of Steps
}

// Steps are how long the times are that figures are told of.
var Steps = []time.Duration{time.Minute, time.Hour, day}

// usual are how long the time is that is told of where it is not said since when, by the step.
var usual = map[time.Duration]time.Duration{time.Minute: time.Hour, time.Hour: day, day: 30 * day}

// mostPoints is how many times one answer tells of: 400 days by the hour are 9,600.
const mostPoints = 10_000

// History is what figures were at times, which are Step apart.
type History struct {
	Times  []time.Time          // when each begins
	Series map[string][]float64 // by name, a figure for each time; NaN: not known
	Rows   int                  // rows that were read for this: what it costs
}

// window is the time that is told of.
type window struct {
	step        time.Duration
	from, until time.Time // the first of the times begins at from, the last before until
	now         time.Time
	rows        int // that were read
}

// window returns the time that is asked for, as far as it is over: an hour or a day that goes on
// is told of, a minute is not.
func (a *Ask) window(now time.Time) (w window, err error) {
	w = window{step: a.Step, until: a.Until.UTC(), now: now.UTC()}
	if a.Until.IsZero() {
		w.until = w.now
	}
	since := a.Since.UTC()
	if a.Since.IsZero() {
		since = w.until.Add(-usual[a.Step])
	}
	if !since.Before(w.until) {
		return w, wrong("since", "a time before until")
	}
	w.until = w.until.Add(a.Step - 1).Truncate(a.Step) // what it cuts is told of as a whole
	if w.from = since.Truncate(a.Step); w.until.Sub(w.from)/a.Step > mostPoints {
		return w, wrong("since", "later, or the step longer: an answer tells of 10,000 times at most")
	}
	over := w.now
	if a.Step == time.Minute {
		over = over.Truncate(time.Minute)
	}
	if over.Before(w.until) {
		w.until = over
	}
	return w, nil
}

func wrong(field, want string) *model.Error {
	return model.Invalidf("field_invalid", field, "The field has to be %s.", want)
}

// times lists when the times begin.
func (w *window) times() []time.Time {
	out := []time.Time{}
	for at := w.from; at.Before(w.until); at = at.Add(w.step) {
		out = append(out, at)
	}
	return out
}

// CheckInstallation refuses what nobody can be told of the installation: names that no figure of it
// has, and a time that is none, or too long.
func (a *Ask) CheckInstallation(now time.Time) error { return a.check(installationNames(), now) }

// CheckOrganization is CheckInstallation for an organization.
func (a *Ask) CheckOrganization(now time.Time) error { return a.check(organizationNames(), now) }

func (a *Ask) check(known []string, now time.Time) error {
	for _, name := range a.Names {
		if !slices.ContainsFunc(known, func(n string) bool { return names(name, n) }) {
			return wrong("names", "a list of "+strings.Join(known, ", "))
		}
	}
	_, err := a.window(now)
	return err
}

// wants reports whether a figure is asked for.
func (a *Ask) wants(figure string) bool {
	return len(a.Names) == 0 || slices.ContainsFunc(a.Names, func(name string) bool { return names(name, figure) })
}

// names reports whether a name is that of a figure, or of all its kinds.
func names(name, figure string) bool {
	return name == figure || name == storage && strings.HasPrefix(figure, storage+".")
}

func installationNames() (out []string) {
	for _, f := range wholeFigures {
		out = append(out, f.name)
	}
	return out
}

func organizationNames() (out []string) {
	for _, f := range partFigures {
		out = append(out, f.name)
	}
	return out
}

package duty

import (
	"fmt"
	"regexp"
	"time"
	_ "time/tzdata" // for machines without time zone data: a container of nothing but the program

	"signet/internal/model"
)

// zoneName is what names of the IANA database look like. What lies in other directories of a
// machine's data has leap seconds, or other years.
var zoneName = regexp.MustCompile(`^[A-Z][A-Za-z0-9_+-]*(?:/[A-Z][A-Za-z0-9_+-]*){0,2}$`)

// LoadZone returns the time zone that the IANA database has under a name such as Europe/Berlin. The
// machine's data comes before that of the program, so that a state which changes its clocks needs
// no other program.
func LoadZone(name string) (*time.Location, error) {
	if len(name) <= 64 && zoneName.MatchString(name) && name != "Local" { // which Go has for the zone of the machine
		zone, err := time.LoadLocation(name)
		if err == nil {
			return zone, nil
		}
	}
	return nil, model.Invalidf("timezone_unknown", "timezone",
		"A time zone has a name of the IANA database, such as Europe/Berlin.")
}

// KeptZone is LoadZone of a name that was taken before.
func KeptZone(name string) (*time.Location, error) {
	zone, err := LoadZone(name)
	if err != nil {
		return nil, fmt.Errorf("the time zone data of this machine and of this program lack %q", name)
	}
	return zone, nil
}

// farthest is more than any clock of a zone was ever before or behind UTC.
const farthest = 16 * time.Hour

// reading is what the clock of a zone shows at a time, written as if it were UTC: so readings are
// compared, and hours added to them, without a thought of changes of the clock.
func reading(zone *time.Location, t time.Time) time.Time {
	_, offset := t.In(zone).Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// reached is the first time, not before another, at which the clock of a zone shows a reading or a
// later one. An hour that the clock shows twice is the first of both; one that it leaves out is when
// it does that.
func reached(zone *time.Location, shown, since time.Time) time.Time {
	t := shown.Add(-farthest)
	if t.Before(since) {
		t = since
	}
	for {
		local := t.In(zone)
		_, offset := local.Zone()
		_, end := local.ZoneBounds()
		at := shown.Add(-time.Duration(offset) * time.Second)
		if at.Before(t) {
			at = t
		}
		if !end.IsZero() && !end.After(t) { // Go has each year end after 365 days, and nothing changes on the 366th
			end = time.Date(t.UTC().Year()+1, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		if end.IsZero() || at.Before(end) {
			return at.UTC()
		}
		t = end
	}
}

package duty

import (
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
)

var (
	ann, bob, eve, joe = model.AccountID{1}, model.AccountID{2}, model.AccountID{3}, model.AccountID{4}
	names              = map[model.AccountID]string{ann: "ann", bob: "bob", eve: "eve", joe: "joe"}
)

func everybody(model.AccountID) bool { return true }

func without(away ...model.AccountID) func(model.AccountID) bool {
	return func(account model.AccountID) bool { return !slices.Contains(away, account) }
}

func mustZone(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := LoadZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// clock is a time as people in a zone write it.
func clock(t testing.TB, zone *time.Location, text string) time.Time {
	t.Helper()
	at, err := time.ParseInLocation("2006-01-02 15:04", text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// shown writes shifts as people in a zone read them.
func shown(zone *time.Location, shifts []Shift) string {
	var out []string
	for _, s := range shifts {
		const form = "02 15:04 MST"
		text := s.From.In(zone).Format(form) + " to " + s.To.In(zone).Format(form) + " " + names[s.Account]
		if s.Override {
			text += " instead"
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n")
}

func wantShown(t *testing.T, zone *time.Location, got []Shift, want ...string) {
	t.Helper()
	if got := shown(zone, got); got != strings.Join(want, "\n") {
		t.Errorf("shifts:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
}

func TestShiftsKeepTheirHourOfTheClock(t *testing.T) {
	berlin := mustZone(t, "Europe/Berlin")
	for _, c := range []struct {
		name, from, to string
		hours          int
		want           []string
	}{
		{"a day of 23 hours", "2026-03-28 12:00", "2026-03-29 12:00", 12, []string{
			"28 08:00 CET to 28 20:00 CET ann", "28 20:00 CET to 29 08:00 CEST bob", "29 08:00 CEST to 29 20:00 CEST ann"}},
		{"a day of 25 hours", "2026-10-24 12:00", "2026-10-25 12:00", 12, []string{
			"24 08:00 CEST to 24 20:00 CEST ann", "24 20:00 CEST to 25 08:00 CET bob", "25 08:00 CET to 25 20:00 CET ann"}},
		{"an hour that is left out", "2026-03-29 01:00", "2026-03-29 04:00", 1, []string{
			"29 01:00 CET to 29 03:00 CEST bob", "29 03:00 CEST to 29 04:00 CEST bob"}},
		{"an hour that comes twice", "2026-10-25 01:00", "2026-10-25 03:30", 1, []string{
			"25 01:00 CEST to 25 02:00 CEST bob", "25 02:00 CEST to 25 03:00 CET ann", "25 03:00 CET to 25 04:00 CET bob"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Rota{Zone: berlin, Rotation: Rotation{Accounts: []model.AccountID{ann, bob}, Hours: c.hours,
				Start: clock(t, berlin, "2026-03-02 08:00")}}
			wantShown(t, berlin, r.Shifts(clock(t, berlin, c.from), clock(t, berlin, c.to), everybody), c.want...)
		})
	}
}

func TestTheLastDayOfALeapYear(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Sydney"} {
		zone := mustZone(t, name)
		at := func(text string) time.Time { return clock(t, zone, text) }
		r := Rota{Zone: zone, Rotation: Rotation{Accounts: []model.AccountID{ann, bob}, Hours: 12,
			Start: at("2048-12-30 08:00")}}
		got := r.Shifts(at("2048-12-31 00:00"), at("2049-01-01 12:00"), everybody)
		if len(got) != 4 || !got[1].From.Equal(at("2048-12-31 08:00")) || !got[2].From.Equal(at("2048-12-31 20:00")) ||
			!got[3].From.Equal(at("2049-01-01 08:00")) {
			t.Errorf("%s:\n%s", name, shown(zone, got))
		}
	}
}

func TestAnOverrideTakesThePlaceOfATurn(t *testing.T) {
	zone := mustZone(t, "UTC")
	at := func(text string) time.Time { return clock(t, zone, text) }
	r := Rota{Zone: zone, Rotation: Rotation{Accounts: []model.AccountID{ann, bob}, Hours: 24,
		Start: at("2026-11-01 08:00")}, Overrides: []Override{
		{From: at("2026-11-01 12:00"), To: at("2026-11-02 10:00"), Account: eve},
		{From: at("2026-11-01 14:00"), To: at("2026-11-01 15:00"), Account: joe}}}
	wantShown(t, zone, r.Shifts(at("2026-11-01 00:00"), at("2026-11-03 00:00"), everybody),
		"01 08:00 UTC to 01 12:00 UTC ann", "01 12:00 UTC to 01 14:00 UTC eve instead",
		"01 14:00 UTC to 01 15:00 UTC joe instead", "01 15:00 UTC to 02 10:00 UTC eve instead",
		"02 10:00 UTC to 03 08:00 UTC bob")
	wantShown(t, zone, r.Shifts(at("2026-11-01 14:30"), at("2026-11-01 14:31"), everybody),
		"01 14:00 UTC to 01 15:00 UTC joe instead")
	wantShown(t, zone, r.Shifts(at("2026-11-01 12:00"), at("2026-11-02 09:00"), without(eve)),
		"01 14:00 UTC to 01 15:00 UTC joe instead")
}

func TestWhoeverIsAwayLeavesTheTurnToTheFallback(t *testing.T) {
	zone := mustZone(t, "UTC")
	at := func(text string) time.Time { return clock(t, zone, text) }
	r := Rota{Zone: zone, Rotation: Rotation{Accounts: []model.AccountID{ann, {}, bob}, Hours: 24,
		Start: at("2026-11-01 08:00")}, Always: []model.AccountID{joe, ann}, Fallback: []model.AccountID{eve, joe}}
	for _, c := range []struct {
		at      string
		here    func(model.AccountID) bool
		on      model.AccountID
		away    model.AccountID
		members []model.AccountID
	}{
		{"2026-11-01 07:59", everybody, model.AccountID{}, model.AccountID{}, []model.AccountID{eve, joe, ann}},
		{"2026-11-01 08:00", everybody, ann, model.AccountID{}, []model.AccountID{ann, joe}},
		{"2026-11-01 08:00", without(ann), model.AccountID{}, ann, []model.AccountID{eve, joe}},
		{"2026-11-02 08:00", everybody, model.AccountID{}, model.AccountID{}, []model.AccountID{eve, joe, ann}},
		{"2026-11-03 08:00", without(joe), bob, model.AccountID{}, []model.AccountID{bob, ann}},
	} {
		got := r.At(at(c.at), c.here)
		if got.On != c.on || got.Away != c.away || !slices.Equal(got.Members, c.members) {
			t.Errorf("at %s: %+v, want %v, %v, %v", c.at, got, c.on, c.away, c.members)
		}
	}
}

func TestTheNextHandOver(t *testing.T) {
	zone := mustZone(t, "UTC")
	at := func(text string) time.Time { return clock(t, zone, text) }
	r := Rota{Zone: zone, Overrides: []Override{{From: at("2026-11-01 12:00"), To: at("2026-11-02 10:00"), Account: eve}}}
	for _, c := range []struct{ after, want string }{
		{"2026-10-01 00:00", "2026-11-01 12:00"}, {"2026-11-01 12:00", "2026-11-02 10:00"}, {"2026-11-02 10:00", ""}} {
		next, ok := r.Next(at(c.after))
		if ok != (c.want != "") || ok && !next.Equal(at(c.want)) {
			t.Errorf("after %s: %s, %t, want %s", c.after, next, ok, c.want)
		}
	}
	r.Rotation = Rotation{Accounts: []model.AccountID{ann}, Hours: 12, Start: at("2026-10-15 08:00")}
	for _, c := range []struct{ after, want string }{
		{"2026-10-01 00:00", "2026-10-15 08:00"}, {"2026-10-15 08:00", "2026-10-15 20:00"},
		{"2026-11-01 09:00", "2026-11-01 12:00"}} {
		if next, ok := r.Next(at(c.after)); !ok || !next.Equal(at(c.want)) {
			t.Errorf("after %s: %s, %t, want %s", c.after, next, ok, c.want)
		}
	}
}

func TestWhatIsNoRotaIsRefused(t *testing.T) {
	zone := mustZone(t, "UTC")
	start := clock(t, zone, "2026-11-01 08:00")
	good := func() Rota {
		return Rota{Zone: zone, Rotation: Rotation{Accounts: []model.AccountID{ann}, Hours: 12, Start: start},
			Overrides: []Override{{From: start, To: start.Add(time.Hour), Account: bob}}}
	}
	if r := good(); r.Validate() != nil {
		t.Fatalf("refused: %v", r.Validate())
	}
	for name, spoil := range map[string]func(*Rota){
		"nothing":               func(r *Rota) { r.Rotation, r.Overrides = Rotation{}, nil },
		"no account":            func(r *Rota) { r.Rotation.Accounts = nil },
		"too many accounts":     func(r *Rota) { r.Rotation.Accounts = make([]model.AccountID, MostTurns+1) },
		"negative hours":        func(r *Rota) { r.Rotation.Hours = -1 },
		"too many hours":        func(r *Rota) { r.Rotation.Hours = MostHours + 1 },
		"no start":              func(r *Rota) { r.Rotation.Start = time.Time{} },
		"a start of seconds":    func(r *Rota) { r.Rotation.Start = start.Add(time.Second) },
		"an early start":        func(r *Rota) { r.Rotation.Start = start.AddDate(-100, 0, 0) },
		"a late override":       func(r *Rota) { r.Overrides[0].To = start.AddDate(100, 0, 0) },
		"an override backwards": func(r *Rota) { r.Overrides[0].From = r.Overrides[0].To },
		"too many overrides":    func(r *Rota) { r.Overrides = slices.Repeat(r.Overrides, MostOverrides+1) },
		"too long a fallback":   func(r *Rota) { r.Fallback = make([]model.AccountID, MostFallback+1) },
	} {
		r := good()
		spoil(&r)
		if err := r.Validate(); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestZonesHaveNamesOfTheDatabase(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "EST",
		"America/Port-au-Prince", "Singapore", "Japan", "Iceland", "GMT+0", "GB-Eire", "NZ-CHAT", "EST5EDT", "W-SU"} {
		if _, err := LoadZone(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "Local", "localtime", "right/Europe/Berlin", "posix/UTC", "../etc/passwd",
		"Mars/Olympus", "europe/berlin", "/usr/share/zoneinfo/UTC", "UTC+1", strings.Repeat("A", 100)} {
		if _, err := LoadZone(name); err == nil {
			t.Errorf("%q: taken", name)
		}
	}
}

func TestNamesAreEachOnce(t *testing.T) {
	r := Rota{Rotation: Rotation{Accounts: []model.AccountID{ann, {}, bob, ann}}, Always: []model.AccountID{bob, joe},
		Fallback: []model.AccountID{joe}, Overrides: []Override{{Account: eve}, {}}}
	if got := r.Names(); !slices.Equal(got, []model.AccountID{ann, bob, joe, eve}) {
		t.Errorf("names: %v", got)
	}
}

package bench

import (
	"slices"
	"testing"
	"time"

	"signet/internal/load"
)

// ran is a result of a machine that is so many times as fast as it can be.
func ran(speed float64, scenario string, perSecond, cpu float64) *load.Result {
	return &load.Result{Scenario: scenario, Connections: 64, Operations: 1, OperationsPerSecond: speed * perSecond,
		Server: &load.Usage{CPUMicros: cpu / speed}}
}

// beside puts two runs of the floor beside a result.
func beside(r, before, after *load.Result) *load.Result {
	r.Floor = &load.Ratio{
		OperationsPerSecond: (before.OperationsPerSecond + after.OperationsPerSecond) / 2,
		CPUMicros:           (before.Server.CPUMicros + after.Server.CPUMicros) / 2,
		Runs:                []*load.Result{before, after},
	}
	return r
}

// shiftingPage has a machine that is twice as slow in the second repeat, and four times
// as slow while unread counts are measured.
func shiftingPage() *page {
	p := &page{size: size{duration: time.Second, most: 64, members: 10, connections: []int{64}, stored: []int{1}}}
	floor := func(speed float64) *load.Result { return ran(speed, load.Floor, 40_000, 20) }
	for _, speed := range []float64{1, 0.5} {
		p.figures.add(key{engine: embedded}, beside(ran(speed, load.Send, 16_000, 50), floor(speed), floor(speed)))
		p.figures.add(key{engine: embedded}, beside(ran(speed/4, load.Unread, 20_000, 40), floor(speed/4), floor(speed/4)))
		p.figures.add(key{engine: postgreSQL}, beside(ran(speed, load.Send, 4000, 100), floor(speed), floor(speed)),
			ran(speed, baseline, 5000, 0), ran(speed/2, baseline, 6000, 0))
	}
	return p
}

func TestRatioIsToTheFloorBesideAndNotToAnotherRepeats(t *testing.T) {
	p := shiftingPage()
	row := func(engine, what string) []string {
		t.Helper()
		_, rows := p.callTable(engine)
		i := slices.IndexFunc(rows, func(row []string) bool { return row[0] == what && row[1] == "64" })
		if i < 0 {
			t.Fatalf("%s has no row of %q", engine, what)
		}
		return rows[i]
	}
	for _, test := range []struct {
		engine, scenario, perSecond string
		ratios                      []string // of CPU, of operations a second
	}{
		{embedded, load.Send, "12,000 (8,000–16,000)", []string{"2.5 (2.5–2.5)", "0.4 (0.4–0.4)"}},
		{embedded, load.Unread, "3,750 (2,500–5,000)", []string{"2 (2–2)", "0.5 (0.5–0.5)"}},
		{postgreSQL, load.Send, "3,000 (2,000–4,000)", []string{"5 (5–5)", "0.1 (0.1–0.1)"}},
		// All that were measured: two with each of the others.
		{embedded, load.Floor, "20,000 (5,000–40,000)", []string{"", ""}},
	} {
		got := row(test.engine, label(key{scenario: test.scenario}))
		if ratios := got[len(got)-2:]; got[2] != test.perSecond || !slices.Equal(ratios, test.ratios) {
			t.Errorf("%s, %s: %q a second and the ratios %q, want %q and %q", test.engine, test.scenario, got[2], ratios,
				test.perSecond, test.ratios)
		}
	}
}

func TestSendsAreBesideThePgbenchOfTheirOwnMinute(t *testing.T) {
	// 4,000 beside 5,000 and 3,000, and half of all in the second repeat.
	rows := shiftingPage().baselines()
	if got := rows[0]; got[1] != "2,750 (1,500–5,000)" || got[len(got)-1] != "1 (1–1)" {
		t.Errorf("got %q, want all of pgbench's runs, and the ratio of each send to its own", got)
	}
}

func TestRatiosThatAreAimedAtAreThoseOfTheTables(t *testing.T) {
	aims := shiftingPage().aims()
	for _, want := range [][]string{
		{"send at 64 connections: at most 2.7 times the floor's CPU", "2.5 times", "met"},
		{"the same: at least 42 % of the floor's operations a second", "40 %", "missed"},
		{"unread count: at most 1.25 times the floor's CPU", "2 times", "missed"},
		{"the same: at least half of pgbench's transactions a second", "100 %", "met"},
	} {
		if !slices.ContainsFunc(aims, func(row []string) bool { return slices.Equal(row, want) }) {
			t.Errorf("%q is not among %q", want, aims)
		}
	}
}

// The middle one of several ratios is shown, with the least and the most.
func TestRatioIsTheMedianOverTheRepeats(t *testing.T) {
	var p page
	for _, perSecond := range []float64{10_000, 30_000, 12_000} {
		p.figures.add(key{engine: embedded},
			beside(ran(1, load.Send, perSecond, 50), ran(1, load.Floor, 50_000, 20), ran(1, load.Floor, 30_000, 30)))
	}
	if got, want := p.cell(at(embedded, load.Send, 64), ofFloor, true), "0.3 (0.25–0.75)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := p.cell(at(embedded, load.Send, 64), timesFloor, true), "2 (2–2)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := p.cell(at("", load.Floor, 64), ofFloor, true); got != "" {
		t.Errorf("the floor is %q of itself, want nothing there", got)
	}
}

package bench

import (
	"os"
	"slices"
	"testing"
	"time"

	"signet/internal/load"
)

// TestBench measures everything, and writes the page and its plots.
func TestBench(t *testing.T) {
	if !load.Running(os.Getpid()) {
		t.Fatal("what processes use can be read on Linux only, and it is what this measures")
	}
	s := mustSize(t)
	out := os.Getenv(outVariable)
	if out == "" {
		out = t.TempDir()
	}
	if os.Getenv(sizeVariable) != "" && !load.OnDisk(t.TempDir()) {
		t.Fatal("temporary files are in memory, where nothing has to be waited for: set TMPDIR to a directory on a disk")
	}
	p := &page{size: s, machine: mustDescribeMachine(t), begin: time.Now()}
	engines := mustEngines(t)
	p.machine.postgres = mustReadVersion(t, engines[1])
	for repeat := range s.repeats {
		t.Logf("repeat %d of %d, %v after the start", repeat+1, s.repeats, time.Since(p.begin).Round(time.Second))
		mustMeasureFloors(t, s, &p.figures)
		mustMeasureSet(t, engines[0], s, repeat == 0, p)
		mustMeasureDisk(t, engines[0], s, p)
		if repeat < s.databaseRepeats {
			mustMeasureSet(t, engines[1], s, repeat == 0, p)
			mustMeasureBaselines(t, engines[1], s, &p.figures)
		}
	}
	for _, e := range engines {
		mustMeasureGrowth(t, e, s, p)
	}
	p.took = time.Since(p.begin)
	p.mustWrite(t, out)
}

// plans are the set, and sends at more numbers of connections for the plot.
func (s size) plans() []load.Plan {
	plans := s.set()
	for _, connections := range s.connections {
		plan := load.Plan{Scenario: load.Send, Connections: connections, Duration: s.duration, Warmup: s.warmup, Payload: load.DefaultPayload, Members: 1}
		if !slices.ContainsFunc(plans, func(p load.Plan) bool { return p.Scenario == load.Send && p.Connections == connections }) {
			plans = append(plans, plan)
		}
	}
	return plans
}

func mustMeasureFloors(t *testing.T, s size, f *figures) {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	results, err := load.MeasureFloors(t.Context(), program, t.TempDir(), load.Floors(s.plans()), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		f.take(t, key{}, r, nil)
	}
}

// mustMeasureSet carries out the plans. Making thousands of people with streams takes
// longer than all else, and what these cost is steady: once is enough.
func mustMeasureSet(t *testing.T, e *engine, s size, withStreams bool, p *page) {
	t.Helper()
	e.with(t, func(target *load.Target, _ string) error {
		for _, plan := range s.plans() {
			if plan.Scenario == load.Streams && !withStreams {
				continue
			}
			r, err := load.Run(t.Context(), target, plan, nil)
			p.figures.take(t, key{engine: e.name}, r, err)
		}
		if e.database == nil {
			p.costs.rested = append(p.costs.rested, mustMeasureRest(t, target, s))
		}
		return nil
	})
}

func mustMeasureBaselines(t *testing.T, e *engine, s size, f *figures) {
	t.Helper()
	e.with(t, func(_ *load.Target, database string) error {
		mustExec(t, database, preparePairs)
		for _, connections := range s.connections {
			f.take(t, key{engine: e.name}, mustMeasureBaseline(t, e, database, connections, s), nil)
		}
		return nil
	})
}

// growthScenarios are those whose cost is looked at while the store grows.
// Those that store come last, so that most is measured with as many messages as it
// says.
var growthScenarios = []string{load.Poll, load.Unread, load.Search, load.Acknowledge, load.Send}

// growthConnections is how many connections they have.
const growthConnections = 16

// mustMeasureGrowth fills one store in steps and measures at each.
func mustMeasureGrowth(t *testing.T, e *engine, s size, p *page) {
	t.Helper()
	own := e.mustOwn(t)
	var operator *load.Target
	e.serve(t, own, func(target *load.Target) error { operator = target; return nil })
	before := 0
	for _, stored := range s.storedIn(e.name) {
		begin := time.Now()
		mustFill(t, own, operator, stored-before)
		t.Logf("%s: stored %d messages in %v", e.name, stored-before, time.Since(begin).Round(time.Second))
		before = stored
		if e.database == nil && stored == s.startsWith {
			mustMeasureStarts(t, own, s, p)
		}
		e.serve(t, own, func(target *load.Target) error {
			for range s.growthRepeats {
				for _, name := range growthScenarios {
					r, err := load.Run(t.Context(), target, s.growthPlan(name), nil)
					p.figures.take(t, key{engine: e.name, stored: stored}, r, err)
				}
			}
			return nil
		})
	}
	e.mustClear(t, own)
}

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
		for _, e := range engines {
			mustMeasureSet(t, e, s, &p.figures)
		}
		mustMeasureBaselines(t, engines[1], s, &p.figures)
	}
	for _, e := range engines {
		mustMeasureGrowth(t, e, s, &p.figures)
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

func mustMeasureSet(t *testing.T, e *engine, s size, f *figures) {
	t.Helper()
	e.with(t, func(target *load.Target, _ string) error {
		for _, plan := range s.plans() {
			r, err := load.Run(t.Context(), target, plan, nil)
			f.take(t, key{engine: e.name}, r, err)
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
var growthScenarios = []string{load.Send, load.Acknowledge, load.Poll, load.Unread}

// mustMeasureGrowth fills one store in steps and measures at each. It does so at a
// rate that is far from the most, so that what the measuring itself stores is
// little, and latencies are those of a server that keeps up.
func mustMeasureGrowth(t *testing.T, e *engine, s size, f *figures) {
	t.Helper()
	e.with(t, func(target *load.Target, _ string) error {
		before := 0
		for _, stored := range s.stored {
			begin := time.Now()
			if err := load.Fill(t.Context(), target, stored-before, nil); err != nil {
				return err
			}
			t.Logf("%s: stored %d messages in %v", e.name, stored-before, time.Since(begin).Round(time.Second))
			before = stored
			for range s.repeats {
				for _, name := range growthScenarios {
					plan := load.Plan{Scenario: name, Connections: 16, Rate: s.rate, Duration: min(s.duration, 3*time.Second), Warmup: s.warmup,
						Payload: load.DefaultPayload, Members: 1}
					r, err := load.Run(t.Context(), target, plan, nil)
					f.take(t, key{engine: e.name, stored: stored}, r, err)
				}
			}
		}
		return nil
	})
}

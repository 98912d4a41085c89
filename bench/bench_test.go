package bench

import (
	"os"
	"slices"
	"testing"
	"time"

	"signet/internal/load"
	"signet/internal/testenv"
)

// TestBench measures everything, and writes the page and its plots.
func TestBench(t *testing.T) {
	testenv.Long(t)
	mustReadProcesses(t)
	s := mustSize(t)
	out := mustChooseOutput(t, os.Getenv(sizeVariable) != "")
	p := &page{size: s, machine: mustDescribeMachine(t), begin: time.Now()}
	engines := mustEngines(t)
	floor := mustStartFloor(t)
	p.machine.postgres = mustReadVersion(t, engines[1])
	for repeat := range s.repeats {
		t.Logf("repeat %d of %d, %v after the start", repeat+1, s.repeats, time.Since(p.begin).Round(time.Second))
		mustMeasureSet(t, engines[0], floor, repeat == 0, p)
		mustMeasureDisk(t, engines[0], s, p)
		if repeat < s.databaseRepeats {
			mustMeasureSet(t, engines[1], floor, repeat == 0, p)
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
		plan := load.Plan{Scenario: load.Send, Connections: connections, Duration: s.duration, Warmup: s.warmup,
			Payload: load.DefaultPayload, Members: 1}
		if !slices.ContainsFunc(plans,
			func(p load.Plan) bool { return p.Scenario == load.Send && p.Connections == connections }) {
			plans = append(plans, plan)
		}
	}
	return plans
}

// mustStartFloor starts the floor, which runs until the test ends.
func mustStartFloor(t *testing.T) *load.FloorServer {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	floor, err := load.StartFloor(t.Context(), generator, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := floor.Stop(); err != nil {
			t.Error(err)
		}
	})
	return floor
}

// run carries out a plan, and again where a disk that stalled outlasted the moment that a
// test measures for.
func run(t *testing.T, target *load.Target, plan load.Plan) (r *load.Result, err error) {
	for range 5 {
		r, err = load.Run(t.Context(), target, plan, nil)
		if err != nil || r.Operations > 0 || r.Failed() > 0 {
			break
		}
	}
	return r, err
}

// mustMeasureSet carries out the plans, each between two runs of what the page has it
// beside. Making thousands of people with streams takes longer than all else, and what
// these cost is steady: once is enough.
func mustMeasureSet(t *testing.T, e *engine, floor *load.FloorServer, withStreams bool, p *page) {
	t.Helper()
	var tables load.Own // pgbench's
	if e.database != nil {
		tables = mustPrepareBaseline(t, e)
	}
	withFloor := p.size.calls()
	e.with(t, func(target *load.Target) error {
		for _, plan := range p.size.plans() {
			if plan.Scenario == load.Streams && !withStreams {
				continue
			}
			target.Floor = nil
			if slices.Contains(withFloor, plan) {
				target.Floor = floor
			}
			withBaseline := e.database != nil && plan.Scenario == load.Send &&
				slices.Contains(p.size.connections, plan.Connections)
			var before, after *load.Result
			if withBaseline {
				before = mustMeasureBaseline(t, e, tables.Database, plan.Connections, p.size)
			}
			r, err := run(t, target, plan)
			var baselines []*load.Result
			if withBaseline {
				after = mustMeasureBaseline(t, e, tables.Database, plan.Connections, p.size)
			}
			if before != nil && after != nil {
				baselines = []*load.Result{before, after}
			}
			p.figures.take(t, key{engine: e.name}, r, err, baselines...)
		}
		if e.database == nil {
			p.costs.rested = append(p.costs.rested, mustMeasureRest(t, target, p.size))
		}
		return nil
	})
	if e.database != nil {
		e.mustClear(t, tables)
	}
}

// growthScenarios are those whose cost is looked at while the store grows.
// Those that store come last, so that most is measured with as many messages as it
// says.
var growthScenarios = []string{load.Poll, load.History, load.Unread, load.Search, load.Acknowledge, load.Send}

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
					r, err := run(t, target, s.growthPlan(name))
					p.figures.take(t, key{engine: e.name, stored: stored}, r, err)
				}
			}
			return nil
		})
	}
	e.mustClear(t, own)
}

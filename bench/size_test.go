package bench

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"signet/internal/load"
)

// size says how much is measured.
type size struct {
	repeats     int // of which the median is shown
	duration    time.Duration
	warmup      time.Duration
	most        int           // connections of the set
	members     int           // the most that a group has
	streams     int           // that are idle
	idle        time.Duration // how long these are looked at, at least: each gets a comment every 10 s
	connections []int         // of the plot of throughput
	stored      []int         // messages of the plot of cost

	storedMost      int // the same on the embedded store alone, where somebody asks for more; else 0
	databaseRepeats int // of what is measured on PostgreSQL
	growthRepeats   int // of what the plot of cost is of
	startsWith      int // messages in the store that is started; one of stored
	starts          int
	rest            time.Duration // until memory is looked at
	file            int           // bytes of the large attachment
}

// The variables that size a run, and say where its page goes. `make bench` sets
// them.
const (
	sizeVariable   = "SIGNET_BENCH"
	storedVariable = "SIGNET_BENCH_STORED"
	outVariable    = "SIGNET_BENCH_OUT"
)

// mustReadProcesses ends a test that measures where it cannot be told what processes use.
func mustReadProcesses(t *testing.T) {
	t.Helper()
	if !load.Running(os.Getpid()) {
		t.Fatal("what processes use can be read on Linux only, and it is what this measures")
	}
}

// mustChooseOutput returns the directory that a measurement writes to. Where it is a whole measurement, temporary
// files have to lie on a disk.
func mustChooseOutput(t *testing.T, whole bool) string {
	t.Helper()
	if whole && !load.OnDisk(t.TempDir()) {
		t.Fatal("temporary files are in memory, where nothing has to be waited for: set TMPDIR to a directory on a disk")
	}
	if out := os.Getenv(outVariable); out != "" {
		return out
	}
	return t.TempDir()
}

// mustSize reads the size of this run.
func mustSize(t *testing.T) size {
	t.Helper()
	var s size
	switch name := os.Getenv(sizeVariable); name {
	case "": // one of the tests
		s = size{repeats: 1, duration: 50 * time.Millisecond, most: 4, members: 10, streams: 10, connections: []int{1, 2},
			stored:          []int{50, 100},
			databaseRepeats: 1, growthRepeats: 1, startsWith: 100, starts: 1, file: 1 << 20}
	case "quick":
		s = size{repeats: 1, duration: time.Second, warmup: 250 * time.Millisecond, most: 64, members: 1000, streams: 1000,
			idle:        10 * time.Second,
			connections: []int{1, 4, 16, 64}, stored: []int{1000, 10_000, 50_000},
			databaseRepeats: 1, growthRepeats: 1, startsWith: 50_000, starts: 1, rest: 15 * time.Second, file: load.LargeFile}
	case "full":
		s = size{repeats: 5, duration: 2 * time.Second, warmup: 500 * time.Millisecond, most: 64, members: 1000,
			streams: 10_000, idle: 30 * time.Second,
			connections: []int{1, 2, 4, 8, 16, 32, 64, 128, 256}, stored: []int{10_000, 100_000, 1_000_000},
			databaseRepeats: 3, growthRepeats: 3, startsWith: 1_000_000, starts: 5, rest: 15 * time.Second, file: load.LargeFile}
	default:
		t.Fatalf("%s is %q, want quick or full", sizeVariable, name)
	}
	if text := os.Getenv(storedVariable); text != "" {
		most, err := strconv.Atoi(text)
		if err != nil || most <= s.stored[len(s.stored)-1] {
			t.Fatalf("%s is %q, want a number above %d", storedVariable, text, s.stored[len(s.stored)-1])
		}
		s.storedMost = most
	}
	return s
}

// set is the set of `signet-bench run`, at this size.
func (s size) set() (plans []load.Plan) {
	for _, p := range load.Set(s.duration, s.warmup) {
		p.Connections = min(p.Connections, s.most)
		switch p.Scenario {
		case load.Group, load.Deliver:
			if p.Members > s.members {
				continue
			}
		case load.Search, load.Mixed:
			p.Members = min(p.Members, s.members)
		case load.Streams:
			p.Members, p.Duration, p.Warmup = s.streams, max(p.Duration, s.idle), max(p.Warmup, s.idle/3)
		case load.Attachments:
			p.Payload = min(p.Payload, s.file)
		}
		if !slices.Contains(plans, p) {
			plans = append(plans, p)
		}
	}
	return plans
}

// calls are those of the set that are one call or some, and that have a floor.
func (s size) calls() (plans []load.Plan) {
	for _, p := range s.set() {
		switch p.Scenario {
		case load.Group, load.Deliver, load.Streams:
		default:
			plans = append(plans, p)
		}
	}
	return plans
}

// floors are the floors of the calls, by connections.
func (s size) floors() (floors []load.Plan) {
	for _, p := range s.calls() {
		if floor, ok := load.FloorOf(p); ok && !slices.Contains(floors, floor) {
			floors = append(floors, floor)
		}
	}
	slices.SortStableFunc(floors, func(a, b load.Plan) int { return a.Connections - b.Connections })
	return floors
}

// storedIn are the messages of the plot of cost of an engine.
func (s size) storedIn(engine string) []int {
	if engine == embedded && s.storedMost > 0 {
		return append(slices.Clip(s.stored), s.storedMost)
	}
	return s.stored
}

// growthPlan is what is measured of a scenario while the store grows.
func (s size) growthPlan(scenario string) load.Plan {
	plan := load.Plan{Scenario: scenario, Connections: min(growthConnections, s.most), Duration: s.duration,
		Warmup: s.warmup, Payload: load.DefaultPayload, Members: 1}
	if scenario == load.Search {
		plan.Members = s.members
	}
	return plan
}

// grown names its line.
func (s size) grown(engine, scenario string, stored int) key {
	plan := s.growthPlan(scenario)
	k := keyOf(engine, &plan)
	k.stored = stored
	return k
}

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"signet/internal/load"
	"signet/internal/testenv"
)

// The variables of `make bench-scale`. Without the first, one of the tests runs, which is the quick form.
const (
	scaleVariable       = "SIGNET_BENCH_SCALE"        // quick or full
	scaleStoredVariable = "SIGNET_BENCH_SCALE_STORED" // messages, at the most
	scaleCoresVariable  = "SIGNET_BENCH_SCALE_CORES"  // of each server
)

// scale says how much is measured of several servers on one PostgreSQL, and of one with many messages.
type scale struct {
	quick       bool
	nodes       []int // how many servers at a time, the least first
	cores       float64
	rounds      int
	connections int
	members     int // people of the mix
	duration    time.Duration
	warmup      time.Duration
	stored      []int // messages, at which one server is measured
	streams     int   // idle ones, of one server
	idle        time.Duration
}

// mustScale reads the size of this run.
func mustScale(t *testing.T) scale {
	t.Helper()
	var s scale
	most := 10_000_000
	switch name := os.Getenv(scaleVariable); name {
	case "", "quick":
		most = 100
		s = scale{quick: true, nodes: []int{1, 2}, cores: 0.5, rounds: 1, connections: 4, members: 10,
			duration: 50 * time.Millisecond, streams: 10}
	case "full":
		s = scale{nodes: []int{1, 2, 4}, cores: 0.5, rounds: 3, connections: 64, members: load.DefaultPeople,
			duration: 10 * time.Second, warmup: 2 * time.Second, streams: 5000, idle: time.Minute}
	default:
		t.Fatalf("%s is %q, want quick or full", scaleVariable, name)
	}
	var err error
	if text := os.Getenv(scaleStoredVariable); text != "" {
		if most, err = strconv.Atoi(text); err != nil || most < 1 {
			t.Fatalf("%s is %q, want a number of messages", scaleStoredVariable, text)
		}
	}
	if text := os.Getenv(scaleCoresVariable); text != "" {
		if s.cores, err = strconv.ParseFloat(text, 64); err != nil || !(s.cores >= 0.01) {
			t.Fatalf("%s is %q, want a part of a core such as 0.5, 0.01 at least", scaleCoresVariable, text)
		}
	}
	s.stored = stepsTo(most)
	return s
}

// stepsTo are the numbers of messages at which is measured: ten thousand, and ten times as many each time.
func stepsTo(most int) (steps []int) {
	for step := 10_000; step < most; step *= 10 {
		steps = append(steps, step)
	}
	return append(steps, most)
}

// plan is what is measured of a scenario.
func (s scale) plan(scenario string) load.Plan {
	plan := load.Plan{Scenario: scenario, Connections: s.connections, Duration: s.duration, Warmup: s.warmup,
		Payload: load.DefaultPayload, Members: 1}
	if scenario == load.Mixed {
		plan.Members = s.members
	}
	return plan
}

// nodeScenarios are measured of several servers.
var nodeScenarios = []string{load.Send, load.Acknowledge, load.Mixed}

// storedScenarios are measured of one server while its store grows. Those that store messages come last.
var storedScenarios = []string{load.Poll, load.History, load.Unread, load.Acknowledge, load.Send}

// TestScale measures what several servers do on one PostgreSQL, each held to a part of a core, and what
// PostgreSQL does to the rate of one as its messages grow.
func TestScale(t *testing.T) {
	testenv.Long(t)
	mustReadProcesses(t)
	s := mustScale(t)
	out := mustChooseOutput(t, !s.quick)
	m := &scaled{size: s, machine: mustDescribeMachine(t), begin: time.Now(), sizes: map[int]sizes{}}
	e := mustEngines(t)[1]
	m.machine.postgres = mustReadVersion(t, e)
	for round := range s.rounds {
		// Each time all numbers of servers in turn: what they have of each other is put together within a round.
		for _, n := range s.nodes {
			m.mustMeasureNodes(t, e, n, round)
		}
	}
	m.mustMeasureStored(t, e, mustStartFloor(t))
	m.took = time.Since(m.begin)
	m.mustWrite(t, out)
}

// mustMeasureNodes measures so many servers, on a store of their own.
func (m *scaled) mustMeasureNodes(t *testing.T, e *engine, n, round int) {
	t.Helper()
	own := e.mustOwn(t)
	keyring := e.database.URL(t)
	own.Settings = []string{"--keyring", keyring, "--master-key", "file:" + mustMakeMasterKey(t)}
	e.serve(t, own, func(target *load.Target) error {
		target.Nodes = []string{target.BaseURL}
		var others []*load.Process
		defer func() {
			for _, node := range others {
				if err := node.Stop(); err != nil {
					t.Error(err)
				}
			}
		}()
		for range n - 1 {
			further := own
			further.Data = filepath.Join(t.TempDir(), "data")
			node, err := load.StartNode(t.Context(), further)
			if err != nil {
				return err
			}
			others = append(others, node)
			target.Nodes, target.Servers = append(target.Nodes, node.BaseURL), append(target.Servers, node.PID)
		}
		how, release := mustHold(t, target.Servers, m.size.cores)
		defer release() // before they are to stop, which takes one that has time
		m.how = how
		for _, scenario := range nodeScenarios {
			m.take(t, scaleKey{nodes: n, scenario: scenario}, round, mustMeasureCounted(t, own, target, m.size.plan(scenario)))
		}
		return nil
	})
	e.mustClear(t, own)
	e.mustClear(t, load.Own{Database: keyring})
}

// mustMakeMasterKey makes the key that all servers of a store are given, and returns its file.
func mustMakeMasterKey(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "master.json")
	if err := os.WriteFile(path, []byte(mustRunIn(t, ".", program, "keys", "generate")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// mustMeasureCounted carries out a plan, with what is counted beside it. Nothing may fail.
func mustMeasureCounted(t *testing.T, own load.Own, target *load.Target, plan load.Plan) (r *load.Result) {
	t.Helper()
	err := withCounters(t, own, target, func() (err error) {
		r, err = run(t, target, plan)
		return err
	})
	if err == nil && (r.Operations == 0 || r.Failed() > 0) {
		err = fmt.Errorf("%d operations succeeded, %d failed: %s", r.Operations, r.Failed(), r.FirstError)
	}
	if err != nil {
		t.Fatalf("%s: %v", plan.Scenario, err)
	}
	return r
}

// sizes are those of a database, in bytes.
type sizes struct{ all, messages, copies int64 }

// mustMeasureStored fills a store in steps, and measures one server at each, which nobody holds, beside the floor: the
// machine may be another one by the time that ten million are stored.
func (m *scaled) mustMeasureStored(t *testing.T, e *engine, floor *load.FloorServer) {
	t.Helper()
	own := e.mustOwn(t)
	var operator *load.Target
	e.serve(t, own, func(target *load.Target) error {
		operator = target
		plan := load.Plan{Scenario: load.Streams, Connections: min(load.DefaultConnections, m.size.streams),
			Members: m.size.streams, Duration: max(m.size.duration, m.size.idle), Warmup: m.size.warmup, Payload: 1}
		r, err := load.Run(t.Context(), target, plan, nil)
		if err == nil {
			m.take(t, scaleKey{nodes: 1, scenario: load.Streams}, 0, r)
		}
		return err
	})
	before := 0
	for _, stored := range m.size.stored {
		begin := time.Now()
		mustFill(t, own, operator, stored-before)
		before = stored
		// What autovacuum is to do some time is done now, so that it does not meet one measurement and
		// miss another.
		mustExec(t, own.Database, "VACUUM (ANALYZE)")
		mustExec(t, own.Database, "CHECKPOINT")
		m.sizes[stored] = mustReadSizes(t, own.Database)
		t.Logf("stored %d messages in %v: %+v bytes", stored, time.Since(begin).Round(time.Second), m.sizes[stored])
		e.serve(t, own, func(target *load.Target) error {
			target.Floor = floor
			for round := range m.size.rounds {
				for _, scenario := range storedScenarios {
					r := mustMeasureCounted(t, own, target, m.size.plan(scenario))
					m.take(t, scaleKey{nodes: 1, stored: stored, scenario: scenario}, round, r)
				}
			}
			return nil
		})
	}
	e.mustClear(t, own)
}

// mustReadSizes reads the sizes of tables with their indexes.
func mustReadSizes(t *testing.T, database string) (s sizes) {
	t.Helper()
	for _, q := range []struct {
		tables string
		size   *int64
	}{{`true`, &s.all}, {`tablename = 'messages'`, &s.messages}, {`tablename IN ('deliveries', 'events')`, &s.copies}} {
		mustQuery(t, database, `SELECT COALESCE(SUM(pg_total_relation_size((quote_ident(schemaname) || '.' ||
			quote_ident(tablename))::regclass)), 0)::bigint FROM pg_tables WHERE schemaname = current_schema() AND `+q.tables, q.size)
	}
	return s
}

func TestStepsEndWithWhatIsAskedFor(t *testing.T) {
	for most, want := range map[int]string{
		100: "[100]", 10_000: "[10000]", 50_000: "[10000 50000]", 10_000_000: "[10000 100000 1000000 10000000]",
	} {
		if got := fmt.Sprint(stepsTo(most)); got != want {
			t.Errorf("the steps to %d are %s, want %s", most, got, want)
		}
	}
}

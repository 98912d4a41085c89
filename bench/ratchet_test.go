package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/load"
	"signet/internal/testenv"
)

// The variables that say what the ratchet compares. `make bench-ratchet` sets them.
const (
	baseVariable      = "SIGNET_BENCH_BASE"      // a commit
	headVariable      = "SIGNET_BENCH_HEAD"      // another; empty: the tree as it is
	scenariosVariable = "SIGNET_BENCH_SCENARIOS" // some lines only, by scenario, store or name
	releaseVariable   = "SIGNET_BENCH_RELEASE"   // the version whose figures are kept
)

// version is a program to be measured.
type version struct{ commit, program string }

// ratchet measures two versions in turn.
type ratchet struct {
	base, head version
	engines    map[string]*engine
	floor      *load.FloorServer
	floorTime  time.Duration
}

// rounds is how many pairs there are of a line. One that is worse in them is measured for as
// many rounds more, before it counts as worse.
const rounds = 5

// ratchetLines are what each call costs that people make all day, at the loads that tell most.
func ratchetLines() (lines []line) {
	add := func(engine string, plan load.Plan) {
		plan.Duration, plan.Warmup, plan.Payload = 1500*time.Millisecond, 400*time.Millisecond, load.DefaultPayload
		plan.Members = max(1, plan.Members)
		lines = append(lines, line{engine, plan})
	}
	add(embedded, load.Plan{Scenario: load.Send, Connections: 64})
	add(embedded, load.Plan{Scenario: load.Send, Connections: 1})
	add(embedded, load.Plan{Scenario: load.Acknowledge, Connections: 64})
	add(embedded, load.Plan{Scenario: load.Poll, Connections: 64})
	add(embedded, load.Plan{Scenario: load.History, Connections: 64})
	add(embedded, load.Plan{Scenario: load.Unread, Connections: 64})
	add(embedded, load.Plan{Scenario: load.Group, Connections: 16, Members: 100})
	add(embedded, load.Plan{Scenario: load.Deliver, Connections: 4, Members: 100})
	add(embedded, load.Plan{Scenario: load.Deliver, Connections: 16, Rate: load.DeliverRate})
	add(postgreSQL, load.Plan{Scenario: load.Send, Connections: 64})
	add(postgreSQL, load.Plan{Scenario: load.Acknowledge, Connections: 64})
	add(postgreSQL, load.Plan{Scenario: load.Group, Connections: 16, Members: 100})
	return lines
}

// TestRatchet fails if the head costs more than the base. As one of the tests it compares the
// program with itself, for a moment.
func TestRatchet(t *testing.T) {
	testenv.Long(t)
	mustReadProcesses(t)
	base := os.Getenv(baseVariable)
	if base == "" {
		mustTryRatchet(t)
		return
	}
	out := mustChooseOutput(t, true)
	lines := mustPickLines(t, strings.Fields(os.Getenv(scenariosVariable)))
	name := os.Getenv(releaseVariable)
	if name != "" && len(lines) != len(ratchetLines()) {
		t.Fatal("the figures of a release are those of all scenarios")
	}
	r := &ratchet{floor: mustStartFloor(t), floorTime: time.Second, engines: mustEnginesOf(t, lines)}
	r.base, r.head = mustBuildVersion(t, base), mustBuildVersion(t, os.Getenv(headVariable))
	if r.base.commit == r.head.commit {
		t.Fatalf("both versions are %s: name another one to compare with (BASE)", r.base.commit)
	}
	begin := time.Now()
	all := r.mustCompare(t, lines, rounds)
	worse := slices.DeleteFunc(slices.Clone(all), func(c *comparison) bool { return len(c.worse()) == 0 })
	for number := range rounds {
		r.mustGoRound(t, worse, number)
	}
	report{base: r.base.commit, head: r.head.commit, begin: begin, all: all}.mustWrite(t, out)
	if name != "" {
		mustKeepRelease(t, newRelease(name, r.head.commit, begin, all))
	}
	for _, c := range worse {
		if names := c.worse(); len(names) > 0 {
			t.Errorf("%s is worse by its %s", c.name(), strings.Join(names, ", "))
		}
	}
}

// mustPickLines returns the lines that any of some words names; all where there is none.
func mustPickLines(t *testing.T, words []string) []line {
	t.Helper()
	all := ratchetLines()
	if len(words) == 0 {
		return all
	}
	var names []string
	picked := slices.DeleteFunc(slices.Clone(all), func(l line) bool {
		names = append(names, l.name())
		return !slices.ContainsFunc(words,
			func(word string) bool { return word == l.engine || word == l.plan.Scenario || word == l.name() })
	})
	if len(picked) == 0 {
		t.Fatalf("nothing is called %q; there are %q", words, names)
	}
	return picked
}

// mustEnginesOf starts what lines store in.
func mustEnginesOf(t *testing.T, lines []line) map[string]*engine {
	t.Helper()
	engines := []*engine{{name: embedded}}
	if slices.ContainsFunc(lines, func(l line) bool { return l.engine != embedded }) {
		engines = mustEngines(t)
	}
	by := map[string]*engine{}
	for _, e := range engines {
		by[e.name] = e
	}
	return by
}

// mustBuildVersion builds the server of a commit, without the pages; "" is the tree as it is.
func mustBuildVersion(t *testing.T, commit string) version {
	t.Helper()
	if commit == "" {
		if err := build(); err != nil {
			t.Fatal(err)
		}
		return version{mustDescribeCommit(t), program}
	}
	name := strings.TrimSpace(mustRunIn(t, "..", "git", "rev-parse", "--short=12", "--verify", commit+"^{commit}"))
	directory := t.TempDir()
	archive, source := filepath.Join(directory, "source.tar"), filepath.Join(directory, "source")
	if err := os.Mkdir(source, 0o700); err != nil {
		t.Fatal(err)
	}
	mustRunIn(t, "..", "git", "archive", "--format=tar", "--output="+archive, name)
	mustRunIn(t, source, "tar", "-xf", archive)
	built := filepath.Join(directory, "signet")
	mustRunIn(t, source, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", built, "./cmd/signet")
	return version{name, built}
}

// mustRunIn runs a program in a directory and returns what it prints.
func mustRunIn(t *testing.T, directory, name string, arguments ...string) string {
	t.Helper()
	command := exec.Command(name, arguments...)
	command.Dir, command.Env = directory, append(os.Environ(), "CGO_ENABLED=0")
	var problems strings.Builder
	command.Stderr = &problems
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(arguments, " "), err, &problems)
	}
	return string(output)
}

// mustCompare measures lines for some rounds.
func (r *ratchet) mustCompare(t *testing.T, lines []line, rounds int) (all []*comparison) {
	t.Helper()
	for _, l := range lines {
		all = append(all, &comparison{line: l})
	}
	for number := range rounds {
		r.mustGoRound(t, all, number)
	}
	return all
}

// mustGoRound measures each line of both versions, one right after the other: in one round the
// base is the first, in the next the head. The floors are measured before them.
func (r *ratchet) mustGoRound(t *testing.T, all []*comparison, number int) {
	t.Helper()
	begin := time.Now()
	floors := map[int]*load.Result{}
	for _, c := range all {
		if n := c.plan.Connections; floors[n] == nil {
			floors[n] = r.mustMeasureFloor(t, n)
		}
	}
	for _, c := range all {
		p := pair{floor: floors[c.plan.Connections]}
		sides := []func(){
			func() { p.base = r.mustMeasureBase(t, c) },
			func() { p.head = r.mustMeasure(t, c.line) },
		}
		if number%2 == 1 {
			slices.Reverse(sides)
		}
		for _, measure := range sides {
			if c.lacks == "" {
				measure()
			}
		}
		if c.lacks == "" {
			c.pairs = append(c.pairs, p)
			t.Logf("%-40s base %8.1f µs, head %8.1f µs of CPU; of the head %v", c.name(), both(p.base), both(p.head),
				p.head.Counts)
		}
	}
	if len(all) > 0 {
		t.Logf("round %d took %v", number+1, time.Since(begin).Round(time.Second))
	}
}

func (r *ratchet) mustMeasureFloor(t *testing.T, connections int) *load.Result {
	t.Helper()
	plan := load.Plan{Scenario: load.Floor, Connections: connections, Duration: r.floorTime, Warmup: r.floorTime / 4,
		Payload: load.DefaultPayload, Members: 1}
	result, err := r.floor.Measure(t.Context(), plan, nil)
	if err == nil && result.Failed() > 0 {
		err = errors.New(result.FirstError)
	}
	if err != nil {
		t.Fatalf("measure the floor: %v", err)
	}
	return result
}

// mustMeasureBase measures the base, or notes what it lacks.
func (r *ratchet) mustMeasureBase(t *testing.T, c *comparison) *load.Result {
	t.Helper()
	result, err := r.measure(t, c.line, r.base)
	if err != nil {
		t.Logf("%s: the base: %v", c.name(), err)
		if !c.lack(err) {
			t.Fatalf("%s: the base could do it before", c.name())
		}
	}
	return result
}

func (r *ratchet) mustMeasure(t *testing.T, l line) *load.Result {
	t.Helper()
	result, err := r.measure(t, l, r.head)
	if err != nil {
		t.Fatalf("%s: %v", l.name(), err)
	}
	return result
}

// measure carries out a line's plan on a fresh server with an empty store.
func (r *ratchet) measure(t *testing.T, l line, v version) (result *load.Result, err error) {
	t.Helper()
	e := r.engines[l.engine]
	own := e.mustOwn(t)
	own.Program = v.program
	e.serve(t, own, func(target *load.Target) error {
		err = withCounters(t, own, target, func() (err error) {
			result, err = run(t, target, l.plan)
			return err
		})
		return nil
	})
	e.mustClear(t, own)
	if err == nil && (result.Operations == 0 || result.Failed() > 0) {
		err = fmt.Errorf("%d operations succeeded, %d failed: %s", result.Operations, result.Failed(), result.FirstError)
	}
	return result, err
}

package bench

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/load"
)

// mustTryRatchet compares the program with itself, so that the ratchet keeps working. What it
// finds is chance.
func mustTryRatchet(t *testing.T) {
	t.Helper()
	var lines []line
	for _, l := range ratchetLines() {
		if (l.plan.Scenario == load.Send || l.plan.Scenario == load.Poll) && l.plan.Connections == 64 {
			l.plan.Connections, l.plan.Duration, l.plan.Warmup = 2, 50*time.Millisecond, 0
			lines = append(lines, l)
		}
	}
	r := &ratchet{floor: mustStartFloor(t), floorTime: 50 * time.Millisecond, engines: mustEnginesOf(t, lines)}
	r.base = mustBuildVersion(t, "")
	r.head = r.base
	all := r.mustCompare(t, lines, 2)
	for _, c := range all {
		if len(c.pairs) != 2 || c.lacks != "" {
			t.Fatalf("%s was measured %d times (%s), want 2", c.name(), len(c.pairs), c.lacks)
		}
		want := []string{countStatements, countCommits}
		if c.engine == embedded {
			want = append(want, countPages)
		}
		if _, known, err := writtenToDisk(t.TempDir()); err != nil {
			t.Fatal(err)
		} else if known || c.engine != embedded {
			want = append(want, countBytes)
		}
		for _, p := range c.pairs {
			for _, name := range want {
				x, ok := p.head.Counts[name]
				if sends := c.plan.Scenario == load.Send; !ok || x <= 0 && sends {
					t.Errorf("%s: of %s there is %v, %t", c.name(), name, x, ok)
				}
			}
		}
	}
	out := t.TempDir()
	for range 2 {
		report{base: r.base.commit, head: r.head.commit, begin: time.Now(), all: all}.mustWrite(t, out)
	}
	mustFindLines(t, filepath.Join(out, reportLines), 2*len(lines))
	text, err := os.ReadFile(filepath.Join(out, reportTable))
	if err != nil || strings.Count(string(text), "\n| ") != 1+len(lines) {
		t.Errorf("the table is not one of %d lines: %v\n%s", len(lines), err, text)
	}
}

// mustFindLines checks that a file has so many lines of JSON.
func mustFindLines(t *testing.T, path string, want int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(text)))
	for _, text := range lines {
		var e entry
		if err := json.Unmarshal([]byte(text), &e); err != nil || e.Name == "" || len(e.Figures) == 0 {
			t.Errorf("%v: %s", err, text)
		}
	}
	if len(lines) != want {
		t.Errorf("%s has %d lines, want %d", path, len(lines), want)
	}
}

// pairsOf are pairs whose CPU times and statements are these.
func pairsOf(figures ...[4]float64) (pairs []pair) {
	for _, f := range figures {
		result := func(cpu, statements float64) *load.Result {
			return &load.Result{Server: &load.Usage{CPUMicros: cpu}, Counts: load.Counts{countStatements: statements}}
		}
		pairs = append(pairs, pair{result(f[0], f[2]), result(f[1], f[3]), result(20, 0)})
	}
	return pairs
}

func TestHeadIsWorseWhereMostPairsSaySo(t *testing.T) {
	for _, test := range []struct {
		what  string
		pairs [][4]float64
		worse []string
	}{
		{"the same", [][4]float64{{100, 100, 6, 6}}, nil},
		{"within what varies", [][4]float64{{100, 104, 6, 6}, {100, 103, 6, 6.01}, {200, 208, 6, 6}}, nil},
		// The machine is half as fast in the second pair, and from the middle of the third on.
		{"a tenth more", [][4]float64{{100, 110, 6, 6}, {200, 221, 6, 6}, {200, 110, 6, 6}, {100, 109, 6, 6},
			{100, 110, 6, 6}}, []string{cpuTime}},
		{"more in three of five", [][4]float64{{100, 130, 6, 6}, {100, 130, 6, 6}, {100, 130, 6, 6}, {100, 90, 6, 6},
			{100, 90, 6, 6}}, nil},
		{"a statement more", [][4]float64{{100, 100, 6, 7}}, []string{countStatements}},
		{"a statement where there was none", [][4]float64{{100, 100, 0, 1}}, []string{countStatements}},
		{"what runs beside", [][4]float64{{100, 100, 0, 0.01}}, nil},
		{"less", [][4]float64{{100, 50, 6, 3}}, nil},
	} {
		c := comparison{pairs: pairsOf(test.pairs...)}
		if got := c.worse(); !slices.Equal(got, test.worse) {
			t.Errorf("%s: worse by %q, want %q", test.what, got, test.worse)
		}
	}
}

// An earlier version does not count what a later one does.
func TestWhatTheBaseDoesNotCountIsNotCompared(t *testing.T) {
	pairs := pairsOf([4]float64{100, 50, 0, 6})
	delete(pairs[0].base.Counts, countStatements)
	c := &comparison{line: line{embedded, load.Plan{Scenario: load.Send, Connections: 64, Members: 1}}, pairs: pairs}
	if names := c.worse(); len(names) > 0 {
		t.Errorf("it is worse by %q", names)
	}
	got := comparisonRows([]*comparison{c})[0]
	want := []string{c.title(), embedded, "64", "100 → 50", "0.50 (0.50–0.50)", "5 → 2.5", "0 → 0", "– → 6", "–", "–",
		"CPU better"}
	if !slices.Equal(got, want) {
		t.Errorf("got the row %q, want %q", got, want)
	}
	if len(want) != len(comparisonHead) {
		t.Errorf("a row has %d cells, the head %d", len(want), len(comparisonHead))
	}
}

func TestWhatTheBaseCannotDoIsToldInItsRow(t *testing.T) {
	c := &comparison{line: ratchetLines()[0], lacks: "404 | no such call\nand more"}
	got := comparisonRows([]*comparison{c})[0]
	if len(got) != len(comparisonHead) || got[len(got)-1] != "not compared: 404 / no such call" {
		t.Errorf("got the row %q", got)
	}
}

// A line that is worse is measured again. Were it not compared any more when the base fails once,
// nobody would be told that it is worse.
func TestABaseThatWasMeasuredLacksNothing(t *testing.T) {
	failed := errors.New("one operation failed")
	never, before := &comparison{}, &comparison{pairs: pairsOf([4]float64{100, 150, 6, 6})}
	if !never.lack(failed) || never.lacks != failed.Error() {
		t.Errorf("a base that fails at first lacks %q", never.lacks)
	}
	if before.lack(failed) || before.lacks != "" || len(before.worse()) == 0 {
		t.Errorf("one that fails later lacks %q, and the head is worse by %q", before.lacks, before.worse())
	}
}

func TestNothingIsInfinitelyWorseInJSON(t *testing.T) {
	c := &comparison{line: ratchetLines()[0], pairs: pairsOf([4]float64{100, 100, 0, 1})}
	if o := compared[1].outcome(c.pairs); !math.IsInf(o.ratio.median, 1) {
		t.Fatalf("the ratio to nothing is %v", o.ratio.median)
	}
	if _, err := json.Marshal(report{all: []*comparison{c}}.entry(c)); err != nil {
		t.Error(err)
	}
}

func TestLinesArePickedByAnyOfTheirNames(t *testing.T) {
	for word, want := range map[string]int{
		load.Send: 3, postgreSQL: 3, "embedded/deliver/16/rate=100": 1, "embedded/group/16/members=100": 1,
	} {
		if got := mustPickLines(t, []string{word}); len(got) != want {
			t.Errorf("%q names %d lines, want %d", word, len(got), want)
		}
	}
	names := map[string]bool{}
	for _, l := range ratchetLines() {
		names[l.name()] = true
		if err := l.plan.Validate(); err != nil {
			t.Errorf("%s: %v", l.name(), err)
		}
	}
	if len(names) != len(mustPickLines(t, nil)) {
		t.Errorf("two lines have one name: %v", names)
	}
}

package bench

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"signet/internal/load"
)

var update = flag.Bool("update", false, "write the tables in docs from the figures that are kept there")

// notMeasured is what pages say in place of figures that nobody has taken.
const notMeasured = "*not measured yet*"

// growthPage has what a run of TestScale and one of TestSoak found.
const growthPage = "../docs/performance/scale.md"

// full is the part of the machine's cores from which it is what limits a rate, and not the servers' share.
const full = 0.9

// describe says where, when and how long was measured.
func (a about) describe(more string) string {
	return wrapped(fmt.Sprintf("%s Taken on %s in %s minutes. %s", a.Machine, a.Date, written(a.Minutes), more))
}

// wantKept reports figures that nobody should have kept.
func (a about) wantKept(t *testing.T, file string) {
	t.Helper()
	if a.Quick {
		t.Errorf("%s is of a quick run, whose figures say nothing", file)
	}
}

// nodeText is what a page has of several servers.
func (r scaleReport) nodeText() string {
	head := []string{"what", "servers", "ops/s", "times one", "p50, ms", "p99, ms", "server CPU, µs", "database CPU, µs",
		"statements", "commits", "bytes of the log", "cores: servers", "of all"}
	if len(r.Nodes) == 0 {
		return notMeasured + "\n"
	}
	var rows [][]string
	most, filled := 0, false
	for _, l := range r.Nodes {
		most = max(most, l.Runs)
		all := written(l.AllCores.Median)
		if l.AllCores.Median > full*float64(r.About.Cores) {
			all, filled = "**"+all+"**", true
		}
		rows = append(rows, []string{label(key{scenario: l.Scenario}), strconv.Itoa(l.Nodes), l.PerSecond.String(),
			l.Times.String(), written(l.P50.Median), written(l.P99.Median), l.ServerCPU.String(), l.DatabaseCPU.String(),
			countCell(l.Counts, countStatements), countCell(l.Counts, countCommits), countCell(l.Counts, countBytes),
			written(l.ServerCores.Median), all})
	}
	text := r.About.describe(fmt.Sprintf("Each server was held to %g of a core by %s. %d connections, which went to the "+
		"servers in turn. Medians of %s, in turns of all numbers of servers; in parentheses the least and the most.",
		r.Cores, r.How, r.Nodes[0].Connections, runs(most))) + "\n" + table(head, rows)
	if filled {
		text += "\n" + wrapped(fmt.Sprintf("Bold: servers, database and generator together used more than %.0f %% of the "+
			"machine's %d cores. The rate is what this machine has, and more servers would do more on a larger one.",
			full*100, r.About.Cores))
	}
	return text
}

// storedText is what a page has of many messages.
func (r scaleReport) storedText() string {
	head := []string{"what", "messages stored", "database, GB", "ops/s", "of the floor's", "times the first", "p50, ms",
		"p99, ms", "server CPU, µs", "database CPU, µs", "bytes of the log", "pages read", "of pages, in its memory"}
	if len(r.Stored) == 0 {
		return notMeasured + "\n"
	}
	var rows [][]string
	for _, l := range r.Stored {
		found := "–"
		if all := l.Counts[countHits] + l.Counts[countReads]; all > 0 {
			found = fmt.Sprintf("%.1f %%", 100*l.Counts[countHits]/all)
		}
		ofFloor := "–"
		if l.OfFloor.Median > 0 {
			ofFloor = l.OfFloor.String()
		}
		rows = append(rows, []string{label(key{scenario: l.Scenario}), grouped(float64(l.Stored)),
			written(float64(l.Bytes) / 1e9), l.PerSecond.String(), ofFloor, l.Times.String(), written(l.P50.Median),
			written(l.P99.Median), l.ServerCPU.String(), l.DatabaseCPU.String(), countCell(l.Counts, countBytes),
			countCell(l.Counts, countReads), found})
	}
	return r.About.describe(fmt.Sprintf("One server, which nobody held, on %d connections. Medians of %s; in "+
		"parentheses the least and the most.", r.Stored[0].Connections, runs(r.Stored[0].Runs))) + "\n" + table(head, rows)
}

// String writes a median with its ends, where these are others.
func (e ends) String() string {
	if e.Least == e.Most {
		return written(e.Median)
	}
	return fmt.Sprintf("%s (%s–%s)", written(e.Median), written(e.Least), written(e.Most))
}

// countCell is what is counted of an operation, or a dash.
func countCell(counts load.Counts, name string) string {
	if x, ok := counts[name]; ok {
		return written(x)
	}
	return "–"
}

// wantParts compares parts of a page with what they are to have, or writes them.
func wantParts(t *testing.T, file string, parts map[string]string) {
	t.Helper()
	is, want := mustReadWithParts(t, file, parts)
	if want == is {
		return
	}
	if !*update {
		t.Errorf("%s does not have what is kept in docs/performance: write it with\n\t"+
			"go test ./bench -run OnThePage -update", file)
		return
	}
	mustWriteText(t, file, want)
}

// TestScaleIsOnThePage: the page has the tables of the figures that are kept.
func TestScaleIsOnThePage(t *testing.T) {
	var r scaleReport
	mustReadReport(t, scaleFile, &r)
	r.About.wantKept(t, scaleFile)
	wantParts(t, growthPage, map[string]string{"nodes": r.nodeText(), "stored": r.storedText()})
}

// rates is a run with two rounds, in the second of which the machine was half as fast.
func rates() *scaled {
	m := &scaled{size: scale{nodes: []int{1, 4}, cores: 0.5, stored: []int{100, 1000}}, how: "hand",
		machine: machine{cores: 2}, begin: time.Unix(0, 0), took: time.Minute,
		sizes: map[int]sizes{100: {1e9, 60_000, 40_000}, 1000: {2e9, 900_000, 700_000}}}
	result := func(perSecond, cpu, cores float64) *load.Result {
		return &load.Result{Connections: 64, OperationsPerSecond: perSecond,
			Server: &load.Usage{CPUMicros: cpu, Cores: cores}, Database: &load.Usage{CPUMicros: 2 * cpu, Cores: cores},
			Counts: load.Counts{countBytes: 3000, countHits: 9, countReads: 1}}
	}
	for round, speed := range []float64{1, 0.5} {
		for _, scenario := range nodeScenarios {
			m.results = append(m.results,
				scaleResult{scaleKey{nodes: 1, scenario: scenario}, round, result(1000*speed, 100, 0.5)},
				scaleResult{scaleKey{nodes: 4, scenario: scenario}, round, result(3000*speed, 120, 1)})
		}
		for i, stored := range m.size.stored {
			for _, scenario := range storedScenarios {
				cpu := 100.0
				if scenario == load.Acknowledge {
					cpu = 350
				}
				// With more messages the machine is half as fast again, and the server too.
				floor := 2000 * speed / float64(i+1)
				r := result(floor/2/float64(i+1), cpu, 0.5)
				r.Floor = &load.Ratio{OperationsPerSecond: floor}
				m.results = append(m.results, scaleResult{scaleKey{1, stored, scenario}, round, r})
			}
		}
	}
	m.results = append(m.results, scaleResult{scaleKey{nodes: 1, scenario: load.Streams}, 0, &load.Result{
		Server: &load.Usage{Cores: 0.1}, Database: &load.Usage{Cores: 0.05},
		Idle: &load.Idle{Open: 10_000, MemoryPerStream: 9000}}})
	return m
}

func TestRatesOfServersAreComparedWithinARound(t *testing.T) {
	r := rates().report()
	if got := r.Nodes[1]; got.Nodes != 4 || got.Times != (ends{3, 3, 3}) || got.PerSecond != (ends{2250, 1500, 3000}) {
		t.Errorf("four servers are %+v, want three times the rate of one", got)
	}
	for _, want := range []string{
		"| send, 200 bytes, one to one | 1 | 750 (500–1,000) | 1 |",
		"| send, 200 bytes, one to one | 4 | 2,250 (1,500–3,000) | 3 |", "| **2** |\n", "held to 0.5 of a core by hand",
	} {
		if text := r.nodeText(); !strings.Contains(text, want) {
			t.Errorf("the table of servers lacks %q:\n%s", want, text)
		}
	}
	for _, want := range []string{
		"| send, 200 bytes, one to one | 1,000 | 2 | 188 (125–250) | 0.25 | 0.5 |", "| 90.0 % |",
	} {
		if text := r.storedText(); !strings.Contains(text, want) {
			t.Errorf("the table of messages lacks %q:\n%s", want, text)
		}
	}
}

func TestInputsOfTheModelAreThoseWithTheMostMessagesButTheirSizes(t *testing.T) {
	got := rates().report().Model
	for symbol, want := range map[string]float64{"Ns": 100, "Nc": 250, "Ds": 200, "Dc": 500, "W": 3000, "Bm": 600,
		"Bc": 400, "Nt": 10, "Dt": 5, "M": 9000} {
		if got[symbol] != want {
			t.Errorf("%s is %v, want %v", symbol, got[symbol], want)
		}
	}
}

func TestWhatNobodyMeasuredIsSaidToBe(t *testing.T) {
	var r scaleReport
	if r.nodeText() != notMeasured+"\n" || r.storedText() != notMeasured+"\n" {
		t.Errorf("of nothing the page has %q and %q", r.nodeText(), r.storedText())
	}
}

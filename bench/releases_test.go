package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"signet/internal/load"
)

// releasesFile has the figures of each release, the oldest first, which releasesPage has as tables.
// `make bench-ratchet` adds one (RELEASE); those of commits before the first release were put there
// by hand.
const (
	releasesFile = "releases.json"
	releasesPage = "../docs/performance/releases.md"
)

// release is what a version takes, in figures that do not depend on the machine much.
type release struct {
	Version string          `json:"version,omitempty"` // empty: a commit before the first
	Commit  string          `json:"commit"`
	Date    string          `json:"date"`
	Lines   map[string]kept `json:"lines"` // by the names of lines
}

// kept is what is kept of a line.
type kept struct {
	TimesFloor float64     `json:"times_floor,omitempty"` // CPU of server and database; 0: not measured
	Counts     load.Counts `json:"counts,omitempty"`      // of each operation
}

// newRelease takes the head's figures of comparisons.
func newRelease(version, commit string, at time.Time, all []*comparison) release {
	r := release{Version: version, Commit: commit, Date: at.UTC().Format(time.DateOnly), Lines: map[string]kept{}}
	for _, c := range all {
		k := kept{TimesFloor: rounded(c.floors(func(p pair) *load.Result { return p.head })), Counts: load.Counts{}}
		for _, f := range compared[1:] {
			if o := f.outcome(c.pairs); o.head > 0 {
				k.Counts[f.name] = rounded(o.head)
			}
		}
		r.Lines[c.name()] = k
	}
	return r
}

// rounded has as many digits as are written.
func rounded(x float64) float64 {
	short, _ := strconv.ParseFloat(strings.ReplaceAll(written(x), ",", ""), 64) // it has just been written
	return short
}

// mostReleases is how many of the latest the page shows.
const mostReleases = 6

// releaseParts are the page's.
func releaseParts(all []release) map[string]string {
	return map[string]string{"releases": releaseTables(all)}
}

// releaseTables have the CPU of each line as a multiple of the floor's, and its
// counts. A line of which no release has anything is left out.
func releaseTables(all []release) string {
	all = all[max(0, len(all)-mostReleases):]
	head := []string{"what", "store", "connections"}
	for _, r := range all {
		head = append(head, strings.TrimSpace(r.Version+" ("+r.Commit+")"))
	}
	rows := func(cell func(kept) string) (rows [][]string) {
		for _, l := range ratchetLines() {
			row := []string{l.title(), l.engine, strconv.Itoa(l.plan.Connections)}
			for _, r := range all {
				row = append(row, cell(r.Lines[l.name()]))
			}
			if strings.Join(row[3:], "") != "" {
				rows = append(rows, row)
			}
		}
		return rows
	}
	return "CPU of server and database, as a multiple of the floor's:\n\n" + table(head, rows(kept.times)) +
		"\nStatements, pages and bytes of each operation:\n\n" + table(head, rows(kept.counted))
}

func (k kept) times() string {
	if k.TimesFloor == 0 {
		return ""
	}
	return written(k.TimesFloor)
}

func (k kept) counted() string {
	if len(k.Counts) == 0 {
		return ""
	}
	var cells []string
	for _, f := range compared[1:] {
		cell := "–"
		if x, ok := k.Counts[f.name]; ok {
			cell = written(x)
		}
		cells = append(cells, cell)
	}
	return strings.Join(cells, "; ")
}

func mustReadReleases(t *testing.T) (all []release) {
	t.Helper()
	text, err := os.ReadFile(releasesFile)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatalf("%s: %v", releasesFile, err)
	}
	return all
}

// mustKeepRelease adds a release, in place of earlier figures of the same version, and writes
// the page's table.
func mustKeepRelease(t *testing.T, r release) {
	t.Helper()
	all := slices.DeleteFunc(mustReadReleases(t), func(other release) bool { return other.Version == r.Version })
	all = append(all, r)
	text, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	mustWriteText(t, releasesFile, string(text)+"\n")
	_, page := mustReadWithParts(t, releasesPage, releaseParts(all))
	mustWriteText(t, releasesPage, page)
}

// TestReleasesAreOnThePage: the page has the table of the file, so that nobody changes one alone.
func TestReleasesAreOnThePage(t *testing.T) {
	all := mustReadReleases(t)
	names := map[string]bool{}
	for _, l := range ratchetLines() {
		names[l.name()] = true
	}
	for _, r := range all {
		for _, name := range slices.Sorted(maps.Keys(r.Lines)) {
			if !names[name] {
				t.Errorf("%s has %s of %s, which the ratchet does not measure", releasesFile, name, r.Commit)
			}
		}
	}
	wantParts(t, releasesPage, releaseParts(all))
}

func TestReleasesHaveAColumnEach(t *testing.T) {
	send := line{embedded, load.Plan{Scenario: load.Send, Connections: 64, Members: 1}}
	result := func(cpu float64) *load.Result {
		return &load.Result{Server: &load.Usage{CPUMicros: cpu}, Counts: load.Counts{countStatements: 6, countPages: 2.412}}
	}
	r := newRelease("1.2.3", "abc", time.Unix(0, 0), []*comparison{{line: send,
		pairs: []pair{{result(99), result(60), result(20)}, {result(99), result(62), result(20)}}}})
	if got := r.Lines[send.name()]; got.TimesFloor != 3.05 || got.Counts[countPages] != 2.41 || r.Date != "1970-01-01" {
		t.Errorf("what is kept is %+v of %s", got, r.Date)
	}
	tables := releaseTables([]release{{Commit: "before"}, r})
	for _, want := range []string{
		"| what | store | connections | (before) | 1.2.3 (abc) |",
		fmt.Sprintf("| %s | embedded | 64 |  | 3.05 |", send.title()),
		fmt.Sprintf("| %s | embedded | 64 |  | 6; 2.41; – |", send.title()),
	} {
		if !strings.Contains(tables, want+"\n") {
			t.Errorf("the tables have no row %q:\n%s", want, tables)
		}
	}
	if strings.Contains(tables, "poll") {
		t.Errorf("the tables have rows that nobody measured:\n%s", tables)
	}
}

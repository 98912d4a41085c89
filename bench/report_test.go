package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// report is what a run of the ratchet tells.
type report struct {
	base, head string // commits
	begin      time.Time
	all        []*comparison
}

// The files of a report: a table for the message of a commit, and a line of JSON for each line
// that was compared, behind those of earlier runs.
const (
	reportTable = "ratchet.md"
	reportLines = "ratchet.jsonl"
)

func (r report) mustWrite(t *testing.T, directory string) {
	t.Helper()
	if err := os.MkdirAll(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(directory, reportTable), []byte(r.markdown()), 0o644); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(filepath.Join(directory, reportLines), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := json.NewEncoder(file)
	for _, c := range r.all {
		if err := lines.Encode(r.entry(c)); err != nil {
			t.Fatal(err)
		}
	}
}

func (r report) markdown() string {
	return wrapped(fmt.Sprintf("From %s to %s: medians of %d pairs or more, in which each was the first in turn; in "+
		"parentheses the least and the most.", r.base, r.head, rounds)) + "\n" +
		table(comparisonHead, comparisonRows(r.all))
}

// entry is a line of JSON.
type entry struct {
	Time    string              `json:"time"`
	Base    string              `json:"base"`
	Head    string              `json:"head"`
	Name    string              `json:"name"`
	Pairs   int                 `json:"pairs"`
	Lacks   string              `json:"base_lacks,omitempty"`
	Figures map[string]compares `json:"figures,omitempty"`
}

// compares is how one figure compares.
type compares struct {
	Base   float64 `json:"base"`
	Head   float64 `json:"head"`
	Median float64 `json:"ratio,omitempty"` // of the pairs; absent where the base has none of it
	Least  float64 `json:"least,omitempty"`
	Most   float64 `json:"most,omitempty"`
	Worse  bool    `json:"worse,omitempty"`
	Better bool    `json:"better,omitempty"`
}

func (r report) entry(c *comparison) entry {
	e := entry{Time: r.begin.UTC().Format(time.RFC3339), Base: r.base, Head: r.head, Name: c.name(), Pairs: len(c.pairs),
		Lacks: c.lacks, Figures: map[string]compares{}}
	for _, f := range compared {
		o := f.outcome(c.pairs)
		if !o.known {
			continue
		}
		told := compares{Base: o.base, Head: o.head, Worse: o.worse, Better: o.better}
		if !math.IsInf(o.ratio.most, 0) {
			told.Median, told.Least, told.Most = o.ratio.median, o.ratio.least, o.ratio.most
		}
		e.Figures[f.name] = told
	}
	return e
}

// inOneCell is a text as a cell of a table takes it: its first line, without bars.
func inOneCell(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return strings.ReplaceAll(first, "|", "/")
}

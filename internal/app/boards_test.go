package app

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/promtest"
)

// board is what this test reads of a board of Grafana.
type board struct {
	Panels []struct {
		Title   string
		Targets []struct{ Expr string }
	}
	Templating struct {
		List []struct{ Definition string }
	}
}

// mustReadBoards reads the boards of deploy/grafana, by their names.
func mustReadBoards(t *testing.T) map[string]board {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(moduleRoot, "deploy", "grafana", "*.json"))
	if err != nil || len(paths) < 7 {
		t.Fatalf("found %d boards, %v", len(paths), err)
	}
	boards := map[string]board{}
	for _, path := range paths {
		var b board
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, &b)
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		boards[filepath.Base(path)] = b
	}
	return boards
}

// asked are the metrics that expressions asked for, by name.
type asked struct {
	e      *promtest.Evaluator
	served map[string]metricFamily
	named  map[string]bool
}

// note checks that what an expression asks for is served, and notes it.
func (a *asked) note(t *testing.T, where, expression string, recorded ...string) {
	t.Helper()
	parsed, err := a.e.Parse(expression)
	if err != nil {
		t.Errorf("%s: %s: %v", where, expression, err)
		return
	}
	labels := map[string]bool{"job": true, "namespace": true, "instance": true, "le": true}
	for _, s := range parsed.Selectors {
		if slices.Contains(recorded, s.Metric) || s.Metric == "up" {
			continue
		}
		name := s.Metric
		if _, ok := a.served[name]; !ok {
			name = regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		}
		f, ok := a.served[name]
		if !ok {
			t.Errorf("%s asks for %s, which no server serves", where, s.Metric)
			continue
		}
		a.named[name] = true
		for _, label := range f.labels {
			labels[label] = true
		}
		for label := range s.Labels {
			if !labels[label] {
				t.Errorf("%s asks for the label %s of %s, which has %v", where, label, s.Metric, f.labels)
			}
		}
	}
	for _, label := range parsed.Grouping {
		if !labels[label] {
			t.Errorf("%s groups by %s, a label that nothing in %s has", where, label, expression)
		}
	}
}

// wantShown checks that each metric is on a board, that the boards show nothing else, and that each
// panel shows something of what these servers served.
func wantShown(t *testing.T, texts []string, served map[string]metricFamily) {
	e := promtest.Start(t)
	at := time.Now()
	for _, before := range []time.Duration{time.Minute, 0} {
		for i, text := range texts {
			e.Scrape(at.Add(-before), map[string]string{"job": "signet", "instance": string(rune('a' + i))}, text)
		}
	}
	a := asked{e, served, map[string]bool{}}
	chosen := strings.NewReplacer("$job", "signet", "$namespace", ".*", "$instance", ".*", "$__rate_interval", "5m")
	series := regexp.MustCompile(`^label_values\((.*), [a-z]+\)$`)
	for name, b := range mustReadBoards(t) {
		for _, v := range b.Templating.List {
			if m := series.FindStringSubmatch(chosen.Replace(v.Definition)); m != nil {
				a.note(t, name, m[1])
			}
		}
		for _, p := range b.Panels {
			for _, target := range p.Targets {
				where, expression := name+": "+p.Title, chosen.Replace(target.Expr)
				a.note(t, where, expression)
				// A limit of 2^62 is none.
				values, err := e.Query(at, expression)
				if err != nil || len(values) == 0 && !strings.HasSuffix(expression, "2^62") {
					t.Errorf("%s shows nothing: %s: %v", where, expression, err)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(served)) {
		if !a.named[name] {
			t.Errorf("no board shows %s (%s): give it a panel in deploy/grafana/boards", name, served[name].text)
		}
	}
}

// wantAsked checks that the rules ask for what servers serve, or other rules record.
func wantAsked(t *testing.T, served map[string]metricFamily) {
	a := asked{promtest.Start(t), served, map[string]bool{}}
	var recorded []string
	for _, path := range []string{recordsFile, alertsFile} {
		for _, group := range mustReadRules(t, path).Groups {
			for _, rule := range group.Rules {
				a.note(t, rule.Alert+rule.Record, rule.Expr, recorded...)
				if rule.Record != "" {
					recorded = append(recorded, rule.Record)
				}
			}
		}
	}
	if len(a.named) < 15 {
		t.Errorf("the rules ask for %d metrics only", len(a.named))
	}
}

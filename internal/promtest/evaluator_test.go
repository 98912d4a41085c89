package promtest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); os.Exit(m.Run()) }

// mustWrite writes a file of a test and returns its path.
func mustWrite(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const twoRules = `groups:
  - name: first
    rules:
      - alert: Many
        expr: doubled > 2
        for: 1m
        annotations: {summary: '{{ $labels.instance }} has {{ $value }}.'}
  - name: second
    rules:
      - record: doubled
        expr: apples * 2
`

// An alert is pending before it fires, asks for what another group records, and ends when its series
// does, or its target.
func TestAlertsFireInTheirTime(t *testing.T) {
	e := Start(t, mustWrite(t, "rules.yaml", twoRules))
	target := map[string]string{"job": "orchard", "instance": "tree"}
	at := time.Unix(1_700_000_000, 0)
	pass := func(text string, want ...bool) {
		t.Helper()
		at = at.Add(30 * time.Second)
		if text == "" {
			e.ScrapeNothing(at, target)
		} else {
			e.Scrape(at, target, text)
		}
		var got []bool
		for _, alert := range e.Evaluate(at) {
			if got = append(got, alert.Firing); alert.Name != "Many" || alert.Annotations["summary"] != "tree has 4." {
				t.Errorf("the alert is %+v", alert)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("after %q the alerts that fire are %v, want %v", text, got, want)
		}
	}
	pass("apples 1\n")
	pass("apples 2\n", false)
	pass("apples 2\n", false)
	pass("apples 2\n", true)
	pass("pears 2\n")
	pass("apples 2\n", false)
	pass("")
	for expression, want := range map[string][]float64{
		"up": {0}, "apples": nil, "apples offset 30s": {2}, "0/(up == 0)": {0},
	} {
		if got, err := e.Query(at, expression); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %v, %v, want %v", expression, got, err, want)
		}
	}
}

func TestExpressionsAreTakenApart(t *testing.T) {
	e := Start(t)
	parsed, err := e.Parse(`sum by (kind) (rate(a{x="1", y=~"2"}[5m])) unless ignoring (z) b`)
	if err != nil {
		t.Fatal(err)
	}
	if s := parsed.Selectors; len(s) != 2 || s[0].Metric != "a" || s[0].Labels["x"] != "1" || s[1].Metric != "b" {
		t.Errorf("the selectors are %+v", s)
	} else if _, ok := s[0].Labels["y"]; !ok || s[0].Labels["y"] != "" {
		t.Errorf("the labels are %q", s[0].Labels)
	}
	if g := parsed.Grouping; !slices.Equal(slices.Sorted(slices.Values(g)), []string{"kind", "z"}) {
		t.Errorf("it groups by %q", g)
	}
}

// What Prometheus or Grafana would refuse, or ignore, is an error.
func TestMistakesAreErrors(t *testing.T) {
	e := Start(t)
	if _, err := e.Parse(`sum by (`); err == nil {
		t.Error("half an expression is taken")
	}
	if _, err := e.Query(time.Now(), `rate(up)`); err == nil {
		t.Error("the rate of no range is taken")
	}
	for name, read := range map[string]func(string) error{
		"groups: [{name: x, rules: [{alert: A, expr: up, four: 5m}]}]": e.ReadRules,
		"groups: [{name: x, rules: [{alert: A, expr: 'up =='}]}]":      e.ReadRules,
		"scrape_configs: [{job: x}]":                                   e.ReadConfig,
		`{"title": "x", "panles": []}`:                                 e.ReadBoard,
	} {
		if err := read(mustWrite(t, "mistaken", name)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

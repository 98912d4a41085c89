package bench

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"signet/internal/load"
)

// soakPart names the part of a page about a store, and the files of its soak.
func soakPart(store string) string { return "soak-" + strings.ToLower(store) }

// soakReport is what the file of a store's soak has, in docs/performance and in bin/bench.
type soakReport struct {
	About   about   `json:"about"`
	Minutes float64 `json:"minutes"`         // that were looked at
	Settled float64 `json:"settled_minutes"` // before them
	TTL     int     `json:"ttl_minutes"`
	Soaked  *soaked `json:"soaked"`
}

// soaked is what came of one store.
type soaked struct {
	Store      string        `json:"store"`
	Greatest   float64       `json:"greatest_per_second"` // operations
	Rate       float64       `json:"rate_per_second"`
	Operations int64         `json:"operations"`
	Failed     int64         `json:"failed"`
	Unstarted  int64         `json:"unstarted"` // that came too late: the rate was not kept
	Verdict    verdict       `json:"verdict"`
	Lines      []trend       `json:"figures"`
	Samples    []load.Sample `json:"samples"`
}

// verdict says what became of a figure, or of all.
type verdict string

const (
	flat    verdict = "flat"
	rising  verdict = "rising"
	falling verdict = "falling"
	untold  verdict = "not told"
	failed  verdict = "failed" // some operations, or the rate
)

// trend is the straight line through the samples of a figure, which least squares give.
type trend struct {
	Figure  string  `json:"figure"`
	Samples int     `json:"samples"`
	Mean    float64 `json:"mean"`
	First   float64 `json:"first"`          // of the line, at the first sample
	Last    float64 `json:"last"`           // at the last
	Change  float64 `json:"change_percent"` // from the one to the other, of the mean
	Error   float64 `json:"error_percent"`  // the standard error of the change
	Bound   float64 `json:"bound_percent"`
	Verdict verdict `json:"verdict"`
}

// The bounds of a change, in per cent of the mean. Few operations of a minute decide its 99th percentile.
const (
	bound     = 10
	slowBound = 25
)

// soakFigure is one that is not to grow.
type soakFigure struct {
	name  string
	bound float64
	of    func(load.Sample) float64
}

var soakFigures = []soakFigure{
	{"server memory, MiB", bound, func(s load.Sample) float64 { return memoryOf(s.Server) }},
	{"database memory, MiB", bound, func(s load.Sample) float64 { return memoryOf(s.Database) }},
	{"disk, MB", bound, func(s load.Sample) float64 { return s.Gauges[gaugeDisk] / 1e6 }},
	{"events in queues", bound, func(s load.Sample) float64 { return s.Gauges[gaugeQueued] }},
	{"server CPU of an operation, µs", bound, func(s load.Sample) float64 { return cpu(s.Server) }},
	{"database CPU of an operation, µs", bound, func(s load.Sample) float64 { return cpu(s.Database) }},
	{"p50, ms", bound, func(s load.Sample) float64 { return s.Latency.P50 }},
	{"p99, ms", slowBound, func(s load.Sample) float64 { return s.Latency.P99 }},
}

func memoryOf(u *load.Usage) float64 {
	if u == nil {
		return 0
	}
	return float64(u.Memory) / (1 << 20)
}

// newSoaked judges a run. The database's figures are there only where there is a database.
func newSoaked(store string, greatest, r *load.Result) soaked {
	s := soaked{Store: store, Greatest: greatest.OperationsPerSecond, Rate: math.Round(r.Rate*10) / 10,
		Operations: r.Operations, Failed: r.Failed(), Unstarted: r.Unstarted, Verdict: flat, Samples: r.Samples}
	for _, f := range soakFigures {
		if strings.HasPrefix(f.name, "database") && r.Database == nil {
			continue
		}
		line := newTrend(f, r.Samples)
		if line.Verdict == rising || line.Verdict == untold && s.Verdict == flat {
			s.Verdict = line.Verdict
		}
		s.Lines = append(s.Lines, line)
	}
	// A hundredth that came too late says that the server, or the machine, was not able to do it.
	if s.Failed > 0 || s.Unstarted > s.Operations/100 {
		s.Verdict = failed
	}
	return s
}

// newTrend fits a line through a figure of samples, and judges it.
func newTrend(f soakFigure, samples []load.Sample) trend {
	line := trend{Figure: f.name, Samples: len(samples), Bound: f.bound, Verdict: untold}
	n := float64(len(samples))
	if n < 3 {
		return line
	}
	var x, y float64
	for _, s := range samples {
		x, y = x+s.Seconds/n, y+f.of(s)/n
	}
	var xx, xy float64
	for _, s := range samples {
		xx, xy = xx+(s.Seconds-x)*(s.Seconds-x), xy+(s.Seconds-x)*(f.of(s)-y)
	}
	slope := xy / xx
	var rest float64 // sum of the squared distances from the line
	for _, s := range samples {
		d := f.of(s) - (y + slope*(s.Seconds-x))
		rest += d * d
	}
	first, last := samples[0].Seconds, samples[len(samples)-1].Seconds
	line.Mean, line.First, line.Last = y, y+slope*(first-x), y+slope*(last-x)
	if y == 0 { // none is below 0: all are 0
		line.Verdict = flat
		return line
	}
	line.Change = 100 * slope * (last - first) / y
	line.Error = 100 * math.Sqrt(rest/(n-2)/xx) * (last - first) / y
	line.Verdict = verdictOn(line.Change, line.Error, f.bound)
	for _, figure := range []*float64{&line.Mean, &line.First, &line.Last, &line.Change, &line.Error} {
		*figure = math.Round(*figure*100) / 100
	}
	return line
}

// verdictOn tells what a change is, which is known up to twice its standard error.
func verdictOn(change, deviation, bound float64) verdict {
	switch least, most := change-2*deviation, change+2*deviation; {
	case least >= -bound && most <= bound:
		return flat
	case least > bound:
		return rising
	case most < -bound:
		return falling
	}
	return untold
}

// text is what a page has of a soak.
func (r soakReport) text() string {
	s := r.Soaked
	if s == nil {
		return notMeasured + "\n"
	}
	about := r.About.describe(fmt.Sprintf("%s minutes, after %s that are not looked at; a message lives for %d.",
		written(r.Minutes), written(r.Settled), r.TTL))
	said := wrapped(fmt.Sprintf("**%s: %s.** %s operations a second at the most; %s at %s a second, of which %d failed "+
		"and %d came too late.", s.Store, s.Verdict, written(s.Greatest), grouped(float64(s.Operations)), written(s.Rate),
		s.Failed, s.Unstarted))
	var rows [][]string
	for _, l := range s.Lines {
		rows = append(rows, []string{l.Figure, written(l.Mean), written(l.First), written(l.Last),
			fmt.Sprintf("%+.1f ± %.1f %%", l.Change, 2*l.Error), fmt.Sprintf("%g %%", l.Bound), string(l.Verdict)})
	}
	head := []string{"figure", "mean", "the line begins at", "and ends at", "change", "bound", ""}
	return about + "\n" + said + "\n" + table(head, rows)
}

// TestSoakIsOnThePage: the page has the tables of the figures that are kept.
func TestSoakIsOnThePage(t *testing.T) {
	parts := map[string]string{}
	for _, store := range []string{embedded, postgreSQL} {
		var r soakReport
		mustReadReport(t, soakPart(store)+".json", &r)
		r.About.wantKept(t, soakPart(store))
		parts[soakPart(store)] = r.text()
	}
	wantParts(t, growthPage, parts)
}

// minutes makes samples of an hour.
func minutes(of func(minute int) float64) (samples []load.Sample) {
	for minute := 1; minute <= 60; minute++ {
		samples = append(samples, load.Sample{Seconds: 60 * float64(minute), Gauges: load.Counts{gaugeQueued: of(minute)}})
	}
	return samples
}

func TestFigureIsFlatOnlyIfItsLineIsKnownToBe(t *testing.T) {
	noise := func(minute int) float64 { return float64(minute*minute*7919%101)/50 - 1 } // -1 to 1
	queued := soakFigure{"queued", bound, func(s load.Sample) float64 { return s.Gauges[gaugeQueued] }}
	for _, test := range []struct {
		what   string
		of     func(minute int) float64
		want   verdict
		change float64
	}{
		{"always the same", func(int) float64 { return 1000 }, flat, 0},
		{"nothing", func(int) float64 { return 0 }, flat, 0},
		{"some noise", func(m int) float64 { return 1000 + 100*noise(m) }, flat, 0},
		{"a little more", func(m int) float64 { return 1000 + float64(m) }, flat, 5.7},
		{"a leak", func(m int) float64 { return 1000 + 10*float64(m) }, rising, 45.2},
		{"a leak beneath noise", func(m int) float64 { return 1000 + 10*float64(m) + 100*noise(m) }, rising, 45},
		{"less and less", func(m int) float64 { return 1000 - 10*float64(m) }, falling, -84.9},
		{"all noise", func(m int) float64 { return 1000 + 900*noise(m) }, untold, 0},
	} {
		got := newTrend(queued, minutes(test.of))
		if got.Verdict != test.want || test.change != 0 && math.Abs(got.Change-test.change) > 3 {
			t.Errorf("%s: %+v, want %s, changed by %v %%", test.what, got, test.want, test.change)
		}
	}
	if got := newTrend(queued, minutes(noise)[:2]); got.Verdict != untold {
		t.Errorf("two samples say %s", got.Verdict)
	}
}

func TestSoakIsFlatIfAllIs(t *testing.T) {
	greatest := &load.Result{OperationsPerSecond: 2000}
	level := minutes(func(int) float64 { return 50 })
	rises := minutes(func(m int) float64 { return float64(m) })
	for _, test := range []struct {
		result load.Result
		want   verdict
	}{
		{load.Result{Operations: 1000, Samples: level}, flat},
		{load.Result{Operations: 1000, Unstarted: 10, Samples: level}, flat},
		{load.Result{Operations: 1000, Unstarted: 11, Samples: level}, failed},
		{load.Result{Operations: 1000, Errors: map[string]int64{"500": 1}, Samples: level}, failed},
		{load.Result{Operations: 1000, Samples: rises}, rising},
		{load.Result{Operations: 1000, Samples: level[:2]}, untold},
	} {
		if got := newSoaked(embedded, greatest, &test.result); got.Verdict != test.want || len(got.Lines) != 6 {
			t.Errorf("%d samples, %d late: %s of %d figures, want %s", len(test.result.Samples), test.result.Unstarted,
				got.Verdict, len(got.Lines), test.want)
		}
	}
	s := newSoaked(embedded, greatest, &load.Result{Operations: 3_600_000, Rate: 1000, Samples: rises})
	r := soakReport{Minutes: 60, Settled: 11, TTL: 5, Soaked: &s}
	for _, want := range []string{"**embedded: rising.** 2,000 operations a second at the most; 3,600,000 at 1,000",
		"| events in queues | 30.5 | 1 | 60 | +193.4 ± 0.0 % | 10 % | rising |"} {
		if !strings.Contains(r.text(), want) {
			t.Errorf("the page lacks %q:\n%s", want, r.text())
		}
	}
	if (soakReport{}).text() != notMeasured+"\n" {
		t.Errorf("of nothing the page has %q", soakReport{}.text())
	}
}

package bench

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"signet/internal/load"
)

// figures are the results of all repeats.
type figures struct {
	results   map[key][]*load.Result
	baselines map[*load.Result][]*load.Result // what pgbench did right before and right after a send
}

// key names one line of a table.
type key struct {
	engine      string // "" for the floor
	scenario    string
	members     int
	connections int
	stored      int // messages in the store before
	payload     int // bytes of a file; 0: the scenario has none
	rate        float64
}

// keyOf names the line of a plan's results.
func keyOf(engine string, p *load.Plan) key {
	k := key{engine: engine, scenario: p.Scenario, members: membersOf(p), connections: p.Connections, rate: p.Rate}
	if p.Scenario == load.Attachments || p.Scenario == load.FileFloor {
		k.payload = p.Payload
	}
	return k
}

// take adds a result, and what pgbench did beside it. One in which operations failed is
// none, and the run has failed with it; but what else an hour of measuring finds is kept.
func (f *figures) take(t *testing.T, k key, r *load.Result, err error, baselines ...*load.Result) {
	t.Helper()
	switch {
	case err != nil:
		t.Errorf("%+v: %v", k, err)
	case r.Operations == 0 || r.Failed() > 0:
		t.Errorf("%+v: of %+v: %s", k, r, r.FirstError)
	default:
		t.Logf("%-10s %-11s %4d members %3d connections: %8.1f ops/s, p50 %7.2f ms, p99 %7.2f ms, server %6.1f µs, "+
			"database %6.1f µs",
			cmp.Or(k.engine, "-"), r.Scenario, r.Members, r.Connections, r.OperationsPerSecond, r.Latency.P50, r.Latency.P99,
			server(r), database(r))
		f.add(k, r, baselines...)
		if r.Floor != nil {
			t.Logf("%-10s %.2f times the floor's CPU, %.2f of its ops/s: %.1f before and after", "", timesFloor(r), ofFloor(r),
				each(r.Floor.Runs, throughput))
		}
		if len(baselines) > 0 {
			t.Logf("%-10s %.2f of pgbench's transactions/s: %.1f before and after", "", f.ofBaseline(r),
				each(baselines, throughput))
		}
	}
}

// add keeps a result. The runs of the floor and of pgbench beside it belong to the lines
// of these too.
func (f *figures) add(k key, r *load.Result, baselines ...*load.Result) {
	if f.results == nil {
		f.results, f.baselines = make(map[key][]*load.Result), make(map[*load.Result][]*load.Result)
	}
	f.put(k, r)
	if r.Floor != nil {
		for _, run := range r.Floor.Runs {
			f.put(key{}, run)
		}
	}
	for _, run := range baselines {
		f.put(k, run)
	}
	f.baselines[r] = baselines
}

func (f *figures) put(k key, r *load.Result) {
	k.scenario, k.members, k.connections, k.rate = r.Scenario, r.Members, r.Connections, r.Rate
	if r.Scenario == load.Attachments || r.Scenario == load.FileFloor {
		k.payload = r.Payload
	}
	f.results[k] = append(f.results[k], r)
}

// spread is the median of several measurements, with the least and the most.
type spread struct{ median, least, most float64 }

// of returns the spread of one figure of a line, without what is no number; ok is false
// where it was never measured.
func (f *figures) of(k key, figure func(*load.Result) float64) (s spread, ok bool) {
	return spreadOf(slices.DeleteFunc(each(f.results[k], figure), math.IsNaN))
}

// each returns a figure of each of some results.
func each(results []*load.Result, figure func(*load.Result) float64) (all []float64) {
	for _, r := range results {
		all = append(all, figure(r))
	}
	return all
}

func spreadOf(all []float64) (s spread, ok bool) {
	if len(all) == 0 {
		return s, false
	}
	all = slices.Sorted(slices.Values(all))
	middle := len(all) / 2
	s = spread{all[middle], all[0], all[len(all)-1]}
	if len(all)%2 == 0 {
		s.median = (all[middle-1] + all[middle]) / 2
	}
	return s, true
}

// The figures of a result that tables and plots show.
func throughput(r *load.Result) float64 { return r.OperationsPerSecond }
func copies(r *load.Result) float64     { return r.CopiesPerSecond }
func median(r *load.Result) float64     { return r.Latency.P50 }
func slow(r *load.Result) float64       { return r.Latency.P99 }
func server(r *load.Result) float64     { return cpu(r.Server) }
func database(r *load.Result) float64   { return cpu(r.Database) }
func both(r *load.Result) float64       { return server(r) + database(r) }

func cpu(u *load.Usage) float64 {
	if u == nil {
		return 0
	}
	return u.CPUMicros
}

func perCopy(r *load.Result) float64 {
	if r.Copies == 0 {
		return 0
	}
	return both(r) / float64(r.Copies)
}

// The ratios of a result, each to the mean of the measurements right before and right
// after it, because the machine's speed may change by the next repeat. Without such
// measurements they are no number.

// timesFloor is how many times the floor's CPU server and database took.
func timesFloor(r *load.Result) float64 {
	if r.Floor == nil || r.Floor.CPUMicros == 0 {
		return math.NaN()
	}
	return both(r) / r.Floor.CPUMicros
}

// ofFloor is the part of the floor's operations a second.
func ofFloor(r *load.Result) float64 {
	if r.Floor == nil {
		return math.NaN()
	}
	return throughput(r) / r.Floor.OperationsPerSecond
}

// ofBaseline is the part of pgbench's transactions a second.
func (f *figures) ofBaseline(r *load.Result) float64 {
	total := 0.0
	for _, run := range f.baselines[r] {
		total += throughput(run)
	}
	if total == 0 {
		return math.NaN()
	}
	return throughput(r) * float64(len(f.baselines[r])) / total
}

package bench

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"signet/internal/load"
)

// scaled is what a run of TestScale has measured so far.
type scaled struct {
	size    scale
	machine machine
	how     string // servers were held
	begin   time.Time
	took    time.Duration
	results []scaleResult
	sizes   map[int]sizes // of the database, by the messages in it
}

// scaleKey names what was measured: of several servers that are held, or of one with so many messages.
type scaleKey struct {
	nodes, stored int
	scenario      string
}

type scaleResult struct {
	scaleKey
	round int
	*load.Result
}

func (m *scaled) take(t *testing.T, k scaleKey, round int, r *load.Result) {
	t.Helper()
	t.Logf("%d nodes, %8d stored, %-7s %8.1f ops/s, p50 %7.2f ms, p99 %7.2f ms, server %6.1f µs, database %6.1f µs",
		k.nodes, k.stored, k.scenario, r.OperationsPerSecond, r.Latency.P50, r.Latency.P99, server(r), database(r))
	m.results = append(m.results, scaleResult{k, round, r})
}

// of are the results of a line, in the order of the rounds.
func (m *scaled) of(k scaleKey) (all []*load.Result) {
	for _, r := range m.results {
		if r.scaleKey == k {
			all = append(all, r.Result)
		}
	}
	return all
}

// scaleReport is what docs/performance/scale.json has, and bin/bench/scale.json.
type scaleReport struct {
	About  about       `json:"about"`
	Cores  float64     `json:"cores_of_each_node"`
	How    string      `json:"held_by"`
	Nodes  []scaleLine `json:"nodes"`
	Stored []scaleLine `json:"stored"`
	// by the symbols of the model in docs/operate/sizing.md, in its units
	Model map[string]float64 `json:"model"`
}

// about says where and when figures were taken.
type about struct {
	Machine string  `json:"machine"`
	Cores   int     `json:"cores"`
	Commit  string  `json:"commit"`
	Date    string  `json:"date"`
	Minutes float64 `json:"minutes"`
	Quick   bool    `json:"quick,omitempty"` // it only shows that the bench works, and is not to be kept
}

// ends are a median, and the least and the most that it is of.
type ends struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

// scaleLine is one line of a table.
type scaleLine struct {
	Nodes       int         `json:"nodes"`
	Stored      int         `json:"stored_messages,omitempty"`
	Scenario    string      `json:"scenario"`
	Connections int         `json:"connections"`
	Runs        int         `json:"runs"`
	PerSecond   ends        `json:"operations_per_second"`
	OfFloor     ends        `json:"of_the_floor,omitzero"` // its operations a second, to those of the floor beside it
	Times       ends        `json:"times_the_first"`       // its rate, to that of the first line of its round
	P50         ends        `json:"p50_ms"`
	P99         ends        `json:"p99_ms"`
	ServerCPU   ends        `json:"server_cpu_us"` // of an operation
	DatabaseCPU ends        `json:"database_cpu_us"`
	ServerCores ends        `json:"server_cores"` // of all servers
	AllCores    ends        `json:"all_cores"`    // of servers, database and generator
	Counts      load.Counts `json:"counts"`       // of an operation, medians
	Bytes       int64       `json:"database_bytes,omitempty"`
}

// line puts the results of a line together. The first is the line that it is compared with.
func (m *scaled) line(k, first scaleKey) scaleLine {
	results, firsts := m.of(k), m.of(first)
	of := func(figure func(*load.Result) float64) ends { return endsOf(each(results, figure)) }
	var times []float64
	for i, r := range results {
		if base := rate(firsts[i]); base > 0 {
			times = append(times, rate(r)/base)
		}
	}
	line := scaleLine{
		Nodes: k.nodes, Stored: k.stored, Scenario: k.scenario, Connections: results[0].Connections, Runs: len(results),
		PerSecond: of(throughput), Times: endsOf(times), P50: of(median), P99: of(slow), ServerCPU: of(server),
		DatabaseCPU: of(database),
		ServerCores: of(func(r *load.Result) float64 { return coresOf(r.Server) }),
		AllCores: of(func(r *load.Result) float64 {
			return coresOf(r.Server) + coresOf(r.Database) + coresOf(r.Generator)
		}),
		Counts: countsOf(results), Bytes: m.sizes[k.stored].all,
	}
	if results[0].Floor != nil {
		line.OfFloor = of(ofFloor)
	}
	return line
}

// rate is what lines are compared by: operations a second, as a part of the floor's where that was measured beside
// them.
func rate(r *load.Result) float64 {
	if r.Floor != nil {
		return ofFloor(r)
	}
	return throughput(r)
}

func coresOf(u *load.Usage) float64 {
	if u == nil {
		return 0
	}
	return u.Cores
}

// countsOf returns the median of each count.
func countsOf(results []*load.Result) load.Counts {
	all := map[string][]float64{}
	for _, r := range results {
		for name, x := range r.Counts {
			all[name] = append(all[name], x)
		}
	}
	medians := load.Counts{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		medians[name] = endsOf(all[name]).Median
	}
	return medians
}

func endsOf(all []float64) ends {
	s, _ := spreadOf(all)
	cut := func(x float64) float64 { return math.Round(x*1000) / 1000 }
	return ends{cut(s.median), cut(s.least), cut(s.most)}
}

// report puts everything together.
func (m *scaled) report() scaleReport {
	r := scaleReport{About: m.machine.about(m.begin, m.took), Cores: m.size.cores, How: m.how, Model: m.model()}
	r.About.Quick = m.size.quick
	for _, scenario := range nodeScenarios {
		for _, n := range m.size.nodes {
			r.Nodes = append(r.Nodes, m.line(scaleKey{nodes: n, scenario: scenario},
				scaleKey{nodes: m.size.nodes[0], scenario: scenario}))
		}
	}
	for _, scenario := range storedScenarios {
		for _, stored := range m.size.stored {
			r.Stored = append(r.Stored, m.line(scaleKey{nodes: 1, stored: stored, scenario: scenario},
				scaleKey{nodes: 1, stored: m.size.stored[0], scenario: scenario}))
		}
	}
	return r
}

func (m machine) about(begin time.Time, took time.Duration) about {
	return about{Machine: m.String(), Cores: m.cores, Commit: m.commit, Date: begin.UTC().Format(time.DateOnly),
		Minutes: math.Round(took.Minutes()*10) / 10}
}

// model are the inputs of the model of docs/operate/sizing.md that were measured here, with the most
// messages in the store, but for their sizes. What was too short to be counted is left out.
func (m *scaled) model() map[string]float64 {
	stored := m.size.stored[len(m.size.stored)-1]
	first := m.size.stored[0] // later ones lie in tables that have room left of what was measured before
	of := func(scenario string, figure func(*load.Result) float64) float64 {
		return endsOf(each(m.of(scaleKey{nodes: 1, stored: stored, scenario: scenario}), figure)).Median
	}
	model := map[string]float64{
		"Ns": of(load.Send, server), "Nc": of(load.Acknowledge, server) - of(load.Send, server),
		"Ds": of(load.Send, database), "Dc": of(load.Acknowledge, database) - of(load.Send, database),
		// A message to one person: with the write that its acknowledgement is.
		"W":  of(load.Acknowledge, func(r *load.Result) float64 { return r.Counts[countBytes] }),
		"Bm": float64(m.sizes[first].messages) / float64(first),
		"Bc": float64(m.sizes[first].copies) / float64(first),
	}
	for _, r := range m.of(scaleKey{nodes: 1, scenario: load.Streams}) {
		if r.Idle != nil && r.Idle.Open > 0 {
			open := float64(r.Idle.Open)
			model["Nt"], model["Dt"] = coresOf(r.Server)*1e6/open, coresOf(r.Database)*1e6/open
			model["M"] = float64(r.Idle.MemoryPerStream)
		}
	}
	maps.DeleteFunc(model, func(_ string, x float64) bool { return !(x > 0) })
	for symbol, x := range model {
		model[symbol] = rounded(x)
	}
	return model
}

// The files of a run, and where the figures that pages show are kept.
const (
	scaleFile = "scale.json"
	scalePage = "scale.md"
	keptIn    = "../docs/performance"
)

func (m *scaled) mustWrite(t *testing.T, directory string) {
	t.Helper()
	r := m.report()
	mustWriteReport(t, directory, scaleFile, r)
	mustWriteText(t, filepath.Join(directory, scalePage), r.nodeText()+"\n"+r.storedText())
	t.Logf("wrote %s in %v", filepath.Join(directory, scalePage), m.took.Round(time.Second))
}

// mustWriteReport writes what programs read.
func mustWriteReport(t *testing.T, directory, name string, report any) {
	t.Helper()
	text, err := json.MarshalIndent(report, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	mustWriteText(t, filepath.Join(directory, name), string(text)+"\n")
}

func mustWriteText(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// mustReadReport reads what is kept of a run. A report that has nothing in it is one of a run that nobody made yet.
func mustReadReport(t *testing.T, name string, report any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(keptIn, name))
	if err == nil {
		err = json.Unmarshal(text, report)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

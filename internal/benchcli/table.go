package benchcli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"signet/internal/commandline"
	"signet/internal/load"
)

// column is a column of a report's table. Its text is "" where a result has
// nothing to show there; a column without any text is left out.
type column struct {
	head string
	text func(*load.Result) string
}

// columns returns the columns in their order.
func columns() []column {
	return []column{
		{"scenario", func(r *load.Result) string { return r.Scenario }},
		{"members", func(r *load.Result) string {
			if r.Members < 2 {
				return ""
			}
			return strconv.Itoa(r.Members)
		}},
		{"connections", func(r *load.Result) string { return strconv.Itoa(r.Connections) }},
		{"rate", func(r *load.Result) string { return given(r.Rate) }},
		{"operations", func(r *load.Result) string { return strconv.FormatInt(r.Operations, 10) }},
		{"ops/s", func(r *load.Result) string { return figure(r.OperationsPerSecond) }},
		{"copies/s", func(r *load.Result) string { return given(r.CopiesPerSecond) }},
		{"errors", func(r *load.Result) string { return strconv.FormatInt(r.Failed(), 10) }},
		{"p50 ms", func(r *load.Result) string { return figure(r.Latency.P50) }},
		{"p90", func(r *load.Result) string { return figure(r.Latency.P90) }},
		{"p99", func(r *load.Result) string { return figure(r.Latency.P99) }},
		{"p99.9", func(r *load.Result) string { return figure(r.Latency.P999) }},
		{"max", func(r *load.Result) string { return figure(r.Latency.Max) }},
		{"server µs/op", func(r *load.Result) string { return cpuMicros(r.Server) }},
		{"µs/copy", func(r *load.Result) string {
			if r.Server == nil || r.Copies < 2 {
				return ""
			}
			return given(r.Server.CPUMicros / float64(r.Copies))
		}},
		{"server MiB", func(r *load.Result) string { return mebibytes(r.Server) }},
		{"database µs/op", func(r *load.Result) string { return cpuMicros(r.Database) }},
		{"database MiB", func(r *load.Result) string { return mebibytes(r.Database) }},
		{"× floor CPU", func(r *load.Result) string {
			if r.Floor == nil {
				return ""
			}
			return given(r.Floor.CPU)
		}},
		{"× floor ops/s", func(r *load.Result) string {
			if r.Floor == nil || r.Rate > 0 {
				return ""
			}
			return figure(r.Floor.Throughput)
		}},
	}
}

// table returns the lines of the table, whose cells are parted by tabs.
func (r *report) table() []string {
	lines := make([][]string, len(r.results)+1)
	for _, column := range columns() {
		cells := []string{column.head}
		for _, result := range r.results {
			cells = append(cells, column.text(result))
		}
		if strings.Join(cells[1:], "") == "" {
			continue
		}
		for i, cell := range cells {
			lines[i] = append(lines[i], cell)
		}
	}
	joined := make([]string, len(lines))
	for i, line := range lines {
		joined[i] = strings.Join(line, "\t")
	}
	return joined
}

// notes tell what fits into no column.
func (r *report) notes() (notes []string) {
	for _, result := range r.results {
		name := fmt.Sprintf("%s, %s", result.Scenario, count(result.Connections, "connection", "connections"))
		if s := result.Idle; s != nil {
			note := fmt.Sprintf("%s open, %d lost", count(s.Open, "stream", "streams"), s.Lost)
			if result.Server != nil && s.MemoryBefore > 0 {
				note += fmt.Sprintf("; server: %d MiB without them, %.1f KiB for each, %.3f cores while nothing happened",
					s.MemoryBefore>>20, float64(s.MemoryPerStream)/1024, result.Server.Cores)
			}
			notes = append(notes, note)
		}
		if result.Unstarted > 0 {
			notes = append(notes, fmt.Sprintf("%s: the rate was not kept; %d did not begin in time, and count with the time "+
				"that they waited", name, result.Unstarted))
		}
		if len(result.Errors) > 0 {
			var kinds []string
			for _, kind := range slices.Sorted(maps.Keys(result.Errors)) {
				kinds = append(kinds, fmt.Sprintf("%d × %s", result.Errors[kind], kind))
			}
			notes = append(notes, fmt.Sprintf("%s: failed: %s; the first: %s", name, strings.Join(kinds, ", "),
				commandline.Plain(result.FirstError)))
		}
		if result.Errors["429"] > 0 {
			notes = append(notes, "The server limits how much a key may send and call. An operator's key, or "+
				"--limits.messages-per-day 0 and --limits.requests-per-second 0 at the server, lets the run have people without "+
				"limits.")
		}
		if result.Interrupted {
			notes = append(notes, name+": interrupted; the figures are of what was measured until then")
		}
	}
	return notes
}

// given is a figure, or nothing where there is none.
func given(x float64) string {
	if x == 0 {
		return ""
	}
	return figure(x)
}

// figure writes a number with as many digits as tell something.
func figure(x float64) string {
	switch {
	case x >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	default:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
}

func cpuMicros(u *load.Usage) string {
	if u == nil {
		return ""
	}
	return given(u.CPUMicros)
}

func mebibytes(u *load.Usage) string {
	if u == nil {
		return ""
	}
	return figure(float64(u.Memory) / (1 << 20))
}

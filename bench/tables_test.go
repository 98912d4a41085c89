package bench

import (
	"fmt"
	"slices"
	"strconv"

	"signet/internal/load"
)

// label is what a page calls the scenario of a line.
func label(k key) string {
	switch k.scenario {
	case load.Floor:
		return "the floor"
	case load.Send:
		return "send, 200 bytes, one to one"
	case load.Acknowledge:
		return "send, poll of one, acknowledgement (three calls)"
	case load.Poll:
		return "poll of 50 queued messages"
	case load.Unread:
		return "unread count"
	case load.Search:
		return "search, two letters of a name"
	case load.Attachments:
		return fmt.Sprintf("send with %s attached, and its download (two calls)", bytesText(k.payload))
	case load.FileFloor:
		return fmt.Sprintf("the floor of files: %s copied up and down", bytesText(k.payload))
	case load.Mixed:
		return "mixed"
	case load.Group:
		return "to a group, members away"
	case load.Deliver:
		return "to streams, until all have it"
	}
	return k.scenario
}

func bytesText(n int) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

// engineTables are the tables of one engine: calls, messages to many, and streams.
func (p *page) engineTables(engine string) string {
	return table(p.callTable(engine)) + "\n" + table(copyHead, p.copies(engine)) + "\n" +
		table(streamHead, p.streams(engine))
}

// callTable has the rows of what has no members. The floor leads the embedded
// store's, which has no database beside it.
func (p *page) callTable(engine string) (head []string, rows [][]string) {
	head = []string{"what", "connections", "ops/s", "p50, ms", "p99, ms", "server CPU, µs", "database CPU, µs",
		"times the floor's CPU", "of the floor's ops/s"}
	const databaseColumn = 6
	add := func(k key) {
		row := p.call(k)
		if engine == embedded {
			row = slices.Delete(row, databaseColumn, databaseColumn+1)
		}
		rows = append(rows, row)
	}
	if engine == embedded {
		head = slices.Delete(head, databaseColumn, databaseColumn+1)
		for _, floor := range p.size.floors() {
			add(keyOf("", &floor))
		}
	}
	for _, plan := range p.size.calls() {
		add(keyOf(engine, &plan))
	}
	return head, rows
}

// membersOf is what a plan's result says of its members.
func membersOf(p *load.Plan) int {
	switch p.Scenario {
	case load.Search, load.Mixed, load.Group, load.Deliver, load.Streams:
		return p.Members
	}
	return 0
}

func (p *page) call(k key) []string {
	return []string{
		label(k), strconv.Itoa(k.connections), p.cell(k, throughput, true), p.cell(k, median, false), p.cell(k, slow, false),
		p.cell(k, server, true), p.cell(k, database, true), p.cell(k, timesFloor, true), p.cell(k, ofFloor, true),
	}
}

var copyHead = []string{"message", "members", "connections", "messages/s", "copies/s", "p50, ms", "p99, ms", "CPU, µs",
	"CPU for each copy, µs"}

// copies are the rows of messages to many, where a copy is what one member gets.
func (p *page) copies(engine string) (rows [][]string) {
	for _, plan := range p.size.set() {
		if plan.Scenario != load.Group && plan.Scenario != load.Deliver {
			continue
		}
		k := keyOf(engine, &plan)
		members := strconv.Itoa(plan.Members)
		if plan.Members == 1 {
			members = "one to one"
		}
		what := label(k)
		if plan.Rate > 0 {
			what += fmt.Sprintf(", %g a second", plan.Rate)
		}
		rows = append(rows, []string{
			what, members, strconv.Itoa(plan.Connections), p.cell(k, throughput, true), p.cell(k, copies, false),
			p.cell(k, median, false), p.cell(k, slow, false), p.cell(k, both, false), p.cell(k, perCopy, false),
		})
	}
	return rows
}

var streamHead = []string{"idle streams", "server memory without them, MiB", "with them, MiB", "each, KiB",
	"server CPU, cores", "opened in a second"}

func (p *page) streams(engine string) [][]string {
	k := key{engine: engine, scenario: load.Streams, members: p.size.streams,
		connections: min(load.DefaultConnections, p.size.most)}
	return [][]string{{
		grouped(float64(p.size.streams)),
		p.cell(k, func(r *load.Result) float64 { return float64(r.Idle.MemoryBefore) / (1 << 20) }, false),
		p.cell(k, idleMemory, false),
		p.cell(k, func(r *load.Result) float64 { return float64(r.Idle.MemoryPerStream) / 1024 }, true),
		p.cell(k, func(r *load.Result) float64 { return r.Server.Cores }, false),
		p.cell(k, throughput, false),
	}}
}

func idleMemory(r *load.Result) float64 { return float64(r.Server.Memory) / (1 << 20) }

var baselineHead = []string{"connections", "transactions/s", "mean, ms", "database CPU, µs", "Signet's sends/s, of it"}

func (p *page) baselines() (rows [][]string) {
	for _, connections := range p.size.connections {
		k := key{engine: postgreSQL, scenario: baseline, connections: connections}
		send := key{engine: postgreSQL, scenario: load.Send, connections: connections}
		rows = append(rows, []string{
			strconv.Itoa(connections), p.cell(k, throughput, true),
			p.cell(k, func(r *load.Result) float64 { return r.Latency.Mean }, false),
			p.cell(k, database, true), p.cell(send, p.figures.ofBaseline, true),
		})
	}
	return rows
}

var growthHead = []string{"store", "messages in it", "send: CPU, µs", "p50, ms", "p99, ms",
	"send, poll, acknowledge: CPU, µs", "poll of 50: CPU, µs", "history page of 50: CPU, µs", "search: CPU, µs",
	"unread count: CPU, µs"}

func (p *page) growth() (rows [][]string) {
	for _, engine := range []string{embedded, postgreSQL} {
		for _, stored := range p.size.storedIn(engine) {
			at := func(scenario string) key { return p.size.grown(engine, scenario, stored) }
			rows = append(rows, []string{
				engine, grouped(float64(stored)), p.cell(at(load.Send), both, true), p.cell(at(load.Send), median, false),
				p.cell(at(load.Send), slow, true),
				p.cell(at(load.Acknowledge), both, true), p.cell(at(load.Poll), both, true), p.cell(at(load.History), both, true),
				p.cell(at(load.Search), both, true), p.cell(at(load.Unread), both, true),
			})
		}
	}
	return rows
}

// cell writes the median of a figure, with its ends where these are wanted and
// there were several runs. What was never measured is empty.
func (p *page) cell(k key, figure func(*load.Result) float64, ends bool) string {
	s, ok := p.figures.of(k, figure)
	if !ok {
		return ""
	}
	if !ends || len(p.figures.results[k]) == 1 {
		return written(s.median)
	}
	return fmt.Sprintf("%s (%s–%s)", written(s.median), written(s.least), written(s.most))
}

// written is a number with as many digits as tell something.
func written(x float64) string {
	digits := 2
	switch {
	case x >= 100:
		digits = 0
	case x >= 10:
		digits = 1
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', digits, 64), 64) // it has just been written
	return grouped(rounded)
}

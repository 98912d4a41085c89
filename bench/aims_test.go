package bench

import (
	"fmt"

	"signet/internal/load"
)

var aimHead = []string{"aim", "measured", ""}

// aims compares what was aimed at with what was measured. The embedded store is meant
// where nothing else is said.
func (p *page) aims() (rows [][]string) {
	j := judge{page: p}
	j.sends()
	j.sendsToDatabase()
	j.groups()
	j.reads()
	j.growth()
	j.process()
	return j.rows
}

// judge writes a row for each aim of which something was measured.
type judge struct {
	*page
	rows [][]string
}

// most adds an aim that is met up to a bound, least one that is met from it on.
func (j *judge) most(aim string, x float64, ok bool, unit string, bound float64) {
	j.add(aim, x, ok, unit, x <= bound)
}

func (j *judge) least(aim string, x float64, ok bool, unit string, bound float64) {
	j.add(aim, x, ok, unit, x >= bound)
}

func (j *judge) add(aim string, x float64, ok bool, unit string, met bool) {
	if !ok {
		return
	}
	verdict := "missed"
	if met {
		verdict = "met"
	}
	j.rows = append(j.rows, []string{aim, written(x) + unit, verdict})
}

// median is the median of a figure of a line.
func (j *judge) median(k key, figure func(*load.Result) float64) (float64, bool) {
	s, ok := j.figures.of(k, figure)
	return s.median, ok
}

// times is how many times the median of a figure of one line is that of another.
func (j *judge) times(figure func(*load.Result) float64, k, of key) (float64, bool) {
	a, ok := j.median(k, figure)
	b, ok2 := j.median(of, figure)
	return a / b, ok && ok2 && b > 0
}

// perSecond is how many operations a CPU-second of server and database is enough for.
func (j *judge) perSecond(k key) (float64, bool) {
	cpu, ok := j.median(k, both)
	return 1e6 / cpu, ok && cpu > 0
}

func at(engine, scenario string, connections int) key {
	return key{engine: engine, scenario: scenario, connections: connections}
}

func (j *judge) sends() {
	k := at(embedded, load.Send, 64)
	x, ok := j.median(k, timesFloor)
	j.most("send at 64 connections: at most 2.7 times the floor's CPU", x, ok, " times", 2.7)
	x, ok = j.median(k, ofFloor)
	j.least("the same: at least 42 % of the floor's operations a second", 100*x, ok, " %", 42)
	x, ok = j.median(k, slow)
	j.most("the same: p99 at most 8 ms", x, ok, " ms", 8)
	x, ok = j.median(at(embedded, load.Send, 1), median)
	j.most("send at 1 connection: p50 at most 0.4 ms", x, ok, " ms", 0.4)
	x, ok = j.median(at(embedded, load.Acknowledge, 64), timesFloor)
	j.most("send, poll of one, acknowledgement (three calls), 64 connections: at most 5.5 times the floor's CPU", x, ok,
		" times", 5.5)
}

func (j *judge) sendsToDatabase() {
	k := at(postgreSQL, load.Send, 64)
	x, ok := j.median(k, throughput)
	j.least("send on PostgreSQL at 64 connections: 5,500 a second", x, ok, " a second", 5500)
	x, ok = j.median(k, timesFloor)
	j.most("the same: at most 4.5 times the floor's CPU, with the database's", x, ok, " times", 4.5)
	x, ok = j.median(k, j.figures.ofBaseline)
	j.least("the same: at least half of pgbench's transactions a second", 100*x, ok, " %", 50)
	x, ok = j.median(at(postgreSQL, load.Acknowledge, 64), timesFloor)
	j.most("send, poll of one, acknowledgement on PostgreSQL, 64 connections: at most 11 times the floor's CPU", x, ok,
		" times", 11)
	x, ok = j.median(key{engine: postgreSQL, scenario: load.Group, members: 100, connections: 16}, perCopy)
	j.most("send to a group of 100 who are away, on PostgreSQL: at most 25 µs a copy", x, ok, " µs", 25)
}

func (j *judge) groups() {
	group := func(members int) key {
		return key{engine: embedded, scenario: load.Group, members: members, connections: 16}
	}
	x, ok := j.perSecond(group(100))
	j.least("send to a group of 100 who are away: 2,500 for each CPU-second", x, ok, "", 2500)
	x, ok = j.median(group(100), perCopy)
	j.most("the same: at most 4 µs a copy", x, ok, " µs", 4)
	x, ok = j.times(perCopy, group(1000), group(100))
	j.most("a group of 1,000: a member is as cheap (up to a tenth more)", x, ok, " times", 1.1)
	listening := key{engine: embedded, scenario: load.Deliver, members: 100, connections: 4}
	x, ok = j.median(listening, copies)
	j.least("send to a group of 100 on streams: 80,000 copies a second", x, ok, " a second", 80_000)
	x, ok = j.median(listening, perCopy)
	j.most("the same: at most 12 µs a copy", x, ok, " µs", 12)
	paced := key{engine: embedded, scenario: load.Deliver, members: 1, connections: 16, rate: load.DeliverRate}
	x, ok = j.median(paced, median)
	j.most("from a send to the recipient's stream, 100 a second: p50 at most 0.8 ms", x, ok, " ms", 0.8)
	x, ok = j.median(paced, slow)
	j.most("the same: p99 at most 2 ms", x, ok, " ms", 2)
}

func (j *judge) reads() {
	poll := at(embedded, load.Poll, 64)
	x, ok := j.median(poll, throughput)
	j.least("poll of 50 queued messages, 64 connections: 12,000 a second", x, ok, " a second", 12_000)
	x, ok = j.median(poll, timesFloor)
	j.most("the same: at most 3.5 times the floor's CPU", x, ok, " times", 3.5)
	x, ok = j.median(at(embedded, load.History, 64), timesFloor)
	j.most("history page of 50, 64 connections: at most 3.5 times the floor's CPU", x, ok, " times", 3.5)
	x, ok = j.median(at(embedded, load.Unread, 64), timesFloor)
	j.most("unread count: at most 1.25 times the floor's CPU", x, ok, " times", 1.25)
	found := at(embedded, load.Search, load.DefaultConnections)
	found.members = load.DefaultPeople
	x, ok = j.median(found, timesFloor)
	j.most("search, two letters among 1,000 people: at most 6 times the floor's CPU", x, ok, " times", 6)

	files := key{engine: embedded, scenario: load.Attachments, connections: load.DefaultConnections,
		payload: load.DefaultFile}
	x, ok = j.median(files, timesFloor)
	j.most(bytesText(load.DefaultFile)+" attached, up and down: at most 2.5 times a plain copy's CPU", x, ok, " times",
		2.5)
	files.connections, files.payload = 4, j.size.file
	x, ok = j.median(files, ofFloor)
	j.least(fmt.Sprintf("%s attached, up and down: 60 %% of a plain copy over HTTP", bytesText(j.size.file)), 100*x, ok,
		" %", 60)
}

func (j *judge) growth() {
	for _, engine := range []string{embedded, postgreSQL} {
		stored := j.size.storedIn(engine)
		least, most := stored[0], stored[len(stored)-1]
		for _, scenario := range []string{load.Send, load.Poll, load.History, load.Search} {
			x, ok := j.times(both, j.size.grown(engine, scenario, most), j.size.grown(engine, scenario, least))
			j.most(fmt.Sprintf("%s on the store %s: with %s messages at most 1.3 times what it costs with %s", scenario, engine,
				grouped(float64(most)), grouped(float64(least))), x, ok, " times", 1.3)
		}
	}
}

func (j *judge) process() {
	idle := key{engine: embedded, scenario: load.Streams, members: j.size.streams,
		connections: min(load.DefaultConnections, j.size.most)}
	x, ok := j.median(idle, idleMemory)
	streams := grouped(float64(j.size.streams)) + " idle streams"
	j.most(streams+": under 300 MiB in all", x, ok, " MiB", 300)
	x, ok = j.median(idle, func(r *load.Result) float64 { return 100 * r.Server.Cores })
	j.most("the same: no CPU to speak of (1 % of a core)", x, ok, " %", 1)
	idle.engine = postgreSQL
	x, ok = j.median(idle, throughput)
	j.least(streams+" on PostgreSQL: 3,000 opened in a second", x, ok, " a second", 3000)
	x, ok = j.median(idle, func(r *load.Result) float64 { return r.Server.Cores })
	j.most("the same: at most 0.03 of a core while nothing happens", x, ok, " cores", 0.03)
	of := func(all []float64) (float64, bool) {
		s, ok := spreadOf(all)
		return s.median, ok
	}
	messages := grouped(float64(j.size.startsWith))
	x, ok = of(j.costs.stopped)
	j.most("ready after a start with "+messages+" messages: at most 70 ms", x, ok, " ms", 70)
	x, ok = of(j.costs.killed)
	j.most("the same after kill -9 amid sends: at most 150 ms", x, ok, " ms", 150)
	x, ok = of(j.costs.rested)
	j.most(fmt.Sprintf("memory %.0f s after the runs: at most 45 MiB", j.size.rest.Seconds()), x, ok, " MiB", 45)
	x, ok = of(j.costs.disk)
	j.most("disk for a further message of 200 bytes, acknowledged, swept, the log emptied: under 600 bytes", x, ok,
		" bytes", 600)
}

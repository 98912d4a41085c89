package bench

import (
	"fmt"

	"signet/internal/load"
)

var aimHead = []string{"aim, on the embedded store", "measured", ""}

// aims compares what was aimed at (docs/architecture.md, "Speed to design for")
// with what was measured.
func (p *page) aims() (rows [][]string) {
	at := func(scenario string, connections int) key {
		return key{engine: embedded, scenario: scenario, connections: connections}
	}
	floor := key{scenario: load.Floor, connections: 64}
	add := func(aim string, x float64, ok bool, unit string, met bool) {
		if !ok {
			return
		}
		verdict := "missed"
		if met {
			verdict = "met"
		}
		rows = append(rows, []string{aim, written(x) + unit, verdict})
	}
	x, ok := p.times(at(load.Send, 64), server, floor, server)
	add("a send at 64 connections takes at most 3 times the floor's CPU", x, ok, " times", x <= 3)
	x, ok = p.times(at(load.Send, 64), throughput, floor, throughput)
	add("at least 40 % of the floor's operations a second", 100*x, ok, " %", x >= 0.4)
	s, ok := p.figures.of(at(load.Send, 64), throughput)
	add("no fewer than 8,000 sends a second", s.median, ok, " a second", s.median >= 8000)

	three, ok := p.figures.of(at(load.Acknowledge, 64), server)
	one, ok2 := p.figures.of(at(load.Send, 64), server)
	base, ok3 := p.figures.of(floor, server)
	if base.median > 0 {
		x = (three.median - one.median) / base.median
		add("a poll with its acknowledgement, two calls, takes at most 2 times the floor's CPU", x, ok && ok2 && ok3, " times", x <= 2)
	}

	group := func(members int) key {
		return key{engine: embedded, scenario: load.Group, members: members, connections: 16}
	}
	small, ok := p.figures.of(group(10), server)
	large, ok2 := p.figures.of(group(1000), server)
	x = (large.median - small.median) / 990
	add("a further member of a group takes less than 40 µs", x, ok && ok2, " µs", x < 40)

	least, most := p.size.stored[0], p.size.stored[len(p.size.stored)-1]
	grown := func(stored int) key {
		return key{engine: embedded, scenario: load.Send, connections: 16, stored: stored}
	}
	x, ok = p.times(grown(most), both, grown(least), both)
	add(fmt.Sprintf("a send costs the same with %s messages stored as with %s (up to a quarter more)", grouped(float64(most)), grouped(float64(least))), x, ok, " times", x <= 1.25)

	s, ok = p.figures.of(key{engine: embedded, scenario: load.Streams, members: p.size.streams, connections: load.DefaultConnections}, idleMemory)
	add(fmt.Sprintf("%s idle streams take less than 300 MiB in all", grouped(float64(p.size.streams))), s.median, ok, " MiB", s.median < 300)
	return rows
}

package bench

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"signet/internal/load"
)

// line is what two versions are compared by: a plan on a store.
type line struct {
	engine string
	plan   load.Plan
}

// name is what a line is called where programs read it.
func (l line) name() string {
	name := fmt.Sprintf("%s/%s/%d", l.engine, l.plan.Scenario, l.plan.Connections)
	if l.plan.Members > 1 {
		name += fmt.Sprintf("/members=%d", l.plan.Members)
	}
	if l.plan.Rate > 0 {
		name += fmt.Sprintf("/rate=%g", l.plan.Rate)
	}
	return name
}

// title is what people call it.
func (l line) title() string {
	k := keyOf(l.engine, &l.plan)
	title := label(k)
	if k.members > 1 {
		title += fmt.Sprintf(", %d members", k.members)
	}
	if k.rate > 0 {
		title += fmt.Sprintf(", %g a second", k.rate)
	}
	return title
}

// pair is one line measured of both versions, one right after the other, and the floor of the
// same round.
type pair struct{ base, head, floor *load.Result }

// comparison is all that was measured of a line.
type comparison struct {
	line
	pairs []pair
	lacks string // why the base cannot be measured; "": it can
}

// lack notes why the base cannot be measured. It is false of one that was measured before: it can,
// and what was found out is not given up because something went wrong later.
func (c *comparison) lack(err error) bool {
	if len(c.pairs) > 0 {
		return false
	}
	c.lacks = err.Error()
	return true
}

// figure is what versions are compared by.
type figure struct {
	name   string
	of     func(*load.Result) (x float64, known bool)
	worse  float64 // the head is worse from so many times the base on
	nought float64 // so much more or less is nothing: what runs beside the calls
}

// The figures. Time depends on the machine, and pages and bytes on how many calls share a
// commit, which depends on time; the statements of a call are always the same.
var compared = []figure{
	{cpuTime, func(r *load.Result) (x float64, known bool) { return both(r), both(r) > 0 }, 1.05, 0},
	{countStatements, counted(countStatements), 1.02, 0.02},
	{countPages, counted(countPages), 1.05, 0.02},
	{countBytes, counted(countBytes), 1.05, 0.02 * 4096},
}

// cpuTime is the name of the figure that is the CPU time of server and database.
const cpuTime = "CPU"

func counted(name string) func(*load.Result) (float64, bool) {
	return func(r *load.Result) (x float64, known bool) {
		x, known = r.Counts[name]
		return x, known
	}
}

// ratio is how many times the base's figure the head's is.
func (f figure) ratio(base, head float64) float64 {
	if math.Abs(head-base) <= f.nought {
		return 1
	}
	return head / base // +Inf where the base did nothing of the kind
}

// outcome is how a figure of a line compares.
type outcome struct {
	base, head float64 // medians
	ratio      spread  // of the pairs
	known      bool    // both versions have the figure
	worse      bool
	better     bool
}

// enough reports whether so many of all pairs say the same: four of five.
func enough(some, all int) bool { return 5*some >= 4*all }

// outcome compares a figure of the pairs. The head is worse or better where the median of the
// pairs' ratios says so, and enough of them agree: the machine's speed may change within a pair.
func (f figure) outcome(pairs []pair) (o outcome) {
	var bases, heads, ratios []float64
	above, below := 0, 0
	for _, p := range pairs {
		base, known := f.of(p.base)
		head, known2 := f.of(p.head)
		if !known2 {
			return outcome{}
		}
		if heads = append(heads, head); !known {
			continue
		}
		r := f.ratio(base, head)
		bases, ratios = append(bases, base), append(ratios, r)
		if r > 1 {
			above++
		}
		if r < 1 {
			below++
		}
	}
	head, _ := spreadOf(heads)
	o.head = head.median
	base, ok := spreadOf(bases)
	if !ok {
		return o
	}
	o.base, o.known = base.median, true
	o.ratio, _ = spreadOf(ratios)
	o.worse = o.ratio.median > f.worse && enough(above, len(ratios))
	o.better = o.ratio.median < 1/f.worse && enough(below, len(ratios))
	return o
}

// worse names the figures by which the head is worse.
func (c *comparison) worse() (names []string) {
	for _, f := range compared {
		if f.outcome(c.pairs).worse {
			names = append(names, f.name)
		}
	}
	return names
}

var comparisonHead = []string{"what", "store", "connections", "CPU, µs", "head/base", "times the floor's CPU",
	"p50, ms", "statements", "pages", "bytes", ""}

// comparisonRows has the base's median and the head's in each cell.
func comparisonRows(all []*comparison) (rows [][]string) {
	for _, c := range all {
		row := []string{c.title(), c.engine, strconv.Itoa(c.plan.Connections)}
		if c.lacks != "" {
			rows = append(rows, append(row, "–", "–", "–", "–", "–", "–", "–", "not compared: "+inOneCell(c.lacks)))
			continue
		}
		cpu := compared[0].outcome(c.pairs)
		ratio := fmt.Sprintf("%.2f (%.2f–%.2f)", cpu.ratio.median, cpu.ratio.least, cpu.ratio.most)
		row = append(row, cpu.String(), ratio, c.timesFloor(), c.medians(median))
		var verdicts []string
		for _, f := range compared {
			o := f.outcome(c.pairs)
			if f.name != cpuTime {
				row = append(row, o.String())
			}
			switch {
			case o.worse:
				verdicts = append(verdicts, f.name+" worse")
			case o.better:
				verdicts = append(verdicts, f.name+" better")
			}
		}
		rows = append(rows, append(row, strings.Join(verdicts, ", ")))
	}
	return rows
}

func (o outcome) String() string {
	switch {
	case o.known:
		return written(o.base) + " → " + written(o.head)
	case o.head > 0:
		return "– → " + written(o.head)
	}
	return "–"
}

// medians are those of a figure of both versions.
func (c *comparison) medians(of func(*load.Result) float64) string {
	var bases, heads []float64
	for _, p := range c.pairs {
		bases, heads = append(bases, of(p.base)), append(heads, of(p.head))
	}
	base, _ := spreadOf(bases)
	head, _ := spreadOf(heads)
	return written(base.median) + " → " + written(head.median)
}

// timesFloor is how many times the CPU of its round's floor each version takes.
func (c *comparison) timesFloor() string {
	base := c.floors(func(p pair) *load.Result { return p.base })
	head := c.floors(func(p pair) *load.Result { return p.head })
	if base == 0 || head == 0 {
		return "–"
	}
	return written(base) + " → " + written(head)
}

// floors is the median of one version's CPU, as a multiple of the floor's; 0: the floor took too
// little to be counted.
func (c *comparison) floors(which func(pair) *load.Result) float64 {
	var times []float64
	for _, p := range c.pairs {
		if floor := server(p.floor); floor > 0 {
			times = append(times, both(which(p))/floor)
		}
	}
	s, _ := spreadOf(times)
	return s.median
}

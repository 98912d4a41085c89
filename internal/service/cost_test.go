package service_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "lower the figures of testdata/cost.txt to what the calls take")

// costFile has the most that each call may take. -update lowers it; whoever wants a call
// to take more edits the file, and says in the commit what that is for.
const costFile = "testdata/cost.txt"

const costHead = `# The most that a call may take (cost_test.go): SQL statements, objects and bytes that it allocates.
`

// cost is what can be counted of a call, and is the same on every machine. Time is for
// the benchmarks.
type cost struct{ statements, objects, bytes int64 }

// exceeds reports whether a cost is above a limit. What is allocated has a third more, for
// what the race detector adds and what runs beside.
func (c cost) exceeds(limit cost) bool {
	const someObjects, someBytes = 5, 1 << 10
	return c.statements > limit.statements || c.objects > limit.objects*4/3+someObjects ||
		c.bytes > limit.bytes*4/3+someBytes
}

// wellBelow reports whether the limit can be lowered by more than what varies.
func (c cost) wellBelow(limit cost) bool {
	return c.statements < limit.statements || c.objects < limit.objects*3/4 || c.bytes < limit.bytes*3/4
}

func (c cost) lower(limit cost) cost {
	return cost{min(c.statements, limit.statements), min(c.objects, limit.objects), min(c.bytes, limit.bytes)}
}

func (c cost) String() string {
	return fmt.Sprintf("%d statements, %d objects, %d bytes", c.statements, c.objects, c.bytes)
}

// measure returns the statements that a call takes in most cases, and the least that it allocates: the race detector
// has a sync.Pool forget one of four, so that a call which takes from some allocates more by chance.
func (h *house) measure(prepare, run func()) cost {
	const times = 31
	var statements, objects, size []int64
	for range times {
		prepare()
		var before, after runtime.MemStats
		asked := h.statements.Load()
		runtime.ReadMemStats(&before)
		run()
		runtime.ReadMemStats(&after)
		statements = append(statements, h.statements.Load()-asked)
		objects = append(objects, int64(after.Mallocs-before.Mallocs))
		size = append(size, int64(after.TotalAlloc-before.TotalAlloc))
	}
	return cost{median(statements), slices.Min(objects), slices.Min(size)}
}

func median(figures []int64) int64 {
	slices.Sort(figures)
	return figures[len(figures)/2]
}

// TestCallsTakeNoMoreThanTheyMay: nobody adds a statement to the way of each message without
// noticing.
func TestCallsTakeNoMoreThanTheyMay(t *testing.T) {
	limits := mustReadCosts(t)
	lowered := map[string]cost{}
	for _, c := range calls {
		h := newHouse(t, c.people)
		prepare, run := c.arrange(t, h)
		prepare()
		run() // once, so that what is remembered from call to call is there
		got := h.measure(prepare, run)
		limit, known := limits[c.name]
		delete(limits, c.name)
		switch {
		case !known:
			limit = got
			if !*update {
				t.Errorf("%s has no line in %s: it takes %v; -update writes it", c.name, costFile, got)
			}
		case got.exceeds(limit):
			t.Errorf("%s takes %v, more than %v", c.name, got, limit)
		case got.wellBelow(limit):
			t.Logf("%s takes %v, less than %v: -update lowers %s", c.name, got, limit, costFile)
		}
		lowered[c.name] = got.lower(limit)
	}
	if *update {
		mustWriteCosts(t, lowered)
		return
	}
	for name := range limits {
		t.Errorf("%s names a call that is not measured: %s", costFile, name)
	}
}

// BenchmarkCalls makes each of the calls, one after the other.
func BenchmarkCalls(b *testing.B) {
	for _, c := range calls {
		b.Run(c.name, func(b *testing.B) {
			h := newHouse(b, c.people)
			prepare, run := c.arrange(b, h)
			prepare()
			run()
			statements := int64(0)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				prepare()
				before := h.statements.Load()
				b.StartTimer()
				run()
				statements += h.statements.Load() - before
			}
			b.ReportMetric(float64(statements)/float64(b.N), "statements/op")
		})
	}
}

func mustReadCosts(t *testing.T) map[string]cost {
	t.Helper()
	text, err := os.ReadFile(costFile)
	must(t, err)
	limits := map[string]cost{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, figures, _ := strings.Cut(line, ":")
		var c cost
		_, err := fmt.Sscan(figures, &c.statements, &c.objects, &c.bytes)
		if err != nil {
			t.Fatalf("%s: %q: %v", costFile, line, err)
		}
		limits[name] = c
	}
	return limits
}

func mustWriteCosts(t *testing.T, limits map[string]cost) {
	t.Helper()
	text := bytes.NewBufferString(costHead)
	for _, c := range calls {
		l := limits[c.name]
		fmt.Fprintf(text, "%-46s %4d %6d %8d\n", c.name+":", l.statements, l.objects, l.bytes)
	}
	must(t, os.WriteFile(costFile, text.Bytes(), 0o644))
}

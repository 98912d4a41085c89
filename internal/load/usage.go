package load

import (
	"context"
	"time"
)

// Usage is what processes used while a run was measured.
type Usage struct {
	// in user and system mode; 0: less than the system counts
	CPUMicros float64 `json:"cpu_us_per_operation"`
	Cores     float64 `json:"cores"` // CPU time by time
	// at the end, resident; of a database what each process has of it, so that shared pages count once
	Memory int64 `json:"memory_bytes"`
}

// Consumption is what processes have used up to now.
type Consumption struct {
	CPU    time.Duration // in user and system mode
	Memory int64         // bytes, resident
}

// reading is one of everything that is watched.
type reading struct{ server, database, self Consumption }

// gauge reads what processes use. Those that have ended, or that may not be looked
// at, count as nothing.
type gauge struct {
	servers  []int
	database int
	counters func() Counts // nil: nothing is counted
	others   func() Counts // nil: samples have nothing else
}

func (g *gauge) read() (r reading) {
	for _, pid := range g.servers {
		c := ConsumptionOf(pid)
		r.server.CPU += c.CPU
		r.server.Memory += c.Memory
	}
	if g.database != 0 {
		r.database = ConsumptionOfTree(g.database)
	}
	r.self = ownConsumption()
	return r
}

// What is left to be done after calls has been when the processes use less than this part of a core for
// so long, and is not waited for longer than some minutes.
const (
	little      = 0.05
	quietWindow = 100 * time.Millisecond
	quietWithin = 5 * time.Minute
)

// rest waits until the processes are done with what calls left to be done after them, or ctx ends. It
// returns what they had used by then, and when that was.
func (g *gauge) rest(ctx context.Context) (r reading, at time.Time) {
	r, at = g.read(), time.Now()
	if len(g.servers) == 0 && g.database == 0 {
		return r, at
	}
	for until := at.Add(quietWithin); at.Before(until); {
		window := time.NewTimer(quietWindow)
		select {
		case <-window.C:
		case <-ctx.Done():
			window.Stop()
			return r, at
		}
		now, took := g.read(), time.Since(at)
		if used := now.server.CPU + now.database.CPU - r.server.CPU - r.database.CPU; used.Seconds() < little*took.Seconds() {
			return r, at
		}
		r, at = now, at.Add(took)
	}
	return r, at
}

// usage is what was used between two readings; nil where nothing can be read.
func usage(from, to Consumption, elapsed time.Duration, operations int64) *Usage {
	if to.Memory == 0 && to.CPU == 0 || elapsed <= 0 {
		return nil
	}
	cpu := max(0, to.CPU-from.CPU)
	u := &Usage{Cores: round(cpu.Seconds()/elapsed.Seconds(), 4), Memory: to.Memory}
	if operations > 0 {
		u.CPUMicros = round(cpu.Seconds()*1e6/float64(operations), 2)
	}
	return u
}

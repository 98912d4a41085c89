package load

import "time"

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

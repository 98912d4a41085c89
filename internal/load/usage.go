package load

import "time"

// Usage is what processes used while a run was measured.
type Usage struct {
	CPUMicros float64 `json:"cpu_us_per_operation,omitempty"` // in user and system mode
	Cores     float64 `json:"cores"`                          // CPU time by time
	Memory    int64   `json:"memory_bytes"`                   // at the end, resident; of a database what each process has of it, so that shared pages count once
}

// consumption is what processes have used up to now.
type consumption struct {
	cpu    time.Duration
	memory int64
}

// reading is one of everything that is watched.
type reading struct{ server, database, self consumption }

// gauge reads what processes use. Those that have ended, or that may not be looked
// at, count as nothing.
type gauge struct {
	servers  []int
	database int
}

func (g *gauge) read() (r reading) {
	for _, pid := range g.servers {
		c := consumptionOf(pid)
		r.server.cpu += c.cpu
		r.server.memory += c.memory
	}
	if g.database != 0 {
		r.database = consumptionOfTree(g.database)
	}
	r.self = ownConsumption()
	return r
}

// usage is what was used between two readings; nil where nothing can be read.
func usage(from, to consumption, elapsed time.Duration, operations int64) *Usage {
	if to.memory == 0 && to.cpu == 0 || elapsed <= 0 {
		return nil
	}
	cpu := max(0, to.cpu-from.cpu)
	u := &Usage{Cores: round(cpu.Seconds()/elapsed.Seconds(), 4), Memory: to.memory}
	if operations > 0 {
		u.CPUMicros = round(cpu.Seconds()*1e6/float64(operations), 2)
	}
	return u
}

package load

import (
	"math"
	"time"
)

// Result is what came of a plan.
type Result struct {
	Scenario            string           `json:"scenario"`
	Connections         int              `json:"connections"`
	Rate                float64          `json:"rate,omitempty"`       // as planned; absent: as fast as operations end
	Payload             int              `json:"payload_bytes"`        //
	Members             int              `json:"members,omitempty"`    // where the scenario has any
	RequestID           bool             `json:"request_id,omitempty"` // every message had one
	Seconds             float64          `json:"seconds"`              // until all that operations began had ended
	Operations          int64            `json:"operations"`           // that succeeded
	OperationsPerSecond float64          `json:"operations_per_second"`
	Copies              int              `json:"copies_per_operation,omitempty"` // of each message
	CopiesPerSecond     float64          `json:"copies_per_second,omitempty"`
	Errors              map[string]int64 `json:"errors"`                // by HTTP status or kind; empty: none
	FirstError          string           `json:"first_error,omitempty"` // for people
	Unstarted           int64            `json:"unstarted,omitempty"`   // with a rate: that never had a free connection
	Latency             Latency          `json:"latency_ms"`
	Server              *Usage           `json:"server,omitempty"`    // absent where no process was named
	Database            *Usage           `json:"database,omitempty"`  //
	Generator           *Usage           `json:"generator,omitempty"` // this program itself
	Counts              Counts           `json:"counts,omitempty"`    // for each operation; absent: nothing is counted
	Samples             []Sample         `json:"samples,omitempty"`   // where the plan wants some, in their order
	Idle                *Idle            `json:"streams,omitempty"`   // of the streams scenario
	Floor               *Ratio           `json:"floor,omitempty"`     // absent where the floor was not measured
	Interrupted         bool             `json:"interrupted,omitempty"`
}

// Idle tells what streams cost on which nothing happens.
type Idle struct {
	Open            int   `json:"open"`              // at the end
	Lost            int64 `json:"lost"`              // that ended by themselves
	MemoryBefore    int64 `json:"memory_before"`     // bytes, of the server, before they were opened
	MemoryPerStream int64 `json:"memory_per_stream"` // bytes that each added
}

// Ratio puts a result beside the floor's at the same number of connections, measured
// right before and right after it: what is said of the floor is the mean of the two.
type Ratio struct {
	OperationsPerSecond float64 `json:"operations_per_second"` // of the floor
	CPUMicros           float64 `json:"cpu_us_per_operation"`  // of the floor
	Throughput          float64 `json:"throughput_ratio"`      // operations a second, as a part of the floor's
	// the server's CPU time, as a multiple of the floor's; 0: one of them was too short to be counted
	CPU             float64 `json:"cpu_ratio"`
	CPUWithDatabase float64 `json:"cpu_ratio_database,omitempty"` // the same with the database's
	Latency         Latency `json:"latency_ms"`                   // of the floor
	// the floor's two; the one before alone where the run was interrupted
	Runs []*Result `json:"-"`
}

// Failed is the number of operations that did not succeed.
func (r *Result) Failed() (n int64) {
	for _, failed := range r.Errors {
		n += failed
	}
	return n
}

// beside puts the runs of its floor beside a result.
func (r *Result) beside(runs []*Result) {
	mean := func(digits int, figure func(*Result) float64) (x float64) {
		for _, run := range runs {
			x += figure(run) / float64(len(runs))
		}
		return round(x, digits)
	}
	at := func(figure func(*Latency) float64) float64 {
		return mean(3, func(run *Result) float64 { return figure(&run.Latency) })
	}
	ratio := &Ratio{
		Runs:                runs,
		OperationsPerSecond: mean(2, func(run *Result) float64 { return run.OperationsPerSecond }),
		CPUMicros: mean(2, func(run *Result) float64 {
			if run.Server == nil {
				return 0
			}
			return run.Server.CPUMicros
		}),
		Latency: Latency{
			Mean: at(func(l *Latency) float64 { return l.Mean }), P50: at(func(l *Latency) float64 { return l.P50 }),
			P90: at(func(l *Latency) float64 { return l.P90 }), P99: at(func(l *Latency) float64 { return l.P99 }),
			P999: at(func(l *Latency) float64 { return l.P999 }), Max: at(func(l *Latency) float64 { return l.Max }),
		},
	}
	ratio.Throughput = round(r.OperationsPerSecond/ratio.OperationsPerSecond, 4)
	if ratio.CPUMicros > 0 && r.Server != nil {
		ratio.CPU = round(r.Server.CPUMicros/ratio.CPUMicros, 2)
		if r.Database != nil {
			ratio.CPUWithDatabase = round((r.Server.CPUMicros+r.Database.CPUMicros)/ratio.CPUMicros, 2)
		}
	}
	r.Floor = ratio
}

// newResult computes the figures of a run.
func newResult(p *Plan, rec *recorder, from, to reading, elapsed time.Duration) *Result {
	done, _ := rec.counts()
	r := &Result{
		Scenario: p.Scenario, Connections: p.Connections, Rate: p.Rate, Payload: p.Payload, RequestID: p.RequestID,
		Seconds: round(elapsed.Seconds(), 3), Operations: done,
		OperationsPerSecond: round(float64(done)/elapsed.Seconds(), 1),
		Errors:              rec.failures, Unstarted: rec.unstarted, Latency: rec.summary(),
		Server: usage(from.server, to.server, elapsed, done), Database: usage(from.database, to.database, elapsed, done),
		Generator: usage(from.self, to.self, elapsed, done),
	}
	switch p.Scenario {
	case Group, Deliver, Streams, Search, Mixed, Soak:
		r.Members = p.Members
	}
	if rec.first != nil {
		r.FirstError = rec.first.Error()
	}
	return r
}

// copied sets how many copies each operation made.
func (r *Result) copied(copies int) {
	r.Copies, r.CopiesPerSecond = copies, round(r.OperationsPerSecond*float64(copies), 1)
}

func round(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}

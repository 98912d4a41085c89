package load

import "time"

// Sample is what a stretch of a run was like, which ends where the next one begins.
type Sample struct {
	Seconds             float64 `json:"seconds"`    // from the end of the warm-up to the end of the stretch
	Operations          int64   `json:"operations"` // that ended in it and succeeded
	OperationsPerSecond float64 `json:"operations_per_second"`
	Failed              int64   `json:"failed"`
	Latency             Latency `json:"latency_ms"`         // of these operations
	Server              *Usage  `json:"server,omitempty"`   // its memory is that at the end; absent as in Result
	Database            *Usage  `json:"database,omitempty"` //
	Gauges              Counts  `json:"gauges,omitempty"`   // what Target.Gauges returned at the end
}

// sampler takes the samples of a run.
type sampler struct {
	every   time.Duration // 0: it takes none
	record  *recorder
	gauge   *gauge
	begin   time.Time // the end of the warm-up
	at      time.Time // of the last sample
	reading reading   // that of then
	done    int64
	failed  int64
	samples []Sample
}

// newSampler begins the first stretch. The reading is one of now.
func newSampler(p *Plan, record *recorder, g *gauge, now reading, at time.Time) *sampler {
	s := &sampler{every: p.Sample, record: record, gauge: g, begin: at, at: at, reading: now}
	if s.every > 0 {
		s.done, s.failed = record.beginLap()
	}
	return s
}

// ticks says when a sample is due, until stop is called.
func (s *sampler) ticks() (due <-chan time.Time, stop func()) {
	if s.every == 0 {
		return nil, func() {}
	}
	ticker := time.NewTicker(s.every)
	return ticker.C, ticker.Stop
}

// last takes the sample of the last stretch, unless it is shorter than half of the others: the
// end of a run may come a moment before the last is due, or behind it.
func (s *sampler) last() {
	if s.every > 0 && time.Since(s.at) >= s.every/2 {
		s.take()
	}
}

func (s *sampler) take() {
	now, at := s.gauge.read(), time.Now()
	latency, done, failed := s.record.endLap()
	elapsed := at.Sub(s.at)
	sample := Sample{Seconds: round(at.Sub(s.begin).Seconds(), 3), Operations: done - s.done,
		OperationsPerSecond: round(float64(done-s.done)/elapsed.Seconds(), 1), Failed: failed - s.failed,
		Latency:  latency,
		Server:   usage(s.reading.server, now.server, elapsed, done-s.done),
		Database: usage(s.reading.database, now.database, elapsed, done-s.done),
	}
	if s.gauge.others != nil {
		sample.Gauges = s.gauge.others()
	}
	s.samples = append(s.samples, sample)
	s.at, s.reading, s.done, s.failed = at, now, done, failed
}

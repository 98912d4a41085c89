package store

import (
	"errors"
	"sync/atomic"

	"signet/internal/meter"
)

// Meters are what a store measures of itself.
type Meters struct {
	Reads  *meter.Histogram // how long a View took, waits and tries included, in nanoseconds
	Writes *meter.Histogram // the same of an Update: then it is on disk

	Statements  atomic.Int64 // that functions of View and Update ran, in every try; the engine's own do not count
	Busy        atomic.Int64 // transactions given up because others locked what they need
	Unavailable atomic.Int64 // those that failed because the database was not there
}

// EngineMeters are what an engine measures of itself.
type EngineMeters struct {
	Commits *meter.Histogram // how long a transaction took from its last statement until it was on disk, in nanoseconds
	Writes  *meter.Histogram // how many calls of Update shared each transaction
	Reads   *meter.Histogram // how many of View shared each snapshot
}

// NewEngineMeters returns those of an engine that has done nothing yet.
func NewEngineMeters() EngineMeters {
	sizes := func() *meter.Histogram { return meter.NewHistogram(1, 2, 4, 8, 16, 32, 64, 128) }
	return EngineMeters{Commits: meter.NewDurations(), Writes: sizes(), Reads: sizes()}
}

// Meters returns what the store measures. It goes on measuring.
func (s *Store) Meters() *Meters { return &s.meters }

// ended counts what a transaction failed for.
func (m *Meters) ended(err error) {
	switch {
	case err == nil:
	case errors.Is(err, ErrBusy):
		m.Busy.Add(1)
	case errors.Is(err, ErrUnavailable):
		m.Unavailable.Add(1)
	}
}

// Package meter measures what the parts of the server do, cheaply enough for the way of
// every message: with atomic additions and no memory. It does not know who reads the
// figures, nor in what form they are served.
package meter

import (
	"sync/atomic"
	"time"
)

// Histogram counts values by size. It is safe for concurrent use.
type Histogram struct {
	bounds []int64
	counts []atomic.Uint64 // of the values up to each bound, and above the one before; the last has no bound
	sum    atomic.Int64
}

// NewHistogram returns one with these upper bounds, which grow.
func NewHistogram(bounds ...int64) *Histogram {
	return &Histogram{bounds: bounds, counts: make([]atomic.Uint64, len(bounds)+1)}
}

// NewDurations returns one for durations of what a request waits for.
func NewDurations() *Histogram {
	bounds := []time.Duration{
		time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond,
		100 * time.Millisecond, 250 * time.Millisecond, time.Second, 5 * time.Second,
	}
	h := &Histogram{counts: make([]atomic.Uint64, len(bounds)+1)}
	for _, b := range bounds {
		h.bounds = append(h.bounds, int64(b))
	}
	return h
}

// Observe counts a value.
func (h *Histogram) Observe(value int64) {
	i := 0
	for i < len(h.bounds) && value > h.bounds[i] {
		i++
	}
	h.counts[i].Add(1)
	h.sum.Add(value)
}

// Since counts how long it is since a time.
func (h *Histogram) Since(begun time.Time) { h.Observe(int64(time.Since(begun))) }

// Figures are what a histogram has counted.
type Figures struct {
	Bounds []int64  // shared: they are not to be changed
	Counts []uint64 // of the values up to each bound, those up to smaller ones included
	Count  uint64   // of all
	Sum    int64
}

// Read returns what was counted. What is counted meanwhile may be missing.
func (h *Histogram) Read() Figures {
	f := Figures{Bounds: h.bounds, Counts: make([]uint64, len(h.bounds))}
	f.Sum = h.sum.Load()
	for i := range h.counts {
		f.Count += h.counts[i].Load()
		if i < len(f.Counts) {
			f.Counts[i] = f.Count
		}
	}
	return f
}

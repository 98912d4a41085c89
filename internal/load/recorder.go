package load

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// recorder counts operations and how long they took. It is safe for concurrent
// use; at the rates of one machine its lock costs nothing that can be measured.
type recorder struct {
	mu        sync.Mutex // guards all below
	from      time.Time  // operations that began earlier do not count: the warm-up
	latency   *hdrhistogram.Histogram
	lap       *hdrhistogram.Histogram // since the last sample; nil: none are taken
	failures  map[string]int64        // by kind
	first     error
	unstarted int64
}

// Latencies are kept in microseconds, to three digits, up to an hour.
const (
	shortest = 1
	longest  = int64(time.Hour / time.Microsecond)
	digits   = 3
)

func newRecorder(from time.Time) *recorder {
	return &recorder{from: from, latency: hdrhistogram.New(shortest, longest, digits), failures: make(map[string]int64)}
}

// record counts an operation that was to begin at one time and ended at another.
// One that failed is counted by how, and its time tells nothing.
func (r *recorder) record(begin, end time.Time, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case begin.Before(r.from):
	case err != nil:
		r.failures[kindOf(err)]++
		if r.first == nil {
			r.first = err
		}
	default:
		r.put(end.Sub(begin))
	}
}

// miss counts an operation that was to begin and could not by the end of the run.
// It would have taken longer than it waited: that much is known, and leaving it
// out would make a server that does not keep up look quick.
func (r *recorder) miss(begin, end time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !begin.Before(r.from) {
		r.unstarted++
		r.put(end.Sub(begin))
	}
}

func (r *recorder) put(d time.Duration) {
	// Within bounds it has no way to fail.
	micros := min(max(d.Microseconds(), shortest), longest)
	_ = r.latency.RecordValue(micros)
	if r.lap != nil {
		_ = r.lap.RecordValue(micros)
	}
}

// beginLap has latencies kept for a sample, from now on, and returns what counts returns now.
func (r *recorder) beginLap() (done, failed int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lap = hdrhistogram.New(shortest, longest, digits)
	return r.sum()
}

// endLap returns the latencies since the last call, or since beginLap, and what counts returns now.
func (r *recorder) endLap() (latency Latency, done, failed int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	latency = latencyOf(r.lap)
	r.lap.Reset()
	done, failed = r.sum()
	return latency, done, failed
}

// counts returns what is measured so far: operations that succeeded, and those
// that failed.
func (r *recorder) counts() (done, failed int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sum()
}

// sum is counts for who holds mu.
func (r *recorder) sum() (done, failed int64) {
	for _, n := range r.failures {
		failed += n
	}
	return r.latency.TotalCount() - r.unstarted, failed
}

// Latency is how long operations took, in milliseconds.
type Latency struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p99_9"`
	Max  float64 `json:"max"`
}

func (r *recorder) summary() Latency {
	r.mu.Lock()
	defer r.mu.Unlock()
	return latencyOf(r.latency)
}

func latencyOf(h *hdrhistogram.Histogram) Latency {
	at := func(percentile float64) float64 { return float64(h.ValueAtQuantile(percentile)) / 1000 }
	return Latency{Mean: round(h.Mean()/1000, 3), P50: at(50), P90: at(90), P99: at(99), P999: at(99.9),
		Max: float64(h.Max()) / 1000}
}

// failure is an operation that did not succeed.
type failure struct {
	kind string // an HTTP status, or one of the kinds below
	err  error
}

// The kinds of failure beside HTTP statuses.
const (
	kindConnection = "connection" // no answer came
	kindAnswer     = "answer"     // it was not what the scenario has to get
	kindLost       = "lost"       // a message did not arrive on a stream in time
)

func (f *failure) Error() string { return f.kind + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func kindOf(err error) string {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.kind
	}
	return kindConnection
}

// unexpected is an answer that is not what the scenario has to get.
func unexpected(format string, args ...any) error {
	return &failure{kindAnswer, fmt.Errorf(format, args...)}
}

package pgbus

import (
	"sync/atomic"
	"time"
)

// company tells whether other nodes listen, by what was heard of them: each says a heartbeat
// every few seconds, and answers the first of another one at once.
type company struct {
	began time.Time    // what until counts from
	until atomic.Int64 // when a node that hears nothing more is alone, in nanoseconds
}

// meet notes that another node was heard, or may listen without having been, which counts for so
// long. It reports whether the node was alone before.
func (c *company) meet(known time.Duration) (first bool) {
	now := time.Since(c.began)
	return c.until.Swap(int64(now+known)) < int64(now)
}

// alone reports whether nobody would hear what is said.
func (c *company) alone() bool { return c.until.Load() < int64(time.Since(c.began)) }

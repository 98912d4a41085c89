// Package testclock is the present of tests: it stands still until a test moves it,
// so that what depends on time is tested without waiting. It owns nothing else, and
// must not be imported by what is no test.
package testclock

import (
	"sync"
	"time"
)

// Start is the time that a new Clock tells. It has a fraction of a millisecond, which
// nothing on the wire or in the store keeps.
var Start = time.Date(2026, 11, 21, 8, 15, 30, 123_999_999, time.UTC)

// Clock tells the time that it was set to. It is safe for concurrent use.
type Clock struct {
	mu      sync.Mutex // guards all below
	now     time.Time
	elapsed time.Duration
}

// New returns a clock that stands at Start.
func New() *Clock { return At(Start) }

// At returns a clock that stands at a time.
func At(now time.Time) *Clock { return &Clock{now: now} }

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set moves the clock to a time, which may be an earlier one. Where it is a
// later one, as much time passes.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.elapsed += max(now.Sub(c.now), 0)
	c.now = now
}

// Jump has the clock say another time, though none has passed: it is wrong, or was.
func (c *Clock) Jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Elapsed is how much time has passed, by a clock that nobody sets.
func (c *Clock) Elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.elapsed
}

// Advance lets time pass.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.elapsed += max(d, 0)
	c.now = c.now.Add(d)
}

package cache

import "time"

// Recent is a value that was read of the store at a time.
type Recent[V any] struct {
	Value V
	At    time.Time
}

// Fresh says for how long it may be relied on. The node on which something about it
// changes forgets it at once, and so do the others when they are told; the life bounds
// how long a change stays unknown to one that is not (contract, section 1: 1 s).
func (r Recent[V]) Fresh(now time.Time) bool {
	age := now.Sub(r.At)
	return age >= 0 && age <= 900*time.Millisecond
}

//go:build !linux

package clock

import "time"

// Elapsed is how long the program has been running, by a clock that cannot be set. It
// may stand still while the machine sleeps.
func Elapsed() time.Duration { return time.Since(begin) }

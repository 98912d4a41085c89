package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

// Elapsed is how long the machine has been running, by a clock that cannot be set. It
// counts on while the machine sleeps, which time.Now's does not: a laptop that was
// closed for a night has a clock that is right.
func Elapsed() time.Duration {
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &at); err != nil {
		return time.Since(begin)
	}
	return time.Duration(at.Nano())
}

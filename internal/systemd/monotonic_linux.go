package systemd

import (
	"time"

	"golang.org/x/sys/unix"
)

// monotonic is the time of CLOCK_MONOTONIC, by which systemd dates what it is told; 0 where it cannot be read.
func monotonic() time.Duration {
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &at); err != nil {
		return 0
	}
	return time.Duration(at.Nano())
}

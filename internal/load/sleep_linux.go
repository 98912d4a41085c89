package load

import (
	"syscall"
	"time"
)

// precise is how late the runtime's own timers may be: an idle Go program sleeps
// in whole milliseconds, which is more than most operations take.
const precise = 2 * time.Millisecond

// sleep waits, to some 60 µs. It cannot be interrupted for good: it is for waits
// below precise.
func sleep(d time.Duration) {
	for until := time.Now().Add(d); d > 0; d = time.Until(until) {
		t := syscall.NsecToTimespec(int64(d))
		_ = syscall.Nanosleep(&t, nil) // a signal ends it early; the loop goes on
	}
}

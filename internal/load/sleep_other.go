//go:build !linux

package load

import "time"

// precise is how late the runtime's own timers may be.
const precise = time.Millisecond

// sleep waits as precisely as the runtime does.
func sleep(d time.Duration) { time.Sleep(d) }

package app

import (
	"errors"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// heapGrowth is by how much, in percent, the heap grows before it is collected. Go's
// 100 collects the small heap of a server often.
const heapGrowth = 200

// LimitMemory sets once for this process how far its heap grows, and three quarters of
// what its container may have (cgroup v1 and v2) as the bound of Go's memory, near which
// the runtime collects more. The rest is for what the runtime does not know of: the pages
// that SQLite keeps, and the program itself, some 100 MiB of 512. GOGC and GOMEMLIMIT in
// its environment have precedence. An error says that there is a container whose limit
// could not be read.
func LimitMemory() error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	_, err := memlimit.Set(memlimit.WithRatio(0.75))
	if errors.Is(err, memlimit.ErrCgroupsNotSupported) || errors.Is(err, memlimit.ErrNoCgroup) {
		return nil
	}
	return err
}

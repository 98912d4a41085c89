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

// LimitMemory sets once for this process how far its heap grows, and nine tenths of what
// its container may have (cgroup v1 and v2) as the bound of all its memory, near which
// the runtime collects more. GOGC and GOMEMLIMIT in its environment have precedence. An
// error says that there is a container whose limit could not be read.
func LimitMemory() error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	_, err := memlimit.Set(memlimit.WithRatio(0.9))
	if errors.Is(err, memlimit.ErrCgroupsNotSupported) || errors.Is(err, memlimit.ErrNoCgroup) {
		return nil
	}
	return err
}

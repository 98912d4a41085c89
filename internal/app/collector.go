package app

import (
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

const (
	// heapGrowth is by how much, in percent, a small heap grows before it is collected. Go's
	// 100 collects the heap of a server often.
	heapGrowth = 200
	// leastGrowth is the same of a large one.
	leastGrowth = 50
	// heapGrows is by how many bytes a heap between these grows: what a flood of large requests
	// leaves behind is collected before it is much.
	heapGrows = 40 << 20
)

// LimitMemory sets once for this process how far its heap grows, and three quarters of
// what its container may have (cgroup v1 and v2) as the bound of Go's memory, near which
// the runtime collects more. The rest is for what the runtime does not know of: the pages
// that SQLite keeps, and the program itself, some 100 MiB of 512. GOGC and GOMEMLIMIT in
// its environment have precedence. An error says that there is a container whose limit
// could not be read.
func LimitMemory() error {
	if os.Getenv("GOGC") == "" {
		followHeap(0)
	}
	_, err := memlimit.Set(memlimit.WithRatio(0.75))
	if errors.Is(err, memlimit.ErrCgroupsNotSupported) || errors.Is(err, memlimit.ErrNoCgroup) {
		return nil
	}
	return err
}

// followHeap sets by how much the heap grows, where that is not as it was, and again after each
// collection.
func followHeap(was int) {
	percent := growthOf(heapLive())
	if percent != was {
		debug.SetGCPercent(percent)
	}
	runtime.AddCleanup(new([16]byte), followHeap, percent)
}

// growthOf is by how much, in percent, a heap of so many bytes grows.
func growthOf(live uint64) int {
	return int(min(max(heapGrows*100/max(live, 1), leastGrowth), heapGrowth))
}

// heapLive returns how many bytes the last collection left.
func heapLive() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

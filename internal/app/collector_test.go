package app

import (
	"runtime/debug"
	"testing"
)

func TestHeapGrowsAndEndsAsTheEnvironmentSays(t *testing.T) {
	percent, limit := debug.SetGCPercent(50), debug.SetMemoryLimit(1<<40)
	defer func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}()
	t.Setenv("GOGC", "50") // the runtime reads both when a process starts
	t.Setenv("GOMEMLIMIT", "1TiB")
	if err := LimitMemory(); err != nil {
		t.Fatal(err)
	}
	if got := runtimeMetric("/gc/gogc:percent"); got != 50 {
		t.Errorf("the heap grows by %d %%, want 50", got)
	}
	if got := debug.SetMemoryLimit(-1); got != 1<<40 {
		t.Errorf("all memory is bound to %d, want 1 TiB", got)
	}
	t.Setenv("GOGC", "")
	if err := LimitMemory(); err != nil {
		t.Fatal(err)
	}
	if got, want := runtimeMetric("/gc/gogc:percent"), growthOf(heapLive()); int(got) != want {
		t.Errorf("the heap grows by %d %%, want %d", got, want)
	}
}

func TestALargeHeapGrowsLess(t *testing.T) {
	for live, want := range map[uint64]int{0: 200, 20 << 20: 200, 40 << 20: 100, 64 << 20: 62, 80 << 20: 50, 1 << 40: 50} {
		if got := growthOf(live); got != want {
			t.Errorf("a heap of %d MiB grows by %d %%, want %d", live>>20, got, want)
		}
	}
}

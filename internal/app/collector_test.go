package app

import (
	"runtime"
	"testing"
	"time"
)

func TestHeapMayGrow(t *testing.T) {
	for _, given := range []struct {
		what  string
		live  uint64
		since time.Duration
		want  int
	}{
		{"by half as much as there is room for, and itself, where it is twice the room", 2 * heapRoom, time.Second, 150},
		{"by the room and itself where it is small", heapRoom / 4, time.Second, 500},
		{"by no more than can be said of one that is next to nothing", 1, time.Second, 3300},
		{"as any other where it is collected seldom", heapRoom / 4, time.Minute, 100},
	} {
		if got := growth(given.live, given.since); got != given.want {
			t.Errorf("%s: got %d %%, want %d", given.what, got, given.want)
		}
	}
}

// percentNow is by how much the heap may grow as it is.
func percentNow() int {
	return int(runtimeMetric("/gc/gogc:percent"))
}

func TestCollectorHearsOfEachCollectionUntilItStops(t *testing.T) {
	before := percentNow()
	stop := CollectSeldom()
	for begun := time.Now(); percentNow() == before && time.Since(begun) < seldom; {
		runtime.GC() // it is told of it some time after
	}
	if got := percentNow(); got <= before {
		t.Errorf("the heap of a busy program may grow by %d %%, and before by %d", got, before)
	}
	stop()
	runtime.GC()
	if got := percentNow(); got != usualPercent {
		t.Errorf("afterwards it may grow by %d %%, want %d", got, usualPercent)
	}
}

func TestGOGCHasPrecedence(t *testing.T) {
	t.Setenv("GOGC", "200")
	defer CollectSeldom()()
	for range 20 {
		runtime.GC()
	}
	if got := percentNow(); got != usualPercent { // what is set here comes too late for this process
		t.Errorf("the heap may grow by %d %%, want %d", got, usualPercent)
	}
}

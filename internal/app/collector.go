package app

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// collector lets the heap of a busy server grow by so much more before it is collected
// than Go would, which collects a heap whenever it has doubled: a small one often. A
// server that has little to do is collected as any program is, and so takes no more
// memory than that. There is one for a process; GOGC in its environment has precedence.
type collector struct {
	mu      sync.Mutex // guards what follows
	percent int        // in force
	last    time.Time  // when the heap was collected last
	ended   bool
}

const (
	// heapRoom is the growth, in bytes.
	heapRoom = 32 << 20
	// seldom is how far apart the collections of a server are that is not busy.
	seldom = 4 * time.Second
	// usualPercent is Go's own setting.
	usualPercent = 100
)

// CollectSeldom gives the heap of this process its room, while it is busy. stop takes
// the room back.
func CollectSeldom() (stop func()) {
	if _, set := os.LookupEnv("GOGC"); set {
		return func() {}
	}
	c := &collector{percent: usualPercent, last: time.Now()}
	c.watch()
	return c.stop
}

// watch makes the next collection call collected.
func (c *collector) watch() {
	// Nothing refers to the canary, so that the next collection takes it. Its pointer
	// keeps the runtime from putting it into one piece of memory with others.
	canary := new(struct{ self *byte })
	runtime.AddCleanup(canary, func(c *collector) { c.collected(time.Now()) }, c)
}

// collected sets how far the heap may grow until the next collection.
func (c *collector) collected(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	percent := growth(runtimeMetric("/gc/heap/live:bytes"), now.Sub(c.last))
	c.last = now
	if change := percent - c.percent; change > percent/8 || change < -percent/8 { // it stops the program for a moment
		c.percent = percent
		debug.SetGCPercent(percent)
	}
	c.watch()
}

// growth is by how much, in percent, a heap may grow that had so many bytes in use when it
// was collected, so long after the time before.
func growth(live uint64, since time.Duration) int {
	if since > seldom {
		return usualPercent
	}
	return usualPercent + int(heapRoom*100/max(live, 1<<20))
}

// runtimeMetric reads one of the runtime's own figures.
func runtimeMetric(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func (c *collector) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	debug.SetGCPercent(usualPercent)
}

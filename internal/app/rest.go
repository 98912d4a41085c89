package app

import (
	"context"
	"log/slog"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"signet/internal/store"
)

const (
	// restInterval is how often the server checks whether it has anything to do.
	restInterval = 5 * time.Second
	// restAllocations is up to how many bytes a server allocates meanwhile that has
	// next to nothing to do: heartbeats of streams, probes, the sweep.
	restAllocations = 4 << 20
	// allocated is how many bytes the program has allocated since it started.
	allocated = "/gc/heap/allocs:bytes"
)

// rest gives back to the system what a busy time took, once it is over: the pages
// that the store keeps of its file, which the system has in its own cache too, what is
// remembered of messages and people, and what the heap grew by. An idle server then needs
// as much memory as before. This happens once after each busy time, and costs a busy
// server nothing.
type rest struct {
	shrink func(context.Context) error // of the store; nil: it has nothing to give back
	forget func()
	log    *slog.Logger

	allocated uint64 // bytes, when it was last looked
	rested    bool
}

// newRest returns the rest of a server with this store, which can forget what it
// remembers.
func newRest(engine store.Engine, forget func(), log *slog.Logger) *rest {
	r := &rest{forget: forget, log: log}
	if e, ok := engine.(interface{ Shrink(context.Context) error }); ok {
		r.shrink = e.Shrink
	}
	return r
}

// run looks until ctx ends.
func (r *rest) run(ctx context.Context) {
	r.allocated = runtimeMetric(allocated)
	tick := time.NewTicker(restInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.look(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// look rests when nothing much was done since it looked last.
func (r *rest) look(ctx context.Context) {
	now := runtimeMetric(allocated)
	busy := now-r.allocated > restAllocations
	r.allocated = now
	if busy || r.rested {
		r.rested = r.rested && !busy
		return
	}
	r.rested = true
	if r.shrink != nil {
		if err := r.shrink(ctx); err != nil && ctx.Err() == nil {
			r.log.Warn("the store gave no memory back", "error", err)
		}
	}
	r.forget()
	debug.FreeOSMemory()
	r.allocated = runtimeMetric(allocated)
}

// runtimeMetric reads one of the runtime's own figures.
func runtimeMetric(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

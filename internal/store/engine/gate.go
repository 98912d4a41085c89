package engine

import (
	"context"
	"sync"

	"signet/internal/store"
)

// Gate keeps what an engine is made of open while calls are under way. The zero value is
// open.
type Gate struct {
	mu      sync.RWMutex // guards closed, so that nobody enters once Close waits
	closed  bool
	running sync.WaitGroup
}

// Enter lets a call in, which ends with Leave. It answers the error of ctx, if that has
// ended, and store.ErrClosed after Close.
func (g *Gate) Enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.closed {
		return store.ErrClosed
	}
	g.running.Add(1)
	return nil
}

// Leave ends a call that was let in.
func (g *Gate) Leave() { g.running.Done() }

// Close lets nobody in any more, and waits for the calls that are under way.
func (g *Gate) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.running.Wait()
}

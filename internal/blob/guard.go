package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"signet/internal/model"
)

// ErrNotOurs says that a place belongs to another installation, or to another copy of
// this one: nothing is kept or deleted there. Callers see it as ErrUnavailable.
var ErrNotOurs = errors.New("the attachments belong to another installation")

const (
	// guardTrust is for how long what was learned of an owner holds for deleting.
	guardTrust = time.Minute
	// guardRest is for how long a place that did not tell is not asked again: who waited
	// meanwhile would wait as long once more.
	guardRest = 2 * time.Second
)

// Guard returns the store as one that keeps and deletes only while ask says that the
// place is the caller's own. ask is called before the first blob is kept, and before one
// is deleted, where it was not called within the last minute.
func Guard(inner Store, clock func() time.Time, ask func(context.Context) error) Store {
	return &guarded{Store: inner, clock: clock, ask: ask}
}

type guarded struct {
	Store
	clock func() time.Time
	ask   func(context.Context) error

	mu     sync.Mutex // guards all below; held while somebody asks
	owned  bool
	asked  time.Time
	failed error // of the last time, where it did not tell
}

// Put implements Store.
func (g *guarded) Put(ctx context.Context, id model.BlobID, r io.Reader) (int64, error) {
	if err := g.own(ctx, 0); err != nil {
		return 0, fmt.Errorf("keep blob: %w", err)
	}
	return g.Store.Put(ctx, id, r)
}

// Delete implements Store.
func (g *guarded) Delete(ctx context.Context, id model.BlobID) error {
	if err := g.own(ctx, guardTrust); err != nil {
		return fmt.Errorf("delete blob: %w", err)
	}
	return g.Store.Delete(ctx, id)
}

// own asks whose the place is, unless it was the caller's within the given time; 0: ever
// since somebody found otherwise.
func (g *guarded) own(ctx context.Context, within time.Duration) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock()
	if age := now.Sub(g.asked); g.owned && (within == 0 || age >= 0 && age < within) {
		return nil
	}
	if age := now.Sub(g.asked); g.failed != nil && age >= 0 && age < guardRest {
		return g.failed
	}
	err := g.ask(ctx)
	g.owned, g.asked, g.failed = err == nil, now, nil
	if errors.Is(err, ErrNotOurs) {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err != nil && ctx.Err() == nil { // else it was the caller who had enough
		g.asked, g.failed = g.clock(), err
	}
	return err
}

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
	// guardTrust is how long an answer about the owner is good enough for deleting.
	guardTrust = time.Minute
	// guardRest is how long a place that did not answer is not asked again: callers
	// that waited meanwhile would have to wait as long once more.
	guardRest = 2 * time.Second
)

// Guard wraps a store, so that it keeps and deletes only while ask says that the
// place is the caller's own. It calls ask before it keeps the first blob, and before
// it deletes one if the last answer is older than a minute.
func Guard(inner Store, clock func() time.Time, ask func(context.Context) error) Store {
	return &guarded{Store: inner, clock: clock, ask: ask}
}

type guarded struct {
	Store
	clock func() time.Time
	ask   func(context.Context) error

	mu     sync.Mutex // guards all below; locked while ask runs
	owned  bool
	asked  time.Time
	failed error // of the last time, if the place did not answer
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

// own asks for the owner of the place, unless it was the caller within the given
// time; 0: at any time, if nothing contradicted it since.
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
	if err != nil && ctx.Err() == nil { // else the caller gave up
		g.asked, g.failed = g.clock(), err
	}
	return err
}

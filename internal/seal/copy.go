package seal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// copyTimeout is how long the making of a key waits for the copy.
	copyTimeout = 5 * time.Second
	// copyRound is how often the copy is compared, since other servers and commands change
	// the ring as well, and copyRetry how often one that is behind is tried again.
	copyRound = 30 * time.Second
	copyRetry = 2 * time.Second
)

// Copied is a ring with a copy in another storage. The copy gets each new key before
// its first use, and loses those that are destroyed. While the copy cannot be reached
// the ring goes on without, and the copy catches up later.
type Copied struct {
	Storage
	open func(context.Context) (Storage, error)
	next chan struct{} // receives when the copy fell behind

	mu     sync.Mutex // guards all below
	copy   Storage    // nil: not opened yet
	behind error      // why the copy lacks something; nil: it is complete
	missed uint64     // counts changes of the ring that the copy did not follow
}

var errNotCompared = errors.New("it has not been compared yet")

// WithCopy returns a storage that keeps a copy in another one. It calls open for
// that, again and again while the other is away. CatchUp and Run compare the copy.
func WithCopy(ring Storage, open func(context.Context) (Storage, error)) *Copied {
	return &Copied{Storage: ring, open: open, behind: errNotCompared, next: make(chan struct{}, 1)}
}

// opened returns the copy's storage.
func (c *Copied) opened(ctx context.Context) (Storage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.copy != nil {
		return c.copy, nil
	}
	copied, err := c.open(ctx)
	if err == nil {
		c.copy = copied
	}
	return copied, err
}

// Behind returns why the copy has not all that the ring has; nil where it does.
func (c *Copied) Behind() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.behind
}

// follow does something to the copy that was done to the ring. A copy that is behind is
// not waited for: it takes over all at once, in Run.
func (c *Copied) follow(ctx context.Context, do func(context.Context) error) {
	if c.misses() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), copyTimeout)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- do(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done(): // a file on a disk that hangs
		err = ctx.Err()
	}
	if err != nil {
		c.fell(err)
	}
}

// misses reports whether the copy is behind, and so misses a change of the ring.
func (c *Copied) misses() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.behind != nil {
		c.missed++
	}
	return c.behind != nil
}

// fell notes that the copy is behind.
func (c *Copied) fell(err error) {
	c.mu.Lock()
	c.behind = err
	c.missed++
	c.mu.Unlock()
	select {
	case c.next <- struct{}{}:
	default:
	}
}

// Add implements Storage. The copy has the key when it returns, or is behind.
func (c *Copied) Add(ctx context.Context, r Record) (Record, error) {
	added, err := c.Storage.Add(ctx, r)
	if err == nil {
		c.follow(ctx, func(ctx context.Context) error { return c.addToCopy(ctx, added) })
	}
	return added, err
}

func (c *Copied) addToCopy(ctx context.Context, r Record) error {
	to, err := c.opened(ctx)
	if err != nil {
		return err
	}
	there, err := to.Add(ctx, r)
	if errors.Is(err, ErrChanged) || err == nil && there.ID != r.ID {
		return c.equal(ctx)
	}
	return err
}

// Destroy implements Storage.
func (c *Copied) Destroy(ctx context.Context, ids []KeyID, at time.Time) error {
	err := c.Storage.Destroy(ctx, ids, at)
	if err == nil {
		c.follow(ctx, c.equal)
	}
	return err
}

// Rewrap implements Storage.
func (c *Copied) Rewrap(ctx context.Context, change func(*Contents) error) error {
	err := c.Storage.Rewrap(ctx, change)
	if err == nil {
		c.follow(ctx, c.equal)
	}
	return err
}

// Close implements Storage.
func (c *Copied) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.Storage.Close()
	if c.copy != nil {
		err = errors.Join(err, c.copy.Close())
	}
	return err
}

// Stranger says that what lies in the copy's place is not a copy of this ring, or is that of
// another installation.
type Stranger struct{ error }

// Unwrap returns the error.
func (s *Stranger) Unwrap() error { return s.error }

// errSame ends a change that would change nothing.
var errSame = errors.New("it is the same")

// Extra says that the copy holds keys that the ring lacks and has not destroyed.
type Extra struct {
	Keys int
	At   string
}

// Error says what to do.
func (e *Extra) Error() string {
	return fmt.Sprintf("the copy of the key ring at %s holds %d keys that the ring lacks, and has never destroyed: an "+
		"older ring was put in its place; \"signet keys import\" takes them over", e.At, e.Keys)
}

// equal makes the copy what the ring is. A key that only the copy has, and that the ring
// has not destroyed, stays in it: the ring is an older one then, and this the only place
// where the key is.
func (c *Copied) equal(ctx context.Context) error {
	to, err := c.opened(ctx)
	if err != nil {
		return err
	}
	there, _, err := to.Load(ctx, true)
	if err != nil {
		return err
	}
	if there == nil {
		now, _, err := c.Storage.Load(ctx, true)
		if err != nil || now == nil {
			return err
		}
		return to.Replace(ctx, now)
	}
	extra := 0
	err = to.Rewrap(ctx, func(there *Contents) error {
		now, _, err := c.Storage.Load(ctx, true) // while the copy is locked
		switch {
		case err != nil:
			return err
		case now == nil:
			return fmt.Errorf("%w: it is gone from %s", ErrUnavailable, c.Storage)
		}
		if err := now.MayReplace(there, to.String()); err != nil {
			return &Stranger{err}
		}
		extras := now.lacks(there)
		extra = len(extras)
		next := *now
		next.Records = slices.Concat(now.Records, extras)
		if there.same(&next) {
			return errSame
		}
		*there = next
		return nil
	})
	if errors.Is(err, errSame) {
		err = nil
	}
	if err == nil && extra > 0 {
		return &Extra{extra, to.String()}
	}
	return err
}

// lacks returns the keys of a copy that the ring neither has nor has destroyed.
func (c *Contents) lacks(copied *Contents) (extras []Record) {
	have := idsOf(c.Records)
	for _, r := range copied.Records {
		if _, gone := c.Gone[r.ID]; !have[r.ID] && !gone {
			if r.Retired.IsZero() {
				r.Retired = time.Unix(1, 0) // the ring's own of that name is in use
			}
			extras = append(extras, r)
		}
	}
	return extras
}

// same reports whether two hold the same keys, under the same master key and of the same owner.
func (c *Contents) same(as *Contents) bool {
	return c.Master == as.Master && len(c.Records) == len(as.Records) && c.Owner == as.Owner &&
		maps.Equal(c.Gone, as.Gone) && maps.Equal(idsOf(c.Records), idsOf(as.Records))
}

func idsOf(records []Record) map[KeyID]bool {
	ids := make(map[KeyID]bool, len(records))
	for i := range records {
		ids[records[i].ID] = true
	}
	return ids
}

// CatchUp makes the copy what the ring is, and notes whether it is.
func (c *Copied) CatchUp(ctx context.Context) error {
	for {
		c.mu.Lock()
		missed := c.missed
		c.mu.Unlock()
		err := c.equal(ctx)
		if c.settle(ctx, err, missed) {
			return err
		}
	}
}

// settle notes how the copy is after it was made what the ring is. It reports false where the ring changed meanwhile,
// and the copy missed that.
func (c *Copied) settle(ctx context.Context, err error, missed uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil {
		return true
	}
	if err == nil && c.missed != missed {
		return false
	}
	c.behind = err
	return true
}

// Run compares the copy with the ring now and then, and more often while it is behind,
// until ctx ends. told is called with what became of it each time.
func (c *Copied) Run(ctx context.Context, told func(error)) {
	for {
		wait := copyRound
		err := c.CatchUp(ctx)
		if ctx.Err() != nil {
			return
		}
		if told(err); err != nil {
			wait = copyRetry
		}
		select {
		case <-time.After(wait):
		case <-c.next:
			told(c.Behind())
		case <-ctx.Done():
			return
		}
	}
}

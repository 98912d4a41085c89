package transport

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// silence is how long a connection may be open without a request before it counts as one that has
// none. A client sends its first one within two round trips; browsers open some before they know of any.
const silence = time.Second

// Busy knows on which connections of a server a request runs, or may be on its way: those that were
// just accepted. http.Server.Shutdown drops a request that it reads once it has begun, so it
// comes after these are done. It is safe for concurrent use.
type Busy struct {
	mu      sync.Mutex             // guards all below
	since   map[net.Conn]time.Time // of one that was accepted; zero: of one that answers
	changed chan struct{}          // closed when one is no longer busy; nil: nothing waits for that
}

// NewBusy returns one that knows of none.
func NewBusy() *Busy { return &Busy{since: map[net.Conn]time.Time{}} }

// Track is the ConnState of the server.
func (b *Busy) Track(c net.Conn, state http.ConnState) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch state {
	case http.StateNew:
		b.since[c] = time.Now()
	case http.StateActive:
		b.since[c] = time.Time{}
	default: // idle, closed, or somebody else's
		delete(b.since, c)
		if b.changed != nil {
			close(b.changed)
			b.changed = nil
		}
	}
}

// Await waits until no connection is busy, or ctx ends.
func (b *Busy) Await(ctx context.Context) {
	for {
		changed, left := b.left()
		if left == 0 {
			return
		}
		timer := time.NewTimer(left)
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// left returns for how long connections may still be busy, 0 if none is, and what is closed when
// one has ended.
func (b *Busy) left() (changed <-chan struct{}, longest time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, since := range b.since {
		if since.IsZero() {
			longest = max(longest, silence) // and longer: it is looked at again
			continue
		}
		longest = max(longest, time.Until(since.Add(silence)))
	}
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return b.changed, longest
}

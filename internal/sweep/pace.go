package sweep

import (
	"context"
	"sync"
	"time"
)

const (
	// few is about how many messages that have ended are in the store at the most, where many end in a second. A count
	// of what somebody has unread looks at each of them.
	few = 100
	// leastPause is how long is waited between two sweeps of messages at least.
	leastPause = 20 * time.Millisecond
)

// pace says when messages are swept between two rounds: as soon as about few have ended, as fast as they last did. It
// is safe for concurrent use.
type pace struct {
	mu    sync.Mutex    // guards all below
	at    time.Duration // when they were swept last, by the monotonic clock
	pause time.Duration // after it; 0: no sweep is needed before the next round
}

// swept notes that so many were swept.
func (p *pace) swept(messages int, at time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	within := at - p.at
	if p.at, p.pause = at, 0; messages > 0 {
		p.pause = max(within*few/time.Duration(messages), leastPause)
	}
}

// left returns how long to wait for the next sweep of messages, where that comes sooner than after the time of a round.
func (p *pace) left(now, round time.Duration) (wait time.Duration, sooner bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pause == 0 || p.pause >= round {
		return 0, false
	}
	return max(p.at+p.pause-now, 0), true
}

// sweepEarly removes messages that have ended since, and leaves all else to the next round.
func (w *Sweeper) sweepEarly(ctx context.Context) error {
	at, err := w.Clock.EndingTime(ctx)
	if err != nil || at.IsZero() {
		w.pace.swept(0, w.Clock.Elapsed())
		return err
	}
	return w.run(ctx, &w.tasks.messages, func(ctx context.Context) error {
		removed, err := w.removeEnded(ctx, at)
		if removed > 0 {
			w.erased.Store(true)
		}
		return err
	})
}

// removeEnded is sweepMessages, of which the pace is taken.
func (w *Sweeper) removeEnded(ctx context.Context, at time.Time) (removed int, err error) {
	if removed, err = w.sweepMessages(ctx, at); err != nil {
		w.pace.swept(0, w.Clock.Elapsed())
		return removed, err
	}
	w.pace.swept(removed, w.Clock.Elapsed())
	return removed, nil
}

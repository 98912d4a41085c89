package load

import (
	"context"
	"sync"
	"time"
)

// afterFailure is how long a connection waits after an operation that failed, so
// that a server which is down is not asked as fast as it can be refused.
const afterFailure = 10 * time.Millisecond

// pace runs operations until a time.
type pace struct {
	workers int
	rate    float64 // operations a second; 0: as fast as they end
	begin   time.Time
	end     time.Time
	record  *recorder
	operate func(ctx context.Context, worker int) error

	// sleep waits precisely; without it nothing else may.
	sleep func(time.Duration)
}

// run returns when every operation has ended that began before the end; without a rate each
// connection carries out one at least. When ctx ends, none begins any more, and those under way
// are cut off and not counted.
func (p *pace) run(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	if p.rate == 0 {
		for worker := range p.workers {
			workers.Go(func() { p.closed(ctx, worker) })
		}
		return
	}
	due := make(chan time.Time)
	for worker := range p.workers {
		workers.Go(func() {
			for begin := range due {
				p.one(ctx, worker, begin)
			}
		})
	}
	p.open(ctx, due)
	close(due)
}

// closed begins each operation when the last one has ended.
func (p *pace) closed(ctx context.Context, worker int) {
	for again := true; again && ctx.Err() == nil; again = time.Now().Before(p.end) {
		if !p.one(ctx, worker, time.Now()) {
			_ = wait(ctx, afterFailure) // the loop looks at the context
		}
	}
}

// open hands operations out at the times that the rate sets. When no connection
// is free it waits for one, and the times stay as they were: the operations that
// came too late so have their waiting counted.
func (p *pace) open(ctx context.Context, due chan<- time.Time) {
	ended := time.NewTimer(time.Until(p.end))
	defer ended.Stop()
	for i := int64(0); ; i++ {
		next := p.begin.Add(time.Duration(float64(i) / p.rate * float64(time.Second)))
		if !next.Before(p.end) {
			return
		}
		// Long waits end early when ctx does; the rest is too short to matter.
		if early := time.Until(next) - precise; early > 0 && wait(ctx, early) != nil {
			return
		}
		if rest := time.Until(next); rest > 0 {
			p.sleep(rest)
		}
		select {
		case due <- next:
		case <-ctx.Done():
			return
		case <-ended.C:
			p.missed(i)
			return
		}
	}
}

// missed counts the operations from one number on that never began.
func (p *pace) missed(i int64) {
	for ; ; i++ {
		next := p.begin.Add(time.Duration(float64(i) / p.rate * float64(time.Second)))
		if !next.Before(p.end) {
			return
		}
		p.record.miss(next, p.end)
	}
}

// one carries out an operation, and reports whether it succeeded.
func (p *pace) one(ctx context.Context, worker int, begin time.Time) bool {
	err := p.operate(ctx, worker)
	if ctx.Err() != nil {
		return false
	}
	p.record.record(begin, time.Now(), err)
	return err == nil
}

// wait waits for a time, or until ctx ends and returns its error.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// together runs fn for 0 to n-1, at most some at once, until one fails.
func together(ctx context.Context, n, atOnce int, fn func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range min(n, atOnce) {
		workers.Go(func() {
			for i := range numbers {
				if err := fn(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		select {
		case numbers <- i:
		case <-ctx.Done():
		}
	}
	close(numbers)
	workers.Wait()
	return context.Cause(ctx)
}

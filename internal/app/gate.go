package app

import (
	"context"
	"sync"
	"time"
)

// gate counts the requests that run, and from some moment lets no more in.
type gate struct {
	mu      sync.Mutex // guards all below
	running int
	entered uint64 // how many there have been
	shut    bool
	idle    chan struct{} // closed when it is shut and nothing runs

	era  era           // the one that runs, 0 or 1
	of   [eras]int     // how many requests run that began in each
	over chan struct{} // closed when none of the era before runs; nil: nothing waits for that
}

// era is when a request began: before or after the last look for requests that take long.
type era int

const (
	standing era = iota + 2 // of requests that run until they are ended, in none of the others
	eras
)

func newGate() *gate { return &gate{idle: make(chan struct{})} }

// enter reports whether a request may run; if so, leave must follow, with the era. lasts says
// that it runs until it is ended.
func (g *gate) enter(lasts bool) (began era, may bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return 0, false
	}
	g.running++
	g.entered++
	if began = g.era; lasts {
		began = standing
	}
	g.of[began]++
	return began, true
}

func (g *gate) leave(began era) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	if g.of[began]--; g.of[began] == 0 && g.over != nil && began == 1-g.era {
		close(g.over)
		g.over = nil
	}
	if g.shut && g.running == 0 {
		close(g.idle)
	}
}

// close lets no more requests in and returns how many still run. It is called
// once.
func (g *gate) close() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = true
	if g.running == 0 {
		close(g.idle)
	}
	return g.running
}

func (g *gate) isShut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut
}

func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running
}

// quiet waits until nothing has run for a while, or ctx ends.
func (g *gate) quiet(ctx context.Context, while time.Duration) {
	seen := func() (running int, entered uint64) {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.running, g.entered
	}
	for {
		_, before := seen()
		select {
		case <-time.After(while):
		case <-ctx.Done():
			return
		}
		if running, entered := seen(); running == 0 && entered == before {
			return
		}
	}
}

// calm waits for a moment in which no request has run for longer than brief, but for those that
// last, and reports whether there was one before ctx ended. One goroutine at a time may call it.
func (g *gate) calm(ctx context.Context, brief time.Duration) bool {
	for {
		looked := time.Now()
		over, turned := g.turn()
		select {
		case <-over:
		case <-ctx.Done():
			return false
		}
		if turned && time.Since(looked) <= brief {
			return true
		}
	}
}

// turn begins another era, and returns what is closed once no request of the one before runs. Where
// some still do of the era before that, no other begins: turned is false then.
func (g *gate) turn() (over <-chan struct{}, turned bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if turned = g.of[1-g.era] == 0; turned {
		g.era = 1 - g.era
	}
	ends := make(chan struct{})
	if g.of[1-g.era] == 0 {
		close(ends)
	} else {
		g.over = ends
	}
	return ends, turned
}

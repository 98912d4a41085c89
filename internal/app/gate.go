package app

import "sync"

// gate counts the requests that run, and from some moment lets no more in.
type gate struct {
	mu      sync.Mutex // guards all below
	running int
	shut    bool
	idle    chan struct{} // closed when it is shut and nothing runs
}

func newGate() *gate { return &gate{idle: make(chan struct{})} }

// enter reports whether a request may run; if so, leave must follow.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return false
	}
	g.running++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
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

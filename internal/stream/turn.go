package stream

import (
	"runtime"
	"sync"
)

// turnsEach is how many streams have to wait for their turn before one more goroutine
// gives turns. To begin one wakes up a processor, which costs more than some writes do.
const turnsEach = 32

// turns gives those streams their turn that have something to do, in the order in which
// they came. A few goroutines do so for all: most turns are one write that does not
// wait, and a goroutine that began for it would cost as much again. A stream that has
// to wait for something keeps the goroutine, and another one goes on with the rest.
type turns struct {
	mu          sync.Mutex // guards all below; comes after the hub's locks
	first, last *Stream    // of those that wait for their turn, linked by behind
	waiting     int        // how many these are
	givers      int        // goroutines that give turns
}

// add has a stream get a turn. It must not wait for one already.
func (t *turns) add(st *Stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil {
		t.first = st
	} else {
		t.last.behind = st
	}
	t.last = st
	t.waiting++
	if t.waiting > t.givers*turnsEach && t.givers < runtime.GOMAXPROCS(0) {
		t.givers++
		go t.give()
	}
}

// join has the goroutine that calls it be a giver: give has to follow.
func (t *turns) join() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.givers++
}

// next returns whose turn it is. Where nobody waits for one it returns nil, and there is
// a giver less.
func (t *turns) next() *Stream {
	t.mu.Lock()
	defer t.mu.Unlock()
	st := t.first
	if st == nil {
		t.givers--
		return nil
	}
	if t.first, st.behind = st.behind, nil; t.first == nil {
		t.last = nil
	}
	t.waiting--
	return st
}

// give gives turns until nobody waits for one, or a stream keeps the goroutine.
func (t *turns) give() {
	for st := t.next(); st != nil; st = t.next() {
		st.apart = false
		if st.work() {
			return
		}
	}
}

// leave is called by a giver that gives no more turns.
func (t *turns) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting > 0 {
		go t.give()
	} else {
		t.givers--
	}
}

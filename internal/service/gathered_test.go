package service_test

import (
	"context"
	"sync"

	"signet/internal/store"
)

// gathering puts so many calls of Update into one transaction, as the embedded engine does with
// those that wait for its writer at the same time. It waits until there are as many.
type gathering struct {
	engine store.Engine
	size   int

	mu      sync.Mutex // guards waiting
	waiting []*gathered
}

// gathered is a call that waits.
type gathered struct {
	fn   func(store.Session) error
	done chan error // receives once
}

func (g *gathering) update(ctx context.Context, fn func(store.Session) error) error {
	call := &gathered{fn, make(chan error, 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, call)
	var batch []*gathered
	if len(g.waiting) == g.size {
		batch, g.waiting = g.waiting, nil
	}
	g.mu.Unlock()
	if batch != nil {
		g.run(batch)
	}
	select {
	case err := <-call.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run carries out the calls of a batch. If one fails, all do.
func (g *gathering) run(batch []*gathered) {
	err := g.engine.Update(context.Background(), func(s store.Session) error {
		var committed told
		for _, call := range batch {
			if err := call.fn(gatheredSession{s, &committed}); err != nil {
				return err
			}
		}
		s.Committed(committed.tell, committed.act)
		return nil
	})
	for _, call := range batch {
		call.done <- err
	}
}

// gatheredSession keeps what each call wants to be told.
type gatheredSession struct {
	store.Session
	committed *told
}

func (s gatheredSession) Committed(done func(beside bool), then func()) {
	s.committed.done, s.committed.then = append(s.committed.done, done), append(s.committed.then, then)
}

// told is what the calls of a batch are called with, before their answers and after.
type told struct {
	done []func(beside bool)
	then []func()
}

func (t *told) tell(beside bool) {
	for _, done := range t.done {
		done(beside)
	}
}

func (t *told) act() {
	for _, then := range t.then {
		then()
	}
}

package service_test

import (
	"context"
	"sync/atomic"

	"signet/internal/store"
)

// countedEngine counts the statements that an engine runs, and how many rows the largest
// transaction wrote, and how many the one read that may write and reads most.
type countedEngine struct {
	store.Engine
	statements, rows, read atomic.Int64
	gathering              atomic.Pointer[gathering] // nil: each Update is run by itself
}

func (e *countedEngine) counted(writes bool, fn func(store.Session) error) func(store.Session) error {
	return func(s store.Session) error {
		var rows, read int64
		err := fn(countedSession{s, &e.statements, &rows, &read})
		if err == nil && rows > e.rows.Load() { // one goroutine writes
			e.rows.Store(rows)
		}
		if err == nil && writes && read > e.read.Load() {
			e.read.Store(read)
		}
		return err
	}
}

func (e *countedEngine) View(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	return e.Engine.View(ctx, e.counted(false, fn), traits...)
}

func (e *countedEngine) Update(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	if g := e.gathering.Load(); g != nil {
		return g.update(ctx, e.counted(true, fn))
	}
	return e.Engine.Update(ctx, e.counted(true, fn), traits...)
}

type countedSession struct {
	store.Session
	statements *atomic.Int64
	rows, read *int64
}

func (s countedSession) Exec(query string, args ...any) (int64, error) {
	s.statements.Add(1)
	n, err := s.Session.Exec(query, args...)
	*s.rows += n
	return n, err
}

func (s countedSession) Post(query string, args ...any) error {
	_, err := s.Exec(query, args...)
	return err
}

func (s countedSession) Query(query string, args []any, each func(store.Row) error) error {
	s.statements.Add(1)
	return s.Session.Query(query, args, s.counting(each))
}

func (s countedSession) Ask(query string, args []any, each func(store.Row) error) error {
	s.statements.Add(1)
	return s.Session.Ask(query, args, s.counting(each))
}

func (s countedSession) counting(each func(store.Row) error) func(store.Row) error {
	return func(row store.Row) error {
		*s.read++
		return each(row)
	}
}

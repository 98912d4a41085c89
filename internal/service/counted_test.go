package service_test

import (
	"context"
	"sync/atomic"

	"signet/internal/store"
)

// countedEngine counts the statements that an engine runs.
type countedEngine struct {
	store.Engine
	statements atomic.Int64
}

func (e *countedEngine) counted(fn func(store.Session) error) func(store.Session) error {
	return func(s store.Session) error { return fn(countedSession{s, &e.statements}) }
}

func (e *countedEngine) View(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	return e.Engine.View(ctx, e.counted(fn), traits...)
}

func (e *countedEngine) Update(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	return e.Engine.Update(ctx, e.counted(fn), traits...)
}

type countedSession struct {
	store.Session
	statements *atomic.Int64
}

func (s countedSession) Exec(query string, args ...any) (int64, error) {
	s.statements.Add(1)
	return s.Session.Exec(query, args...)
}

func (s countedSession) Post(query string, args ...any) error {
	s.statements.Add(1)
	return s.Session.Post(query, args...)
}

func (s countedSession) Query(query string, args []any, each func(store.Row) error) error {
	s.statements.Add(1)
	return s.Session.Query(query, args, each)
}

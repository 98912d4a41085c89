package enginetest

import (
	"context"
	"path/filepath"
	"testing"

	"signet/internal/store"
	"signet/internal/store/sqlite"
)

// Explained is the embedded engine, and notes how it carries out what Views read.
type Explained struct {
	*sqlite.Engine
	Plans []Plan // of the statements, in their order
}

// Plan is how the engine carries out a statement.
type Plan struct {
	Query string
	Steps []string
}

// OpenExplained opens an empty store on an engine that explains itself, until the test ends.
func OpenExplained(t testing.TB) (*store.Store, *Explained) {
	t.Helper()
	engine, err := sqlite.Open(filepath.Join(t.TempDir(), fileName), sqlite.Options{})
	must(t, err)
	e := &Explained{Engine: engine}
	kept, err := store.Open(context.Background(), e, func() string { return "epoch" })
	must(t, err)
	t.Cleanup(func() { must(t, kept.Close()) })
	return kept, e
}

// View notes the plans of what it reads.
func (e *Explained) View(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	return e.Engine.View(ctx, func(s store.Session) error { return fn(explainedSession{s, e}) }, traits...)
}

type explainedSession struct {
	store.Session
	engine *Explained
}

func (s explainedSession) Query(query string, args []any, each func(store.Row) error) error {
	if err := s.explain(query, args); err != nil {
		return err
	}
	return s.Session.Query(query, args, each)
}

func (s explainedSession) Ask(query string, args []any, each func(store.Row) error) error {
	if err := s.explain(query, args); err != nil {
		return err
	}
	return s.Session.Ask(query, args, each)
}

func (s explainedSession) explain(query string, args []any) error {
	plan := Plan{Query: query}
	err := s.Session.Query("EXPLAIN QUERY PLAN "+query, args, func(row store.Row) error {
		var id, parent, unused int
		var step string
		err := row.Scan(&id, &parent, &unused, &step)
		plan.Steps = append(plan.Steps, step)
		return err
	})
	s.engine.Plans = append(s.engine.Plans, plan)
	return err
}

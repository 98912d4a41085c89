package storetest

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/testclock"
)

// start is when every case begins. It has the precision in which times are stored.
var start = time.Date(2026, 11, 21, 8, 15, 30, 123e6, time.UTC)

// database is the database of one case.
type database struct {
	clock *testclock.Clock
	open  Opener
}

func newDatabase(t testing.TB, h Harness) *database {
	return &database{clock: testclock.At(start), open: h.Open(t)}
}

// mustOpen opens an engine, which is closed when the test ends, if not before.
func (d *database) mustOpen(t testing.TB) store.Engine {
	t.Helper()
	engine, err := d.open(d.clock.Now)
	if err != nil {
		t.Fatalf("open an engine: %v", err)
	}
	t.Cleanup(func() { mustClose(t, engine) })
	return engine
}

// mustOpenNodes opens as many engines as the harness allows at a time.
func (d *database) mustOpenNodes(t testing.TB, h Harness) []store.Engine {
	t.Helper()
	engines := make([]store.Engine, max(h.Nodes, 1))
	for i := range engines {
		engines[i] = d.mustOpen(t)
	}
	return engines
}

func mustClose(t testing.TB, c interface{ Close() error }) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// newItems opens an engine with a table for the cases that are about the engine
// alone. name is the key; of the rest, what is not given is NULL.
func newItems(t testing.TB, h Harness) (store.Engine, *database) {
	t.Helper()
	d := newDatabase(t, h)
	e := d.mustOpen(t)
	createItems(t, e)
	return e, d
}

func createItems(t testing.TB, e store.Engine) {
	t.Helper()
	words := e.Dialect()
	mustExec(t, e, `CREATE TABLE items (name TEXT NOT NULL, n BIGINT, flag INTEGER, note TEXT, content `+words.Bytes+
		`, id `+words.ID+`,
		PRIMARY KEY (name))`+words.Suffix)
}

// mustExec runs one statement in a transaction of its own and returns how many
// rows it changed.
func mustExec(t testing.TB, e store.Engine, query string, args ...any) (changed int64) {
	t.Helper()
	err := e.Update(context.Background(), func(s store.Session) (err error) {
		changed, err = s.Exec(query, args...)
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return changed
}

// put returns a function for Update that adds an item.
func put(name string, n int) func(store.Session) error {
	return func(s store.Session) error {
		_, err := s.Exec(`INSERT INTO items (name, n) VALUES (?, ?)`, name, n)
		return err
	}
}

// names lists the items, in order.
func names(t testing.TB, e store.Engine) []string {
	t.Helper()
	return column[string](t, e, `SELECT name FROM items ORDER BY name`)
}

// column returns the one column that a statement selects.
func column[T any](t testing.TB, e store.Engine, query string, args ...any) []T {
	t.Helper()
	out := []T{}
	err := e.View(context.Background(), func(s store.Session) error {
		out = out[:0]
		return s.Query(query, args, func(r store.Row) error {
			var value T
			err := r.Scan(&value)
			out = append(out, value)
			return err
		})
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return out
}

func wantEqual[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func wantError(t testing.TB, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}

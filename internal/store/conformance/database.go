package conformance

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/testclock"
)

// Start is when every case begins. It has the precision in which times are stored.
var Start = time.Date(2026, 11, 21, 8, 15, 30, 123e6, time.UTC)

// Database is the database of one case. Its clock stands still until the case sets it.
type Database struct {
	Clock *testclock.Clock
	open  Opener
}

// NewDatabase makes an empty one, with its clock at Start.
func NewDatabase(t testing.TB, h Harness) *Database {
	return &Database{Clock: testclock.At(Start), open: h.Open(t)}
}

// MustOpen opens an engine, which is closed when the test ends, if not before.
func (d *Database) MustOpen(t testing.TB) store.Engine {
	t.Helper()
	engine, err := d.open(d.Clock.Now)
	if err != nil {
		t.Fatalf("open an engine: %v", err)
	}
	t.Cleanup(func() { MustClose(t, engine) })
	return engine
}

// MustOpenNodes opens as many engines as the harness allows at a time.
func (d *Database) MustOpenNodes(t testing.TB, h Harness) []store.Engine {
	t.Helper()
	engines := make([]store.Engine, max(h.Nodes, 1))
	for i := range engines {
		engines[i] = d.MustOpen(t)
	}
	return engines
}

// MustClose closes an engine or a store.
func MustClose(t testing.TB, c interface{ Close() error }) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// newItems opens an engine with a table for the cases that are about the engine
// alone. name is the key; of the rest, what is not given is NULL.
func newItems(t testing.TB, h Harness) (store.Engine, *Database) {
	t.Helper()
	d := NewDatabase(t, h)
	e := d.MustOpen(t)
	createItems(t, e)
	return e, d
}

func createItems(t testing.TB, e store.Engine) {
	t.Helper()
	words := e.Dialect()
	MustExec(t, e, `CREATE TABLE items (name TEXT NOT NULL, n BIGINT, flag INTEGER, note TEXT, content `+words.Bytes+
		`, id `+words.ID+`,
		PRIMARY KEY (name))`+words.Suffix)
}

// MustExec runs one statement in a transaction of its own and returns how many
// rows it changed.
func MustExec(t testing.TB, e store.Engine, query string, args ...any) (changed int64) {
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
	return Column[string](t, e, `SELECT name FROM items ORDER BY name`)
}

// Column returns the one column that a statement selects.
func Column[T any](t testing.TB, e store.Engine, query string, args ...any) []T {
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

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"signet/internal/store"
)

// count returns how many items a session sees.
func count(s store.Session) (n int, err error) {
	err = s.Query(`SELECT count(*) FROM items`, nil, func(r store.Row) error { return r.Scan(&n) })
	return n, err
}

// endless counts for ever, in a single step of the statement.
func endless(s store.Session) error {
	return s.Query(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n`,
		nil, func(store.Row) error { return nil })
}

func TestViewSeesEveryUpdateThatReturned(t *testing.T) {
	e := mustOpen(t, Options{})
	var callers sync.WaitGroup
	for caller := range 8 {
		callers.Go(func() {
			for i := range 50 {
				name := fmt.Sprintf("%d-%d", caller, i)
				if err := e.Update(t.Context(), insert(name)); err != nil {
					t.Error(err)
					return
				}
				found := false
				err := e.View(t.Context(), func(s store.Session) error {
					return s.Query(`SELECT 1 FROM items WHERE name = ?`, []any{name}, func(store.Row) error {
						found = true
						return nil
					})
				})
				if err != nil || !found {
					t.Errorf("item %s: found %t, error %v", name, found, err)
					return
				}
			}
		})
	}
	callers.Wait()
}

func TestViewStaysOnItsSnapshot(t *testing.T) {
	e := mustOpen(t, Options{})
	err := e.View(t.Context(), func(s store.Session) error {
		before, err := count(s)
		if err != nil {
			return err
		}
		if err := e.Update(t.Context(), insert("a")); err != nil {
			return err
		}
		after, err := count(s)
		if before != 0 || after != 0 {
			t.Errorf("%d items, then %d, want none", before, after)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	wantItems(t, e, "a")
}

func TestViewDoesNotSeeWhatIsNotCommitted(t *testing.T) {
	e := mustOpen(t, Options{})
	err := e.Update(t.Context(), func(s store.Session) error {
		if err := insert("a")(s); err != nil {
			return err
		}
		return e.View(t.Context(), func(s store.Session) error {
			if n, err := count(s); n != 0 || err != nil {
				t.Errorf("%d items, error %v", n, err)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestViewCannotWrite(t *testing.T) {
	e := mustOpen(t, Options{})
	for _, text := range []string{
		`INSERT INTO items (name, content) VALUES ('a', '')`,
		`WITH x (n) AS (SELECT 'a') INSERT INTO items (name, content) SELECT n, '' FROM x`,
		`CREATE TABLE t (x)`,
	} {
		err := e.View(t.Context(), func(s store.Session) error {
			_, err := s.Exec(text)
			return err
		})
		wantError(t, err, errReadOnly)
		err = e.View(t.Context(), func(s store.Session) error {
			return s.Query(text, nil, func(store.Row) error { return nil })
		})
		wantError(t, err, errReadOnly)
	}
	wantItems(t, e)
}

func TestViewReturnsTheErrorOfItsFunction(t *testing.T) {
	e := mustOpen(t, Options{})
	wantError(t, e.View(t.Context(), func(store.Session) error { return errMine }), errMine)
}

func TestViewInterruptsALongQueryAndKeepsTheConnection(t *testing.T) {
	e := mustOpen(t, Options{Readers: 1})
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		err := e.View(ctx, func(s store.Session) error {
			go cancel()
			return endless(s)
		})
		wantError(t, err, context.Canceled)
		wantItems(t, e)
	}
}

func TestViewKeepsTheConnectionWhenTheContextEndsWithTheView(t *testing.T) {
	e := mustOpen(t, Options{Readers: 1})
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		err := e.View(ctx, func(s store.Session) error {
			go cancel()
			runtime.Gosched()
			_, err := count(s)
			return err
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		wantItems(t, e)
	}
}

func TestViewGivesUpWaitingForAConnectionWhenTheContextEnds(t *testing.T) {
	e := mustOpen(t, Options{Readers: 1})
	ctx, cancel := context.WithCancel(t.Context())
	err := e.View(t.Context(), func(store.Session) error {
		waiting := make(chan error, 1)
		go func() {
			waiting <- e.View(ctx, func(store.Session) error {
				t.Error("two Views with one connection")
				return nil
			})
		}()
		cancel()
		return <-waiting
	})
	wantError(t, err, context.Canceled)
}

func TestViewPassesAPanicOnAndKeepsTheConnection(t *testing.T) {
	e := mustOpen(t, Options{Readers: 1})
	mustExec(t, e, `INSERT INTO items (name, content) VALUES ('a', '')`)
	func() {
		defer func() {
			if recover() != any(errMine) {
				t.Error("the panic did not arrive")
			}
		}()
		_ = e.View(t.Context(), func(s store.Session) error {
			return s.Query(`SELECT name FROM items`, nil, func(store.Row) error { panic(errMine) })
		})
	}()
	wantItems(t, e, "a")
}

func TestViewFollowsAChangeOfTheSchema(t *testing.T) {
	e := mustOpen(t, Options{Readers: 1})
	mustExec(t, e, `INSERT INTO items (name, content) VALUES ('a', '')`)
	wantItems(t, e, "a")
	mustExec(t, e, `ALTER TABLE items ADD COLUMN more TEXT NOT NULL DEFAULT 'x'`)
	columns := func(s store.Session) error {
		return s.Query(`SELECT * FROM items`, nil, func(r store.Row) error {
			var name, more string
			var content []byte
			return r.Scan(&name, &content, &more)
		})
	}
	if err := e.View(t.Context(), columns); err != nil {
		t.Fatal(err)
	}
	wantItems(t, e, "a")
}

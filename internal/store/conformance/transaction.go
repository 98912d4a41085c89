package conformance

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"signet/internal/store"
)

// transactions: all or nothing, for each one alone.
func transactions(t *testing.T, h Harness) {
	InTurn(t, h, []Case{
		{Name: "an_error_leaves_nothing", Run: errorLeavesNothing},
		{Name: "a_statement_that_failed_leaves_nothing_of_its_transaction", Run: failedStatementLeavesNothing},
		{Name: "a_transaction_sees_what_it_wrote", Run: transactionSeesItsWrites},
		{Name: "a_panic_leaves_nothing_and_harms_nobody", Run: panicLeavesNothing},
		{Name: "a_panic_among_the_rows_leaves_nothing_and_harms_nobody", Run: panicAmongRowsLeavesNothing},
		{Name: "a_view_cannot_write", Run: viewCannotWrite},
		{Name: "a_view_stays_at_its_moment", Run: viewStaysAtItsMoment},
		{Name: "a_session_is_of_no_use_after_its_end", Run: sessionEnds},
		{Name: "those_that_fail_do_not_touch_their_neighbours", Run: failuresTouchNoNeighbour},
	})
}

func errorLeavesNothing(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	MustExec(t, e, `INSERT INTO items (name, n) VALUES ('kept', 1)`)
	err := e.Update(t.Context(), func(s store.Session) error {
		_, err := s.Exec(`UPDATE items SET n = 2`)
		return errors.Join(err, put("gone", 1)(s), ErrMine)
	})
	wantError(t, "update", err, ErrMine)
	wantEqual(t, "items", names(t, e), []string{"kept"})
	wantEqual(t, "numbers", Column[int64](t, e, `SELECT n FROM items`), []int64{1})
}

func failedStatementLeavesNothing(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	err := e.Update(t.Context(), func(s store.Session) error {
		if err := put("a", 1)(s); err != nil {
			return err
		}
		return put("a", 2)(s)
	})
	wantError(t, "update", err, store.ErrConflict)
	wantEqual(t, "items", names(t, e), []string{})
}

func transactionSeesItsWrites(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	err := e.Update(t.Context(), func(s store.Session) error {
		if err := put("a", 1)(s); err != nil {
			return err
		}
		rows := 0
		err := s.Query(`SELECT name FROM items`, nil, func(store.Row) error { rows++; return nil })
		wantEqual(t, "rows", rows, 1)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func panicLeavesNothing(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	for name, transact := range map[string]func(context.Context, func(store.Session) error,
		...store.Trait) error{"update": e.Update, "view": e.View} {
		err := fallen(func() error {
			return transact(t.Context(), func(s store.Session) error {
				if name == "update" {
					if err := put("gone", 1)(s); err != nil {
						return err
					}
				}
				panic("on purpose")
			})
		})
		if err == nil {
			t.Errorf("a panic in a %s was taken for success", name)
		}
	}
	MustExec(t, e, `INSERT INTO items (name, n) VALUES ('after', 1)`)
	wantEqual(t, "items", names(t, e), []string{"after"})
}

func panicAmongRowsLeavesNothing(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	MustExec(t, e, `INSERT INTO items (name, n) VALUES ('a', 1), ('b', 2)`)
	for range 3 {
		err := fallen(func() error {
			return e.Update(t.Context(), func(s store.Session) error {
				if err := put("gone", 1)(s); err != nil {
					return err
				}
				return s.Query(`SELECT name FROM items`, nil, func(store.Row) error { panic("on purpose") })
			})
		})
		if err == nil {
			t.Error("a panic was taken for success")
		}
	}
	MustExec(t, e, `DELETE FROM items WHERE name = 'b'`)
	wantEqual(t, "items", names(t, e), []string{"a"})
}

func viewCannotWrite(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	if err := e.View(t.Context(), put("gone", 1)); err == nil {
		t.Error("it did")
	}
	wantEqual(t, "items", names(t, e), []string{})
}

func viewStaysAtItsMoment(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	MustExec(t, e, `INSERT INTO items (name, n) VALUES ('before', 1)`)
	err := e.View(t.Context(), func(s store.Session) error {
		count := func() (n int, err error) {
			err = s.Query(`SELECT name FROM items`, nil, func(store.Row) error { n++; return nil })
			return n, err
		}
		if n, err := count(); n != 1 || err != nil {
			return fmt.Errorf("%d items before: %w", n, err)
		}
		written := make(chan error)
		go func() { written <- e.Update(context.Background(), put("during", 2)) }()
		if err := <-written; err != nil {
			return err
		}
		n, err := count()
		wantEqual(t, "items seen after somebody wrote", n, 1)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	wantEqual(t, "items", names(t, e), []string{"before", "during"})
}

func sessionEnds(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	var kept, viewed store.Session
	if err := e.Update(t.Context(), func(s store.Session) error { kept = s; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := e.View(t.Context(), func(s store.Session) error { viewed = s; return nil }); err != nil {
		t.Fatal(err)
	}
	for _, s := range []store.Session{kept, viewed} {
		_, err := s.Exec(`INSERT INTO items (name) VALUES ('late')`)
		if s.Post(`INSERT INTO items (name) VALUES ('late')`) == nil || err == nil ||
			s.Query(`SELECT name FROM items`, nil, func(store.Row) error { return nil }) == nil {
			t.Error("it was used")
		}
		if _, err := s.Position(nil, 1); err == nil {
			t.Error("it handed out a position")
		}
	}
	wantEqual(t, "items", names(t, e), []string{})
}

func failuresTouchNoNeighbour(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	const n = 60
	var group sync.WaitGroup
	want := []string{}
	for i := range n {
		name := fmt.Sprintf("%03d", i)
		fails := i%3 == 1
		if !fails {
			want = append(want, name)
		}
		group.Go(func() {
			err := fallen(func() error {
				return e.Update(context.Background(), func(s store.Session) error {
					switch err := put(name, i)(s); {
					case err != nil || !fails:
						return err
					case i%2 == 0:
						panic("on purpose")
					default:
						return ErrMine
					}
				})
			})
			if fails != (err != nil) {
				t.Errorf("%s: error %v", name, err)
			}
		})
	}
	group.Wait()
	wantEqual(t, "items", names(t, e), want)
}

// fallen runs fn and returns its error, or one for its panic: an engine may
// answer a panic of the function with either.
func fallen(fn func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v", value)
		}
	}()
	return fn()
}

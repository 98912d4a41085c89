package conformance

import (
	"errors"
	"strings"
	"testing"

	"signet/internal/store"
)

// ErrMine is what a case returns from a transaction to undo it.
var ErrMine = errors.New("an error of the case's own")

// statements: what Exec and Query answer, and how they fail.
func statements(t *testing.T, h Harness) {
	InTurn(t, h, []Case{
		{Name: "exec_counts_the_rows_that_changed", Run: execCountsRows},
		{Name: "query_returns_what_was_written", Run: queryReturnsWritten},
		{Name: "query_gives_rows_in_order_until_it_is_stopped", Run: queryStops},
		{Name: "question_marks_in_literals_are_no_arguments", Run: questionMarksInLiterals},
		{Name: "posted_ones_take_effect_in_their_order", Run: postedInOrder},
		{Name: "posted_ones_that_fail_fail_their_transaction", Run: postedFailures},
		{Name: "text_is_told_apart_by_every_byte", Run: textByEveryByte},
		{Name: "a_taken_key_is_a_conflict", Run: takenKeyConflicts},
		{Name: "other_faults_are_neither_conflict_nor_unavailable", Run: otherFaults},
	})
}

func execCountsRows(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	for _, step := range []struct {
		text string
		want int64
	}{
		{`INSERT INTO items (name, n) VALUES ('a', 1), ('b', 2), ('c', 3)`, 3},
		{`INSERT INTO items (name, n) VALUES ('a', 9) ON CONFLICT (name) DO NOTHING`, 0},
		{`INSERT INTO items (name, n) VALUES ('a', 9) ON CONFLICT (name) DO UPDATE SET n = items.n + excluded.n`, 1},
		{`INSERT INTO items (name, n) VALUES ('a', 9) ON CONFLICT (name) DO UPDATE SET n = excluded.n WHERE items.n < 5`, 0},
		{`UPDATE items SET n = 5 WHERE name <> 'a'`, 2},
		{`UPDATE items SET n = 5 WHERE name = 'b'`, 1}, // it was 5 already: matched all the same
		{`UPDATE items SET n = 5 WHERE name = 'nobody'`, 0},
		{`INSERT INTO items (name, n) SELECT name || '2', n FROM items`, 3},
		{`DELETE FROM items WHERE n = 5`, 4},
		{`DELETE FROM items`, 2},
	} {
		wantEqual(t, step.text, MustExec(t, e, step.text), step.want)
	}
}

func queryReturnsWritten(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	var got []int64
	err := e.Update(t.Context(), func(s store.Session) error {
		got = nil
		for range 3 {
			err := s.Query(
				`INSERT INTO items (name, n) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET n = items.n + 1 RETURNING n`,
				[]any{"a"}, func(r store.Row) error {
					var n int64
					err := r.Scan(&n)
					got = append(got, n)
					return errors.Join(err, store.ErrStop)
				})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "returned", got, []int64{1, 2, 3})
	wantEqual(t, "kept", Column[int64](t, e, `SELECT n FROM items`), []int64{3})
}

func queryStops(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	MustExec(t, e, `INSERT INTO items (name, n) VALUES ('a', 3), ('b', 2), ('c', 1)`)
	wantEqual(t, "all", Column[string](t, e, `SELECT name FROM items ORDER BY n`), []string{"c", "b", "a"})
	err := e.View(t.Context(), func(s store.Session) error {
		rows := 0
		if err := s.Query(`SELECT name FROM items ORDER BY n`, nil,
			func(store.Row) error { rows++; return store.ErrStop }); err != nil {
			return err
		}
		wantEqual(t, "rows before the stop", rows, 1)
		// The session goes on after a query that was stopped, and after one that failed.
		wantError(t, "error of the row function",
			s.Query(`SELECT name FROM items`, nil, func(store.Row) error { return ErrMine }), ErrMine)
		rows = 0
		err := s.Query(`SELECT name FROM items`, nil, func(store.Row) error { rows++; return nil })
		wantEqual(t, "rows afterwards", rows, 3)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func questionMarksInLiterals(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	MustExec(t, e, `INSERT INTO items (name, note, n) VALUES ('is it? ''?', ?, ?)`, "noted", 4)
	wantEqual(t, "names", names(t, e), []string{"is it? '?"})
	wantEqual(t, "notes", Column[string](t, e, `SELECT note FROM items WHERE name LIKE '%?%' AND n = ?`, 4),
		[]string{"noted"})
}

func postedInOrder(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	err := e.Update(t.Context(), func(s store.Session) error {
		if err := errors.Join(
			s.Post(`INSERT INTO items (name, n) VALUES (?, ?)`, "a", 1),
			s.Post(`UPDATE items SET n = n + ? WHERE name IN (?*)`, 10, []string{"a", "b"}),
		); err != nil {
			return err
		}
		var n int64
		err := s.Query(`SELECT n FROM items`, nil, func(r store.Row) error { return r.Scan(&n) })
		wantEqual(t, "number in between", n, 11)
		if err == nil {
			err = s.Post(`UPDATE items SET n = n * 2`)
		}
		if err == nil {
			_, err = s.Exec(`UPDATE items SET n = n + 1`)
		}
		return errors.Join(err, s.Post(`INSERT INTO items (name, n) VALUES (?, ?)`, "b", 7))
	})
	if err != nil {
		t.Error(err)
	}
	wantEqual(t, "numbers at the end", Column[int64](t, e, `SELECT n FROM items ORDER BY name`), []int64{23, 7})
}

func postedFailures(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	for name, after := range map[string]func(store.Session) error{
		"at the end":             func(store.Session) error { return nil },
		"before one that counts": func(s store.Session) error { _, err := s.Exec(`DELETE FROM items`); return err },
		"before one that reads": func(s store.Session) error {
			return s.Query(`SELECT name FROM items`, nil, func(store.Row) error { return nil })
		},
		"before another": func(s store.Session) error { return s.Post(`DELETE FROM items`) },
	} {
		err := e.Update(t.Context(), func(s store.Session) error {
			const insert = `INSERT INTO items (name, n) VALUES (?, ?)`
			if err := errors.Join(s.Post(insert, "a", 1), s.Post(insert, "a", 2)); err != nil {
				return err
			}
			return after(s)
		})
		wantError(t, name, err, store.ErrConflict)
		wantEqual(t, "items", names(t, e), []string{})
	}
	if err := e.View(t.Context(),
		func(s store.Session) error { return s.Post(`INSERT INTO items (name) VALUES ('x')`) }); err == nil {
		t.Error("a view posted a statement that writes")
	}
	wantEqual(t, "items", names(t, e), []string{})
}

func textByEveryByte(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	forms := []string{"a", "A", "ä", "Ä", "a\u0308", "A\u0308", "a ", " a", "ａ", "ß", "ss"}
	for i, form := range forms {
		MustExec(t, e, `INSERT INTO items (name, n) VALUES (?, ?)`, form, i)
	}
	for i, form := range forms {
		wantEqual(t, form, Column[int64](t, e, `SELECT n FROM items WHERE name = ?`, form), []int64{int64(i)})
	}
}

func takenKeyConflicts(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	MustExec(t, e, `CREATE UNIQUE INDEX items_note ON items (note)`)
	MustExec(t, e, `INSERT INTO items (name, note) VALUES (?, ?)`, "primary secret", "unique secret")
	for _, args := range [][]any{{"primary secret", "x"}, {"x", "unique secret"}} {
		err := e.Update(t.Context(), func(s store.Session) error {
			_, err := s.Exec(`INSERT INTO items (name, note) VALUES (?, ?)`, args...)
			return err
		})
		wantError(t, "second insert", err, store.ErrConflict)
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error shows what was stored: %v", err)
		}
	}
}

func otherFaults(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	for _, text := range []string{`INSERT INTO items (name) VALUES (NULL)`, `SELECT nothing FROM nowhere`, `SELEKT 1`} {
		err := e.Update(t.Context(), func(s store.Session) error {
			_, err := s.Exec(text)
			return err
		})
		if err == nil || errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrUnavailable) ||
			errors.Is(err, store.ErrClosed) {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

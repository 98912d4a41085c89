package conformance

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
)

// asking: questions whose answers may come later, and when they are there.
func asking(t *testing.T, h Harness) {
	InTurn(t, h, []Case{
		{Name: "is_answered_by_what_waits", Run: askedAndWaited},
		{Name: "keeps_the_order_of_statements", Run: askedInOrder},
		{Name: "tells_the_errors_of_those_who_read", Run: askedRowsFail},
		{Name: "is_answered_at_the_end", Run: askedUntilTheEnd},
		{Name: "fails_as_its_statement", Run: askedFaults},
		{Name: "is_each_ones_own", Run: askedTogether},
		{Name: "gives_positions_that_grow", Run: askedPositions},
		{Name: "sees_what_was_there_before_a_position", Run: askedBehindALock},
	})
}

// countInto asks how many items there are.
func countInto(s store.Session, n *int64) error {
	return s.Ask(`SELECT COUNT(*) FROM items`, nil, func(r store.Row) error { return r.Scan(n) })
}

func askedAndWaited(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	MustExec(t, e, `INSERT INTO items (name, n) VALUES ('a', 1), ('b', 2)`)
	discard := func(store.Row) error { return nil }
	for name, wait := range map[string]func(store.Session) error{
		"await":    func(s store.Session) error { return s.Await() },
		"exec":     func(s store.Session) error { _, err := s.Exec(`UPDATE items SET n = 7 WHERE name = 'a'`); return err },
		"query":    func(s store.Session) error { return s.Query(`SELECT name FROM items`, nil, discard) },
		"position": func(s store.Session) error { _, err := s.Position([]model.AccountID{{1}}, 1); return err },
	} {
		err := e.Update(t.Context(), func(s store.Session) error {
			var first, second int64
			if err := errors.Join(countInto(s, &first), countInto(s, &second)); err != nil {
				return err
			}
			err := wait(s)
			wantEqual(t, name+": the first answer", first, 2)
			wantEqual(t, name+": the second answer", second, 2)
			return errors.Join(err, s.Await(), s.Await()) // of which nobody has anything to wait for
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := e.View(t.Context(), func(s store.Session) error {
		var n int64
		err := errors.Join(s.Await(), countInto(s, &n), s.Await())
		wantEqual(t, "the answer in a view", n, 2)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func askedInOrder(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	var before, between, after int64
	err := e.Update(t.Context(), func(s store.Session) error {
		const insert = `INSERT INTO items (name, n) VALUES (?, ?)`
		return errors.Join(countInto(s, &before), s.Post(insert, "a", 1), countInto(s, &between), s.Post(insert, "b", 2),
			countInto(s, &after), s.Await())
	})
	if err != nil {
		t.Error(err)
	}
	wantEqual(t, "counts", []int64{before, between, after}, []int64{0, 1, 2})
}

func askedRowsFail(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	MustExec(t, e, `INSERT INTO items (name, n) VALUES ('a', 1), ('b', 2)`)
	err := e.View(t.Context(), func(s store.Session) error {
		rows := 0
		stop := func(store.Row) error { rows++; return store.ErrStop }
		if err := errors.Join(s.Ask(`SELECT name FROM items`, nil, stop), s.Await()); err != nil {
			return err
		}
		wantEqual(t, "rows before the stop", rows, 1)
		fail := func(store.Row) error { return ErrMine }
		wantError(t, "error of the row function", errors.Join(s.Ask(`SELECT name FROM items`, nil, fail), s.Await()), ErrMine)
		var n int64
		err := errors.Join(countInto(s, &n), s.Await()) // the session goes on
		wantEqual(t, "items afterwards", n, 2)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func askedUntilTheEnd(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	for _, traits := range allTraits {
		MustExec(t, e, `DELETE FROM items`)
		var n int64
		err := e.Update(t.Context(), func(s store.Session) error {
			return errors.Join(s.Post(`INSERT INTO items (name, n) VALUES ('a', 1)`), countInto(s, &n))
		}, traits...)
		if err != nil {
			t.Error(err)
		}
		wantEqual(t, "the answer after an update", n, 1)
		n = 0
		if err := e.View(t.Context(), func(s store.Session) error { return countInto(s, &n) }, traits...); err != nil {
			t.Error(err)
		}
		wantEqual(t, "the answer after a view", n, 1)
		fail := func(s store.Session) error {
			return s.Ask(`SELECT name FROM items`, nil, func(store.Row) error { return ErrMine })
		}
		wantError(t, "view", e.View(t.Context(), fail, traits...), ErrMine)
		wantError(t, "update", e.Update(t.Context(), func(s store.Session) error {
			return errors.Join(s.Post(`INSERT INTO items (name, n) VALUES ('b', 1)`), fail(s))
		}, traits...), ErrMine)
		wantEqual(t, "items", names(t, e), []string{"a"})
	}
}

func askedFaults(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	MustExec(t, e, `INSERT INTO items (name, n) VALUES ('a', 1)`)
	for _, traits := range allTraits {
		err := e.Update(t.Context(), func(s store.Session) error {
			if err := s.Post(`INSERT INTO items (name, n) VALUES ('b', 1)`); err != nil {
				return err
			}
			return s.Ask(`INSERT INTO items (name, n) VALUES ('a', 1) RETURNING n`, nil, func(store.Row) error { return nil })
		}, traits...)
		wantError(t, "update", err, store.ErrConflict)
		wantEqual(t, "items", names(t, e), []string{"a"})
		err = e.View(t.Context(), func(s store.Session) error {
			return s.Ask(`DELETE FROM items WHERE n = 1 RETURNING n`, nil, func(store.Row) error { return nil })
		}, traits...)
		if err == nil {
			t.Error("a view asked a statement that writes")
		}
		wantEqual(t, "items", names(t, e), []string{"a"})
	}
}

// askedTogether: of many that may share a transaction, each gets its own answers, and its
// own error. What an argument points to may change before the statement is sent.
func askedTogether(t *testing.T, h Harness) {
	const workers, rounds = 8, 10
	d := NewDatabase(t, h)
	nodes := d.MustOpenNodes(t, h)
	createItems(t, nodes[0])
	Everywhere(t, nodes, workers, func(e store.Engine, worker int) error {
		for round := range rounds {
			want := int64(worker*rounds + round)
			fails := round%3 == 1
			var got [3]int64
			err := e.Update(context.Background(), func(s store.Session) error {
				var position int64
				if err := s.AskPosition([]model.AccountID{{byte(worker)}, {0xff}}, 1, &position); err != nil {
					return err
				}
				for i := range got {
					asked := want + int64(i)
					err := s.Ask(`SELECT CAST(? AS BIGINT)`, []any{&asked}, func(r store.Row) error {
						if fails && i == 1 {
							return ErrMine
						}
						return r.Scan(&got[i])
					})
					if asked = -1; err != nil {
						return err
					}
				}
				if err := s.Await(); err != nil {
					return err
				}
				err := s.Post(`INSERT INTO items (name, n) VALUES (?, ?)`, fmt.Sprint(want), &position)
				position = -1
				return err
			}, store.Short)
			switch {
			case fails && errors.Is(err, ErrMine):
			case fails || err != nil:
				return fmt.Errorf("round %d: error %w", round, err)
			case got != [3]int64{want, want + 1, want + 2}:
				return fmt.Errorf("got %d, want those from %d", got, want)
			}
		}
		return nil
	})
	positions := Column[int64](t, nodes[0], `SELECT DISTINCT n FROM items`)
	wantEqual(t, "positions, all of an account of everybody's", len(positions), workers*(rounds-rounds/3))
}

func askedPositions(t *testing.T, h Harness) {
	ann, bob := model.AccountID{1}, model.AccountID{2}
	many := make([]model.AccountID, 20)
	for i := range many {
		many[i] = model.AccountID{byte(20 - i), 1}
	}
	e := NewStore(t, NewDatabase(t, h).MustOpen(t))
	high := mustPosition(t, e, 5000, nil, many[7]) + 4999
	for _, traits := range allTraits {
		var first [4]int64
		err := e.Update(t.Context(), func(s store.Session) error {
			return errors.Join(
				s.AskPosition([]model.AccountID{ann, bob}, 3, &first[0]), s.AskPosition([]model.AccountID{bob}, 2, &first[1]),
				s.AskPosition(many, 2, &first[2]), s.AskPosition(nil, 1, &first[3]), s.Await())
		}, traits...)
		if err != nil {
			t.Error(err)
		}
		if first[1] < first[0]+3 || first[2] < first[1]+2 || first[2] <= high || first[3] < first[2]+2 {
			t.Errorf("positions %d of 3, 2, 2 and 1, after %d", first, high)
		}
		for _, account := range many { // whoever got a smaller one has been raised
			if got := mustPosition(t, e, 1, nil, account); got <= first[2]+1 {
				t.Errorf("position %d after %d", got, first[2]+1)
			}
		}
		err = e.Update(t.Context(), func(s store.Session) error {
			return s.AskPosition([]model.AccountID{ann}, 2, &first[0]) // nobody waits for it
		}, traits...)
		if err != nil {
			t.Error(err)
		}
		if got := mustPosition(t, e, 1, nil, ann); got <= first[0]+1 {
			t.Errorf("position %d after %d", got, first[0]+1)
		}
		var none int64
		if err := e.Update(t.Context(), func(s store.Session) error {
			return s.AskPosition([]model.AccountID{ann}, 0, &none)
		}, traits...); err == nil {
			t.Error("no positions were handed out")
		}
		if err := e.View(t.Context(), func(s store.Session) error {
			return s.AskPosition([]model.AccountID{ann}, 1, &none)
		}, traits...); err == nil {
			t.Error("a view handed out a position")
		}
	}
}

// askedBehindALock: who asks in one exchange with a position reads what the transaction
// left that had it before.
func askedBehindALock(t *testing.T, h Harness) {
	const workers, rounds = 8, 15
	d := NewDatabase(t, h)
	nodes := d.MustOpenNodes(t, h)
	createItems(t, nodes[0])
	MustExec(t, nodes[0], `INSERT INTO items (name, n) VALUES ('read and written', 0)`)
	Everywhere(t, nodes, workers, func(e store.Engine, worker int) error {
		for range rounds {
			err := e.Update(context.Background(), func(s store.Session) error {
				var position, n int64
				err := errors.Join(
					s.AskPosition([]model.AccountID{{byte(worker)}, {0xff}}, 1, &position),
					s.Ask(`SELECT n FROM items`, nil, func(r store.Row) error { return r.Scan(&n) }), s.Await())
				if err != nil {
					return err
				}
				return s.Post(`UPDATE items SET n = ?`, n+1)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	wantEqual(t, "number", Column[int64](t, nodes[0], `SELECT n FROM items`), []int64{workers * rounds})
}

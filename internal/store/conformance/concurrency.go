package conformance

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"signet/internal/store"
)

// concurrency: many writers and readers, on all nodes.
func concurrency(t *testing.T, h Harness) {
	const workers, rounds = 8, 25

	t.Run("no_update_is_lost", func(t *testing.T) {
		d := NewDatabase(t, h)
		nodes := d.MustOpenNodes(t, h)
		createItems(t, nodes[0])
		MustExec(t, nodes[0], `INSERT INTO items (name, n) VALUES ('added', 0), ('read and written', 0)`)
		Everywhere(t, nodes, workers, func(e store.Engine, worker int) error {
			for range rounds {
				if err := e.Update(context.Background(), increment); err != nil {
					return err
				}
			}
			return nil
		})
		wantEqual(t, "numbers", Column[int64](t, nodes[0], `SELECT n FROM items`),
			[]int64{workers * rounds, workers * rounds})
	})

	t.Run("one_of_many_gets_a_name", func(t *testing.T) {
		d := NewDatabase(t, h)
		nodes := d.MustOpenNodes(t, h)
		createItems(t, nodes[0])
		won := make(chan int, workers*rounds)
		Everywhere(t, nodes, workers, func(e store.Engine, worker int) error {
			for round := range rounds {
				taken := false
				err := e.Update(context.Background(), func(s store.Session) error {
					n, err := s.Exec(`INSERT INTO items (name, n) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`, fmt.Sprint(round),
						worker)
					taken = n == 1
					return err
				})
				if err != nil {
					return err
				}
				if taken {
					won <- round
				}
			}
			return nil
		})
		wantEqual(t, "winners", len(won), rounds)
	})

	t.Run("a_reader_sees_what_returned_before", func(t *testing.T) {
		d := NewDatabase(t, h)
		nodes := d.MustOpenNodes(t, h)
		createItems(t, nodes[0])
		Everywhere(t, nodes, workers, func(e store.Engine, worker int) error {
			other := nodes[(worker+1)%len(nodes)]
			for round := range rounds {
				if err := e.Update(context.Background(), put(fmt.Sprint(worker, "/", round), worker)); err != nil {
					return err
				}
				seen := 0
				err := other.View(context.Background(), func(s store.Session) error {
					seen = 0
					return s.Query(`SELECT name FROM items WHERE n = ?`, []any{worker}, func(store.Row) error { seen++; return nil })
				})
				if err != nil {
					return err
				}
				if seen != round+1 {
					return fmt.Errorf("%d items are seen after %d were written", seen, round+1)
				}
			}
			return nil
		})
	})

	t.Run("a_reader_never_sees_half", func(t *testing.T) {
		d := NewDatabase(t, h)
		nodes := d.MustOpenNodes(t, h)
		createItems(t, nodes[0])
		MustExec(t, nodes[0], `INSERT INTO items (name, n) VALUES ('left', 0), ('right', 0)`)
		Everywhere(t, nodes, workers, func(e store.Engine, worker int) error {
			for range rounds {
				var err error
				if worker%2 == 0 {
					err = e.Update(context.Background(), func(s store.Session) error {
						if _, err := s.Exec(`UPDATE items SET n = n + 1 WHERE name = 'left'`); err != nil {
							return err
						}
						_, err := s.Exec(`UPDATE items SET n = n + 1 WHERE name = 'right'`)
						return err
					})
				} else {
					err = e.View(context.Background(), balanced)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// increment adds one in both ways in which a transaction can.
func increment(s store.Session) error {
	if _, err := s.Exec(`UPDATE items SET n = n + 1 WHERE name = 'added'`); err != nil {
		return err
	}
	// The row is the transaction's since its update, so that what is read here
	// is still so when it is written.
	var n int64
	if _, err := s.Exec(`UPDATE items SET flag = 1 WHERE name = 'read and written'`); err != nil {
		return err
	}
	if err := s.Query(`SELECT n FROM items WHERE name = 'read and written'`, nil,
		func(r store.Row) error { return r.Scan(&n) }); err != nil {
		return err
	}
	_, err := s.Exec(`UPDATE items SET n = ? WHERE name = 'read and written'`, n+1)
	return err
}

// balanced reads both halves, one after the other.
func balanced(s store.Session) error {
	var halves [2]int64
	for i, name := range []string{"left", "right"} {
		if err := s.Query(`SELECT n FROM items WHERE name = ?`, []any{name},
			func(r store.Row) error { return r.Scan(&halves[i]) }); err != nil {
			return err
		}
	}
	if halves[0] != halves[1] {
		return fmt.Errorf("left is %d and right is %d", halves[0], halves[1])
	}
	return nil
}

// Everywhere runs as many workers at the same time, spread over the nodes.
func Everywhere(t *testing.T, nodes []store.Engine, workers int, work func(e store.Engine, worker int) error) {
	t.Helper()
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			if err := work(nodes[worker%len(nodes)], worker); err != nil {
				t.Errorf("worker %d: %v", worker, err)
			}
		})
	}
	group.Wait()
}

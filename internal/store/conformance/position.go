package conformance

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// mustPosition takes n positions in an Update that ends with the given outcome.
func mustPosition(t testing.TB, e store.Engine, n int, outcome error, accounts ...model.AccountID) (first int64) {
	t.Helper()
	err := e.Update(t.Context(), func(s store.Session) (err error) {
		if first, err = s.Position(accounts, n); err != nil {
			return fmt.Errorf("position: %w", err)
		}
		return outcome
	})
	if !errors.Is(err, outcome) {
		t.Fatal(err)
	}
	return first
}

// positions: numbers that only ever grow, and tell an age.
func positions(t *testing.T, h Harness) {
	InTurn(t, h, []Case{
		{Name: "start_at_the_clock_and_grow_by_what_was_taken", Run: positionsStartAtClock},
		{Name: "are_greater_than_all_of_any_of_the_accounts", Run: positionsAboveAll},
		{Name: "are_handed_out_one_after_the_other_within_a_transaction", Run: positionsWithinTransaction},
		{Name: "never_go_back", Run: positionsNeverGoBack},
		{Name: "of_an_account_are_forgotten_and_start_at_the_clock", Run: positionsForgotten},
		{Name: "are_there_for_nobody_too", Run: positionsForNobody},
		{Name: "are_refused_in_a_view_and_for_none", Run: positionsRefused},
	})
}

func positionsStartAtClock(t *testing.T, h Harness) {
	ann := model.AccountID{1}
	d := NewDatabase(t, h)
	e := NewStore(t, d.MustOpen(t))
	last := Start.UnixMicro() - 1
	for _, n := range []int{1, 1, 10, 1000, 1} {
		got := mustPosition(t, e, n, nil, ann)
		if got <= last || got > last+int64(time.Second/time.Microsecond) {
			t.Fatalf("position %d after %d", got, last)
		}
		last = got + int64(n) - 1
	}
	d.Clock.Advance(time.Hour)
	if got, now := mustPosition(t, e, 1, nil, ann), d.Clock.Now().UnixMicro(); got < now || got > now+1e6 {
		t.Errorf("position %d an hour later, want about %d", got, now)
	}
}

func positionsAboveAll(t *testing.T, h Harness) {
	ann, bob, eve := model.AccountID{1}, model.AccountID{2}, model.AccountID{3}
	e := NewStore(t, NewDatabase(t, h).MustOpen(t))
	high := mustPosition(t, e, 5000, nil, ann) + 4999
	other := mustPosition(t, e, 1, nil, bob)
	both := mustPosition(t, e, 3, nil, bob, ann, eve)
	if both <= high || both <= other {
		t.Errorf("position %d for three, after %d and %d", both, high, other)
	}
	for _, account := range []model.AccountID{ann, bob, eve} {
		if got := mustPosition(t, e, 1, nil, account); got <= both+2 {
			t.Errorf("position %d after %d", got, both+2)
		}
	}
}

func positionsWithinTransaction(t *testing.T, h Harness) {
	ann, bob := model.AccountID{1}, model.AccountID{2}
	e := NewStore(t, NewDatabase(t, h).MustOpen(t))
	err := e.Update(t.Context(), func(s store.Session) error {
		last := int64(0)
		for _, accounts := range [][]model.AccountID{{ann}, {ann, bob}, {bob}, {bob, bob, ann}, {ann}} {
			got, err := s.Position(accounts, 2)
			if err != nil {
				return err
			}
			if got <= last {
				t.Errorf("position %d after %d", got, last)
			}
			last = got + 1
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func positionsNeverGoBack(t *testing.T, h Harness) {
	ann, bob := model.AccountID{1}, model.AccountID{2}
	d := NewDatabase(t, h)
	e := NewStore(t, d.MustOpen(t))
	last := int64(0)
	take := func(what string, outcome error) {
		t.Helper()
		got := mustPosition(t, e, 3, outcome, ann, bob)
		if got <= last {
			t.Fatalf("%s: position %d after %d", what, got, last)
		}
		if outcome == nil { // one that was never seen may be handed out again
			last = got + 2
		}
	}
	take("first", nil)
	take("rolled back", ErrMine)
	take("after a rollback", nil)
	d.Clock.Advance(-24 * time.Hour)
	take("clock set back", nil)
	MustClose(t, e)
	e = d.MustOpen(t)
	take("opened again", nil)
}

func positionsForgotten(t *testing.T, h Harness) {
	ann, bob := model.AccountID{1}, model.AccountID{2}
	d := NewDatabase(t, h)
	e := NewStore(t, d.MustOpen(t))
	mustPosition(t, e, 5, nil, ann, bob)
	forget := func(s store.Session) error { return s.Forget(ann) }
	if err := e.View(t.Context(), forget); err == nil {
		t.Error("a view forgot an account")
	}
	for range 2 {
		if err := e.Update(t.Context(), forget); err != nil {
			t.Fatal(err)
		}
	}
	for _, account := range []model.AccountID{ann, bob} {
		if got := mustPosition(t, e, 1, nil, account); got < d.Clock.Now().UnixMicro() {
			t.Errorf("position %d", got)
		}
	}
}

func positionsForNobody(t *testing.T, h Harness) {
	e := NewStore(t, NewDatabase(t, h).MustOpen(t))
	if got := mustPosition(t, e, 1, nil); got < Start.UnixMicro() {
		t.Errorf("position %d", got)
	}
}

func positionsRefused(t *testing.T, h Harness) {
	ann := model.AccountID{1}
	e := NewStore(t, NewDatabase(t, h).MustOpen(t))
	err := e.View(t.Context(), func(s store.Session) error {
		_, err := s.Position([]model.AccountID{ann}, 1)
		return err
	})
	if err == nil {
		t.Error("a view handed out a position")
	}
	for _, n := range []int{0, -1} {
		err := e.Update(t.Context(), func(s store.Session) error {
			_, err := s.Position([]model.AccountID{ann}, n)
			return err
		})
		if err == nil {
			t.Errorf("%d positions were handed out", n)
		}
	}
}

// positionsAcrossWriters: a reader that has seen a number will never see a smaller one
// appear, however many write at the same time.
func positionsAcrossWriters(t *testing.T, h Harness) {
	d := NewDatabase(t, h)
	nodes := d.MustOpenNodes(t, h)
	NewStore(t, nodes[0])
	createItems(t, nodes[0])
	queues := []model.AccountID{{1}, {2}, {3}, {4}}
	const workers, rounds = 6, 25

	ended := make(chan struct{})
	watched := make(chan error, 1)
	go func() { watched <- watch(nodes[len(nodes)-1], queues, ended) }()
	Everywhere(t, nodes, workers, func(e store.Engine, worker int) error {
		for round := range rounds {
			// Pairs in both orders, so that an engine that locks must sort.
			a, b := queues[(worker+round)%len(queues)], queues[(worker*3+round*2+1)%len(queues)]
			err := e.Update(context.Background(), func(s store.Session) error {
				first, err := s.Position([]model.AccountID{a, b}, 2)
				if err != nil {
					return err
				}
				for i, account := range []model.AccountID{a, b} {
					if a == b && i == 1 {
						break
					}
					if _, err := s.Exec(`INSERT INTO items (name, id, n) VALUES (?, ?, ?)`, fmt.Sprint(worker, "/", round, "/", i),
						account, first); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	close(ended)
	if err := <-watched; err != nil {
		t.Error(err)
	}
	for _, account := range queues {
		all := Column[int64](t, nodes[0], `SELECT n FROM items WHERE id = ? ORDER BY n`, account)
		for i := range all {
			if i > 0 && all[i] == all[i-1] {
				t.Errorf("position %d was handed out twice for %s", all[i], account)
			}
		}
	}
}

// watch reads the queues as a stream does, from where it left off, until ended;
// then it looks for what it missed.
func watch(e store.Engine, queues []model.AccountID, ended <-chan struct{}) error {
	seen := make(map[model.AccountID]int)
	cursor := make(map[model.AccountID]int64)
	read := func(account model.AccountID, after int64) (n int, last int64, err error) {
		err = e.View(context.Background(), func(s store.Session) error {
			n, last = 0, after
			return s.Query(`SELECT n FROM items WHERE id = ? AND n > ? ORDER BY n`, []any{account, after},
				func(r store.Row) error {
					n++
					return r.Scan(&last)
				})
		})
		return n, last, err
	}
	for last := false; !last; {
		select {
		case <-ended:
			last = true
		default:
		}
		for _, account := range queues {
			n, position, err := read(account, cursor[account])
			if err != nil {
				return err
			}
			seen[account] += n
			cursor[account] = position
		}
	}
	for _, account := range queues {
		all, _, err := read(account, 0)
		if err != nil {
			return err
		}
		if all != seen[account] {
			return fmt.Errorf("a reader of %s saw %d of %d: some appeared behind its cursor", account, seen[account], all)
		}
	}
	return nil
}

// NewStore opens a store on the engine, whose tables an engine may need for its
// positions, and returns the engine.
func NewStore(t testing.TB, e store.Engine) store.Engine {
	t.Helper()
	if _, err := store.Open(t.Context(), e, func() string { return "epoch" }); err != nil {
		t.Fatal(err)
	}
	return e
}

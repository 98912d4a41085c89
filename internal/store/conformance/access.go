package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// access: numbers that are the same until they are changed, and never the same again.
func access(t *testing.T, h Harness) {
	InTurn(t, h, []Case{
		{Name: "is_the_same_until_it_is_changed", Run: accessStays},
		{Name: "is_another_one_each_time", Run: accessIsNew},
		{Name: "is_changed_as_its_transaction_ends", Run: accessUndone},
		{Name: "is_another_one_after_it_was_forgotten", Run: accessForgotten},
		{Name: "is_not_changed_in_a_view", Run: accessInAView},
		{Name: "is_each_ones_own", Run: accessTogether},
		{Name: "is_changed_before_or_after_a_position", Run: accessBesidePositions},
		{Name: "is_read_with_what_was_written_with_it", Run: accessInSnapshots},
		{Name: "is_changed_together_with_positions", Run: accessWithPositions},
	})
}

// mustAccess returns the numbers of accounts as a View finds them.
func mustAccess(t testing.TB, e store.Engine, accounts ...model.AccountID) (numbers []int64) {
	t.Helper()
	err := e.View(t.Context(), func(s store.Session) (err error) {
		numbers, err = askAccess(s, accounts)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return numbers
}

func askAccess(s store.Session, accounts []model.AccountID) ([]int64, error) {
	versions := versionsOf(accounts)
	for _, v := range versions {
		if err := s.AskAccess(v); err != nil {
			return nil, err
		}
	}
	err := s.Await()
	return numbersOf(versions), err
}

// mustHold takes a position for accounts, and returns the numbers that come with it.
func mustHold(t testing.TB, e store.Engine, traits []store.Trait, accounts ...model.AccountID) (numbers []int64) {
	t.Helper()
	err := e.Update(t.Context(), func(s store.Session) (err error) {
		_, numbers, err = hold(s, accounts)
		return err
	}, traits...)
	if err != nil {
		t.Fatal(err)
	}
	return numbers
}

func hold(s store.Session, accounts []model.AccountID) (position int64, numbers []int64, err error) {
	versions := versionsOf(accounts)
	if err = s.AskPosition(accounts, 1, &position, versions...); err == nil {
		err = s.Await()
	}
	return position, numbersOf(versions), err
}

func versionsOf(accounts []model.AccountID) (out []*store.AccessVersion) {
	for _, account := range accounts {
		out = append(out, &store.AccessVersion{Account: account, Number: -1}) // which none has
	}
	return out
}

func numbersOf(versions []*store.AccessVersion) (out []int64) {
	for _, v := range versions {
		out = append(out, v.Number)
	}
	return out
}

func mustChangeAccess(t testing.TB, e store.Engine, outcome error, accounts ...model.AccountID) {
	t.Helper()
	err := e.Update(t.Context(), func(s store.Session) error { return errors.Join(s.ChangeAccess(accounts), outcome) })
	if !errors.Is(err, outcome) {
		t.Fatal(err)
	}
}

// allTraits are those of a transaction of one's own, and of such as may be shared.
var allTraits = [][]store.Trait{nil, {store.Short}, {store.Crowd(model.GroupID{1})}}

func accessStays(t *testing.T, h Harness) {
	people := make([]model.AccountID, 20)
	for i := range people {
		people[i] = model.AccountID{byte(20 - i), 1}
	}
	ann := people[3]
	e := NewStore(t, NewDatabase(t, h).MustOpen(t))
	mustPosition(t, e, 1, nil, people...)
	before := mustAccess(t, e, people...)
	if slices.Contains(before, 0) {
		t.Errorf("numbers are not known: %d", before)
	}
	for _, traits := range allTraits {
		wantEqual(t, "numbers with a position", mustHold(t, e, traits, people...), before)
		wantEqual(t, "number with a position", mustHold(t, e, traits, ann), before[3:4])
	}
	mustPosition(t, e, 5000, nil, ann)
	wantEqual(t, "numbers after positions", mustAccess(t, e, people...), before)
	mustChangeAccess(t, e, nil, ann, people[5], ann)
	after := mustAccess(t, e, people...)
	if after[3] == before[3] || after[5] == before[5] {
		t.Errorf("numbers %d and %d are the same as before", after[3], after[5])
	}
	for _, traits := range allTraits {
		wantEqual(t, "changed numbers with a position", mustHold(t, e, traits, people...), after)
	}
	err := e.Update(t.Context(), func(s store.Session) error {
		own, err := askAccess(s, people)
		wantEqual(t, "numbers in an update", own, after)
		changing := s.ChangeAccess([]model.AccountID{ann})
		_, held, holding := hold(s, []model.AccountID{ann})
		if slices.Contains(held, after[3]) {
			t.Error("a transaction does not see the number that it changed")
		}
		return errors.Join(err, changing, holding)
	})
	if err != nil {
		t.Error(err)
	}
}

// accessIsNew: no number comes back, of an account that has no position yet either.
func accessIsNew(t *testing.T, h Harness) {
	ann := model.AccountID{1}
	e := NewStore(t, NewDatabase(t, h).MustOpen(t))
	seen := map[int64]bool{}
	for range 20 {
		mustChangeAccess(t, e, nil, ann)
		number := mustAccess(t, e, ann)[0]
		if number == 0 || seen[number] {
			t.Fatalf("number %d, after %v", number, seen)
		}
		seen[number] = true
	}
	if got := mustPosition(t, e, 1, nil, ann); got < Start.UnixMicro() {
		t.Errorf("position %d", got)
	}
}

func accessUndone(t *testing.T, h Harness) {
	ann, bob := model.AccountID{1}, model.AccountID{2}
	e := NewStore(t, NewDatabase(t, h).MustOpen(t))
	mustPosition(t, e, 1, nil, ann, bob)
	before := mustAccess(t, e, ann, bob)
	mustChangeAccess(t, e, ErrMine, ann, bob)
	wantEqual(t, "numbers after a change that was undone", mustAccess(t, e, ann, bob), before)
	wantEqual(t, "numbers with a position", mustHold(t, e, nil, ann, bob), before)
}

func accessForgotten(t *testing.T, h Harness) {
	ann := model.AccountID{1}
	e := NewStore(t, NewDatabase(t, h).MustOpen(t))
	seen := map[int64]bool{}
	for range 5 {
		mustPosition(t, e, 1, nil, ann)
		number := mustAccess(t, e, ann)[0]
		if seen[number] {
			t.Fatalf("number %d was there before the account was forgotten", number)
		}
		seen[number] = true
		// As an account goes: nothing opens it any more, then nothing is left of it.
		err := e.Update(t.Context(), func(s store.Session) error {
			return errors.Join(s.ChangeAccess([]model.AccountID{ann}), s.Forget(ann))
		})
		if err != nil {
			t.Fatal(err)
		}
		if number := mustAccess(t, e, ann)[0]; seen[number] {
			t.Fatalf("number %d is that of before", number)
		}
	}
}

func accessInAView(t *testing.T, h Harness) {
	ann := model.AccountID{1}
	e := NewStore(t, NewDatabase(t, h).MustOpen(t))
	mustPosition(t, e, 1, nil, ann)
	before := mustAccess(t, e, ann)
	for _, traits := range allTraits {
		err := e.View(t.Context(), func(s store.Session) error { return s.ChangeAccess([]model.AccountID{ann}) }, traits...)
		if err == nil {
			t.Error("a view changed a number")
		}
	}
	wantEqual(t, "number", mustAccess(t, e, ann), before)
}

// accessWithPositions: who changes a number takes no position twice, before it or afterwards, even
// where the clock is behind all of them, and the engine is opened again.
func accessWithPositions(t *testing.T, h Harness) {
	ann := model.AccountID{1}
	d := NewDatabase(t, h)
	e := NewStore(t, d.MustOpen(t))
	last, number := mustPosition(t, e, 5000, nil, ann)+4999, mustAccess(t, e, ann)[0]
	for _, first := range []bool{true, false} {
		d.Clock.Advance(-time.Hour)
		var position int64
		err := e.Update(t.Context(), func(s store.Session) (err error) {
			var changing error
			if first {
				changing = s.ChangeAccess([]model.AccountID{ann})
			}
			position, err = s.Position([]model.AccountID{ann}, 3000)
			if !first {
				changing = s.ChangeAccess([]model.AccountID{ann})
			}
			return errors.Join(changing, err)
		})
		if err != nil {
			t.Fatal(err)
		}
		MustClose(t, e)
		e = d.MustOpen(t)
		next := mustPosition(t, e, 1, nil, ann)
		if position <= last || next <= position+2999 {
			t.Errorf("positions %d and %d, after %d; the first of them with 2,999 more", position, next, last)
		}
		got := mustAccess(t, e, ann)[0]
		if got == number {
			t.Errorf("number %d is the same as before", got)
		}
		last, number = next, got
	}
}

// accessTogether: of many that may share a transaction, each gets the numbers of its accounts.
func accessTogether(t *testing.T, h Harness) {
	const workers, rounds = 8, 10
	nodes := NewDatabase(t, h).MustOpenNodes(t, h)
	NewStore(t, nodes[0])
	everybody := model.AccountID{0xff}
	people := []model.AccountID{everybody}
	for i := range workers {
		people = append(people, model.AccountID{byte(i)})
	}
	for _, account := range people {
		mustChangeAccess(t, nodes[0], nil, account)
	}
	want := mustAccess(t, nodes[0], people...)
	Everywhere(t, nodes, workers, func(e store.Engine, worker int) error {
		for range rounds {
			var held, asked []int64
			mine := []model.AccountID{everybody, {byte(worker)}}
			err := e.Update(context.Background(), func(s store.Session) (err error) {
				if _, held, err = hold(s, mine); err == nil {
					asked, err = askAccess(s, mine)
				}
				return err
			}, store.Short)
			if err != nil {
				return err
			}
			expected := []int64{want[0], want[1+worker]}
			if !slices.Equal(held, expected) || !slices.Equal(asked, expected) {
				return fmt.Errorf("got %d and %d, want %d", held, asked, expected)
			}
		}
		return nil
	})
}

// accessBesidePositions: whoever waits for the account's row while its access changes finds the
// new number; and who has a position before that finds the old one, and comes before the change.
func accessBesidePositions(t *testing.T, h Harness) {
	ann, bob := model.AccountID{1}, model.AccountID{2}
	nodes := NewDatabase(t, h).MustOpenNodes(t, h)
	here, there := nodes[0], nodes[len(nodes)-1]
	NewStore(t, here)
	mustPosition(t, here, 1, nil, ann, bob)
	// hurry begins the other transaction once this one has its row.
	hurry := func(s store.Session, begin func()) error {
		err := s.Query(`SELECT CAST(1 AS BIGINT)`, nil, func(store.Row) error { return nil })
		begin()
		return err
	}
	for _, traits := range allTraits {
		before := mustAccess(t, here, ann)[0]
		var held []int64
		var position, changed int64
		other := make(chan error, 1)
		var once sync.Once
		err := here.Update(t.Context(), func(s store.Session) error {
			return errors.Join(s.ChangeAccess([]model.AccountID{ann}), hurry(s, func() {
				once.Do(func() {
					go func() {
						other <- there.Update(context.Background(), func(s store.Session) (err error) {
							_, held, err = hold(s, []model.AccountID{ann, bob})
							return err
						}, traits...)
					}()
				})
			}))
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := <-other; err != nil {
			t.Fatal(err)
		}
		after := mustAccess(t, here, ann)[0]
		if held[0] == before || held[0] != after {
			t.Errorf("who has waited for a change finds %d, which was %d and is %d", held[0], before, after)
		}

		once = sync.Once{}
		err = here.Update(t.Context(), func(s store.Session) (err error) {
			if position, held, err = hold(s, []model.AccountID{ann, bob}); err != nil {
				return err
			}
			return hurry(s, func() {
				once.Do(func() {
					go func() {
						other <- there.Update(context.Background(), func(s store.Session) (err error) {
							if err = s.ChangeAccess([]model.AccountID{ann}); err == nil {
								changed, err = s.Position([]model.AccountID{ann}, 1)
							}
							return err
						})
					}()
				})
			})
		}, traits...)
		if err != nil {
			t.Fatal(err)
		}
		if err := <-other; err != nil {
			t.Fatal(err)
		}
		if held[0] != after || changed <= position || mustAccess(t, here, ann)[0] == after {
			t.Errorf("who came before a change, at %d, finds %d, which was %d; the change is at %d", position, held[0], after,
				changed)
		}
	}
}

// accessInSnapshots: who finds a number in a snapshot finds what was there when it got that number.
func accessInSnapshots(t *testing.T, h Harness) {
	const changes = 60
	ann := model.AccountID{1}
	nodes := NewDatabase(t, h).MustOpenNodes(t, h)
	createItems(t, nodes[0])
	MustExec(t, nodes[0], `INSERT INTO items (name, n) VALUES ('state', 0)`)
	var mu sync.Mutex // guards known
	known := map[int64]int64{}
	Everywhere(t, nodes, 4, func(e store.Engine, worker int) error {
		for range changes {
			var number []int64
			var state int64
			err := e.View(context.Background(), func(s store.Session) error {
				asking := s.Ask(`SELECT n FROM items`, nil, func(r store.Row) error { return r.Scan(&state) })
				var err error
				number, err = askAccess(s, []model.AccountID{ann})
				return errors.Join(asking, err)
			})
			if err != nil {
				return err
			}
			mu.Lock()
			was, found := known[number[0]]
			known[number[0]] = state
			mu.Unlock()
			if found && was != state && number[0] != 0 {
				return fmt.Errorf("with the number %d there was %d, and %d", number[0], was, state)
			}
			if worker > 0 {
				continue
			}
			err = e.Update(context.Background(), func(s store.Session) error {
				return errors.Join(s.Post(`UPDATE items SET n = n + 1`), s.ChangeAccess([]model.AccountID{ann}))
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

package conformance

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
)

// committed: which functions are called after a commit, and when. An engine beside which
// others write calls none.
func committed(t *testing.T, h Harness) {
	e, _ := newItems(t, h)
	alone := e.Dialect().Alone
	var mu sync.Mutex // guards all below; told is read under it by callers, and written by the engine
	var told, acted, returned []int64
	write := func(i int) {
		var position int64
		err := e.Update(t.Context(), func(s store.Session) (err error) {
			if position, err = s.Position([]model.AccountID{{byte(i)}, {byte(i / 2)}}, 1); err != nil {
				return err
			}
			s.Committed(func(beside bool) {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, position)
				if beside {
					t.Error("it says that another process writes")
				}
			}, func() {
				mu.Lock()
				defer mu.Unlock()
				acted = append(acted, position)
				if !slices.Contains(told, position) {
					t.Errorf("it acts on the position %d, and nobody was told of it", position)
				}
			})
			if err := put(fmt.Sprint(i), i)(s); err != nil {
				return err
			}
			switch i % 10 {
			case 3:
				return ErrMine // after it wrote
			case 7:
				panic("after it wrote")
			}
			return nil
		})
		var fell *store.PanicError
		switch {
		case i%10 == 3 && errors.Is(err, ErrMine), i%10 == 7 && errors.As(err, &fell):
			return
		case err != nil:
			t.Error(err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		returned = append(returned, position)
		if alone && !slices.Contains(told, position) {
			t.Errorf("a caller is answered, and nobody was told of its position %d", position)
		}
	}
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() { write(i) })
	}
	all.Wait()
	if err := e.Update(t.Context(), put("last", 0)); err != nil { // what is left to be called comes before it
		t.Fatal(err)
	}
	if !alone {
		returned = nil
	}
	slices.Sort(returned)
	if !slices.Equal(told, returned) {
		t.Errorf("told of the positions %v, want those that were committed, in order: %v", told, returned)
	}
	if !slices.Equal(acted, returned) {
		t.Errorf("it acts on the positions %v, want those that were committed, in order: %v", acted, returned)
	}
}

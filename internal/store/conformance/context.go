package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"signet/internal/store"
)

// contexts: an ended context keeps a transaction from starting, and never cuts
// one short that may be on disk.
func contexts(t *testing.T, h Harness) {
	t.Run("one_that_has_ended_starts_nothing", func(t *testing.T) {
		e, _ := newItems(t, h)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		ran := false
		fn := func(store.Session) error { ran = true; return nil }
		wantError(t, "update", e.Update(ctx, fn), context.Canceled)
		wantError(t, "view", e.View(ctx, fn), context.Canceled)
		if ran {
			t.Error("the function ran")
		}
	})

	t.Run("one_that_ends_within_an_update_changes_nothing", func(t *testing.T) {
		e, _ := newItems(t, h)
		ctx, cancel := context.WithCancel(t.Context())
		err := e.Update(ctx, func(s store.Session) error {
			if err := put("before", 1)(s); err != nil {
				return err
			}
			cancel()
			return put("after", 2)(s)
		})
		if err != nil {
			t.Errorf("error %v", err)
		}
		wantEqual(t, "items", names(t, e), []string{"after", "before"})
	})

	t.Run("one_that_ends_within_a_view_leaves_the_engine_whole", func(t *testing.T) {
		e, _ := newItems(t, h)
		MustExec(t, e, `INSERT INTO items (name, n) VALUES ('a', 1)`)
		for range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			err := e.View(ctx, func(s store.Session) error {
				cancel()
				return s.Query(`SELECT name FROM items`, nil, func(store.Row) error { return nil })
			})
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			wantEqual(t, "items", names(t, e), []string{"a"})
		}
	})

	t.Run("what_is_answered_is_what_happened", func(t *testing.T) {
		e, _ := newItems(t, h)
		const n = 64
		var (
			group sync.WaitGroup
			mu    sync.Mutex // guards kept
			kept  = []string{}
		)
		for i := range n {
			ctx, cancel := context.WithCancel(context.Background())
			name := fmt.Sprintf("%03d", i)
			group.Go(func() {
				switch err := e.Update(ctx, put(name, i)); {
				case err == nil:
					mu.Lock()
					kept = append(kept, name)
					mu.Unlock()
				case !errors.Is(err, context.Canceled):
					t.Errorf("error %v", err)
				}
			})
			if i%2 == 0 {
				group.Go(cancel)
			} else {
				defer cancel()
			}
		}
		group.Wait()
		slices.Sort(kept)
		wantEqual(t, "items", names(t, e), kept)
	})
}

// closing: Close waits for what runs, and ends everything else.
func closing(t *testing.T, h Harness) {
	t.Run("twice_is_fine", func(t *testing.T) {
		e, _ := newItems(t, h)
		for range 2 {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	})

	t.Run("later_calls_answer_closed", func(t *testing.T) {
		e, _ := newItems(t, h)
		MustClose(t, e)
		nothing := func(store.Session) error { t.Error("the function ran"); return nil }
		wantError(t, "update", e.Update(t.Context(), nothing), store.ErrClosed)
		wantError(t, "view", e.View(t.Context(), nothing), store.ErrClosed)
		wantError(t, "erase", e.Erase(t.Context()), store.ErrClosed)
	})

	t.Run("waits_for_what_runs", func(t *testing.T) {
		e, d := newItems(t, h)
		running, finish, updated, closed := make(chan struct{}), make(chan struct{}), make(chan error, 1), make(chan error, 1)
		go func() {
			updated <- e.Update(context.Background(), func(s store.Session) error {
				err := put("late", 1)(s)
				close(running)
				<-finish
				return errors.Join(err, put("later", 2)(s))
			})
		}()
		<-running
		go func() { closed <- e.Close() }()
		close(finish)
		if err := <-updated; err != nil {
			t.Errorf("update: %v", err)
		}
		if err := <-closed; err != nil {
			t.Errorf("close: %v", err)
		}
		wantEqual(t, "items", names(t, d.MustOpen(t)), []string{"late", "later"})
	})
}

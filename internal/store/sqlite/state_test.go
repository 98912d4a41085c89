package sqlite

import (
	"errors"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// mustPosition takes n positions in an Update that returns an error or not.
func mustPosition(t testing.TB, e *Engine, n int, outcome error) int64 {
	t.Helper()
	var first int64
	err := e.Update(t.Context(), func(s store.Session) (err error) {
		if first, err = s.Position([]model.AccountID{accountID(1)}, n); err != nil {
			t.Error(err)
		}
		return outcome
	})
	if !errors.Is(err, outcome) {
		t.Fatal(err)
	}
	return first
}

func TestPosition(t *testing.T) {
	start := time.UnixMicro(1_700_000_000_000_000)

	t.Run("starts_at_the_clock_and_grows_by_what_was_taken", func(t *testing.T) {
		clock := &fixedClock{start}
		e := mustOpen(t, Options{Clock: clock.Now})
		want := start.UnixMicro()
		for _, n := range []int{1, 1, 10, 1000, 1} {
			if got := mustPosition(t, e, n, nil); got != want {
				t.Fatalf("position %d, want %d", got, want)
			}
			want += int64(n)
		}
		clock.now = start.Add(time.Hour)
		if got := mustPosition(t, e, 1, nil); got != clock.now.UnixMicro() {
			t.Errorf("position %d an hour later, want %d", got, clock.now.UnixMicro())
		}
	})

	t.Run("never_goes_back", func(t *testing.T) {
		clock := &fixedClock{start}
		e := mustOpen(t, Options{Clock: clock.Now})
		last := int64(0)
		take := func(what string, outcome error) {
			t.Helper()
			got := mustPosition(t, e, 3, outcome)
			if got <= last {
				t.Fatalf("%s: position %d after %d", what, got, last)
			}
			last = got + 2
		}
		take("first", nil)
		take("rolled back", errMine)
		take("after a rollback", nil)
		clock.now = start.Add(-24 * time.Hour)
		take("clock set back", nil)
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		e = mustOpenAt(t, e.path, Options{Clock: clock.Now})
		take("opened again", nil)
		e = mustOpenAt(t, copyFiles(t, e), Options{Clock: clock.Now})
		take("after a crash", nil)
		limitPages(t, e, 0)
		err := e.Update(t.Context(), func(s store.Session) error {
			first, err := s.Position(nil, 1)
			last = max(last, first)
			return errors.Join(err, insert("large", make([]byte, 10*pageSize)...)(s))
		})
		wantError(t, err, store.ErrUnavailable)
		take("after a failure of the disk", nil)
	})

	t.Run("is_stored_with_the_request_that_commits_though_another_took_the_last", func(t *testing.T) {
		clock := &fixedClock{start}
		e := mustOpen(t, Options{Clock: clock.Now})
		b := block(t, e)
		var kept int64
		good := b.behind(t.Context(), func(s store.Session) (err error) {
			kept, err = s.Position(nil, 5)
			return errors.Join(err, insert("a")(s))
		})
		bad := b.behind(t.Context(), func(s store.Session) error {
			_, err := s.Position(nil, 5)
			return errors.Join(err, insert("b")(s), errMine)
		})
		b.release()
		if err := <-good; err != nil {
			t.Fatal(err)
		}
		wantError(t, <-bad, errMine)
		crashed := mustOpenAt(t, copyFiles(t, e), Options{Clock: clock.Now})
		if got := mustPosition(t, crashed, 1, nil); got <= kept+4 {
			t.Errorf("position %d after %d was committed", got, kept+4)
		}
	})

	t.Run("is_refused_in_a_view_and_for_none", func(t *testing.T) {
		e := mustOpen(t, Options{})
		err := e.View(t.Context(), func(s store.Session) error {
			_, err := s.Position(nil, 1)
			return err
		})
		wantError(t, err, errReadOnly)
		err = e.Update(t.Context(), func(s store.Session) error {
			_, err := s.Position(nil, 0)
			return err
		})
		if err == nil {
			t.Error("no positions were handed out")
		}
	})
}

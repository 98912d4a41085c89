package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"zombiezen.com/go/sqlite/sqlitex"

	"signet/internal/store"
)

// meeting has calls of ViewTogether meet: the only connection is held while they come.
type meeting struct {
	e     *Engine
	held  *connection
	calls sync.WaitGroup
}

func newMeeting(t *testing.T) *meeting {
	t.Helper()
	e := mustOpen(t, Options{Readers: 1})
	return &meeting{e: e, held: <-e.readers.free}
}

// call begins a call and returns when it is in line, or has begun one.
func (m *meeting) call(ctx context.Context, fn func(store.Session) error, ended func(error)) {
	before := m.waiting()
	m.calls.Go(func() { ended(m.e.View(ctx, fn, store.Short)) })
	for m.waiting() == before {
		runtime.Gosched()
	}
}

// waiting is how many calls are to share the next snapshot; a full one counts no more.
func (m *meeting) waiting() int {
	m.e.sharing.mu.Lock()
	defer m.e.sharing.mu.Unlock()
	if m.e.sharing.next == nil {
		return 0
	}
	return 1 + len(m.e.sharing.next.others)
}

// begin gives the connection back, and waits for all calls.
func (m *meeting) begin() {
	m.e.readers.free <- m.held
	m.calls.Wait()
}

func TestViewTogetherSharesASnapshot(t *testing.T) {
	m := newMeeting(t)
	for i := range maxShared {
		m.call(t.Context(), func(s store.Session) error {
			n, err := count(s)
			if n != 0 {
				t.Errorf("call %d sees %d items, which came after the snapshot", i, n)
			}
			return errors.Join(err, m.e.Update(t.Context(), insert(fmt.Sprint(i))))
		}, func(err error) {
			if err != nil {
				t.Errorf("call %d: %v", i, err)
			}
		})
	}
	m.call(t.Context(), func(store.Session) error { return nil }, func(error) {})
	if n := m.waiting(); n != 1 {
		t.Errorf("%d calls share the snapshot that one too many began", n)
	}
	m.begin()
	if m.e.sharing.next != nil {
		t.Error("a snapshot is open still")
	}
}

func TestViewTogetherSeesEveryUpdateThatReturned(t *testing.T) {
	e := mustOpen(t, Options{Readers: 2})
	var callers sync.WaitGroup
	for caller := range 16 {
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
				}, store.Short)
				if err != nil || !found {
					t.Errorf("item %s: found %t, error %v", name, found, err)
					return
				}
			}
		})
	}
	callers.Wait()
}

func TestViewTogetherLetsOneThatFailsHarmNoOther(t *testing.T) {
	m := newMeeting(t)
	names := make(chan string, 100)
	for i := range cap(names) {
		names <- fmt.Sprint(i)
	}
	still := func(s store.Session) error {
		before, err := count(s)
		err = errors.Join(err, m.e.Update(t.Context(), insert(<-names)))
		after, again := count(s)
		if before != after || err != nil || again != nil {
			t.Errorf("%d items, then %d, error %v", before, after, errors.Join(err, again))
		}
		return nil
	}
	fails := map[string]func(store.Session) error{
		"an error": func(s store.Session) error { still(s); return errMine },
		"a panic":  func(s store.Session) error { still(s); panic(errMine) },
		"a panic in a row": func(s store.Session) error {
			return s.Query(`SELECT 1`, nil, func(store.Row) error { panic(errMine) })
		},
		"a wrong statement": func(s store.Session) error {
			_, err := s.Exec(`SELECT nothing`)
			return errors.Join(errMine, err)
		},
		"the transaction's end": func(s store.Session) error {
			if err := sqlitex.ExecuteTransient(s.(*session).c.conn, "ROLLBACK", nil); err != nil {
				t.Error(err)
			}
			return errMine
		},
	}
	good := func() {
		m.call(t.Context(), still, func(err error) {
			if err != nil {
				t.Errorf("one that does not fail answers %v", err)
			}
		})
	}
	good()
	for what, fn := range fails {
		before := m.waiting()
		m.calls.Go(func() {
			defer func() {
				if value := recover(); value != nil && value != any(errMine) {
					t.Errorf("%s panics with %v", what, value)
				}
			}()
			if err := m.e.View(t.Context(), fn, store.Short); !errors.Is(err, errMine) {
				t.Errorf("%s answers %v", what, err)
			}
		})
		for m.waiting() == before {
			runtime.Gosched()
		}
		good()
	}
	m.begin()
}

func TestViewTogetherAnswersAllWhenOneEndsTheGoroutine(t *testing.T) {
	m := newMeeting(t)
	answered := make(chan error, 2)
	m.call(t.Context(), func(store.Session) error { return nil }, func(error) {}) // who runs them all
	m.call(t.Context(), func(store.Session) error { runtime.Goexit(); return nil },
		func(error) { t.Error("it returned") })
	for range cap(answered) {
		m.call(t.Context(), func(s store.Session) error { _, err := count(s); return err },
			func(err error) { answered <- err })
	}
	m.begin()
	for range cap(answered) {
		if err := <-answered; err != nil {
			t.Errorf("answered %v", err)
		}
	}
	wantItems(t, m.e)
}

func TestViewTogetherLeavesOutWhoHasLeft(t *testing.T) {
	m := newMeeting(t)
	good := func(s store.Session) error { _, err := count(s); return err }
	m.call(t.Context(), good, func(err error) {
		if err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	m.call(ctx, func(store.Session) error { t.Error("it ran"); return nil }, func(err error) { left <- err })
	cancel()
	wantError(t, <-left, context.Canceled) // at once: the connection is held still
	m.begin()
}

func TestViewTogetherGoesOnForOthersWhenWhoBeganHasLeft(t *testing.T) {
	m := newMeeting(t)
	ctx, cancel := context.WithCancel(t.Context())
	m.call(ctx, func(s store.Session) error { return endless(s) },
		func(err error) { wantError(t, err, context.Canceled) })
	m.call(t.Context(), func(s store.Session) error { _, err := count(s); return err }, func(err error) {
		if err != nil {
			t.Error(err)
		}
	})
	cancel()
	m.begin()
	wantItems(t, m.e)
}

func TestViewTogetherOfOneThatHasEndedStartsNothing(t *testing.T) {
	e := mustOpen(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, e.View(ctx, func(store.Session) error { t.Error("it ran"); return nil }, store.Short), context.Canceled)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	wantError(t, e.View(t.Context(), func(store.Session) error { t.Error("it ran"); return nil }, store.Short),
		store.ErrClosed)
}

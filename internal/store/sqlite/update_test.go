package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"signet/internal/store"
)

var errMine = errors.New("mine")

func TestUpdateCommitsWhatWaitsTogether(t *testing.T) {
	e := mustOpen(t, Options{})
	b := block(t, e)
	before := e.Stats()
	var outcomes []<-chan error
	var names []string
	for i := range 100 {
		name := fmt.Sprintf("%03d", i)
		names = append(names, name)
		outcomes = append(outcomes, b.behind(t.Context(), insert(name)))
	}
	b.release()
	for _, outcome := range outcomes {
		if err := <-outcome; err != nil {
			t.Error(err)
		}
	}
	after := e.Stats()
	// One for the request that blocked, one for all the rest.
	if commits := after.Commits - before.Commits; commits != 2 {
		t.Errorf("%d commits for 100 requests, want 2", commits)
	}
	if updates := after.Updates - before.Updates; updates != 100 {
		t.Errorf("functions ran %d times, want 100", updates)
	}
	wantItems(t, e, names...)
}

func TestUpdateCommitsTogetherWhatIsReadyToBeAskedFor(t *testing.T) {
	e := mustOpen(t, Options{})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const rounds = 20
	once := 0 // rounds of one commit; the scheduler or the collector may come in between
	for range rounds {
		before := e.Stats()
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				if err := e.Update(t.Context(), func(store.Session) error { return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if e.Stats().Commits-before.Commits == 1 {
			once++
		}
	}
	if once < rounds/2 {
		t.Errorf("of %d times, those who were ready shared a commit %d times, want most of them", rounds, once)
	}
}

func TestUpdateTellsOfAllBeforeItsAnswersAndActsAfter(t *testing.T) {
	e := mustOpen(t, Options{})
	var calls []string // of the writer's goroutine, which ends with the engine
	b := block(t, e)
	var outcomes []<-chan error
	for i := range 3 {
		outcomes = append(outcomes, b.behind(t.Context(), func(s store.Session) error {
			noting := func(what string) func() {
				return func() { calls = append(calls, fmt.Sprintf("%s of %d with %d answered", what, i, e.writer.answered)) }
			}
			told := noting("told")
			s.Committed(func(bool) { told() }, noting("acted"))
			return insert(fmt.Sprint(i))(s)
		}))
	}
	b.release()
	for _, outcome := range outcomes {
		wantError(t, <-outcome, nil)
	}
	wantError(t, e.Close(), nil)
	want := []string{"told of 0 with 0 answered", "told of 1 with 0 answered", "told of 2 with 0 answered",
		"acted of 0 with 3 answered", "acted of 1 with 3 answered", "acted of 2 with 3 answered"}
	if !slices.Equal(calls, want) {
		t.Errorf("called %q, want %q", calls, want)
	}
}

func TestUpdateLeavesNothingOfOneThatFails(t *testing.T) {
	e := mustOpen(t, Options{})
	err := e.Update(t.Context(), func(s store.Session) error {
		return errors.Join(insert("a")(s), errMine)
	})
	wantError(t, err, errMine)
	wantItems(t, e)
}

func TestUpdateFailsOneAndKeepsItsNeighboursWhole(t *testing.T) {
	e := mustOpen(t, Options{})
	b := block(t, e)
	first := b.behind(t.Context(), insert("first"))
	failing := b.behind(t.Context(), func(s store.Session) error {
		return errors.Join(insert("failing")(s), errMine)
	})
	refused := b.behind(t.Context(), func(store.Session) error { return errMine })
	last := b.behind(t.Context(), func(s store.Session) error {
		if err := insert("last")(s); err != nil {
			return err
		}
		return insert("last too")(s)
	})
	b.release()
	for _, outcome := range []<-chan error{first, last} {
		if err := <-outcome; err != nil {
			t.Error(err)
		}
	}
	wantError(t, <-failing, errMine)
	wantError(t, <-refused, errMine)
	wantItems(t, e, "first", "last", "last too")
}

func TestUpdateKeepsOneTransactionWhenThoseThatFailWroteNothing(t *testing.T) {
	e := mustOpen(t, Options{})
	b := block(t, e)
	before := e.Stats()
	good := b.behind(t.Context(), insert("good"))
	refused := b.behind(t.Context(), func(store.Session) error { return errMine })
	b.release()
	if err := <-good; err != nil {
		t.Error(err)
	}
	wantError(t, <-refused, errMine)
	if ran := e.Stats().Updates - before.Updates; ran != 2 {
		t.Errorf("functions ran %d times, want 2", ran)
	}
}

func TestUpdateTurnsAPanicIntoAnErrorOfItsCaller(t *testing.T) {
	for name, value := range map[string]any{"text": "boom", "error": errMine, "nil": nil} {
		t.Run(name, func(t *testing.T) {
			e := mustOpen(t, Options{})
			b := block(t, e)
			first := b.behind(t.Context(), insert("first"))
			falling := b.behind(t.Context(), func(s store.Session) error {
				if err := insert("falling")(s); err != nil {
					return err
				}
				panic(value)
			})
			last := b.behind(t.Context(), insert("last"))
			b.release()
			for _, outcome := range []<-chan error{first, last} {
				if err := <-outcome; err != nil {
					t.Error(err)
				}
			}
			err := <-falling
			var fell *store.PanicError
			if !errors.As(err, &fell) {
				t.Fatalf("error %v, want a PanicError", err)
			}
			if !strings.Contains(string(fell.Stack()), "update_test.go") {
				t.Errorf("the stack does not show where it happened:\n%s", fell.Stack())
			}
			if value == any(errMine) {
				wantError(t, err, errMine)
			}
			wantItems(t, e, "first", "last")
		})
	}
}

func TestUpdateSurvivesAPanicInTheMiddleOfAQuery(t *testing.T) {
	e := mustOpen(t, Options{})
	mustExec(t, e, `INSERT INTO items (name, content) VALUES ('a', ''), ('b', '')`)
	err := e.Update(t.Context(), func(s store.Session) error {
		return s.Query(`SELECT name FROM items`, nil, func(store.Row) error { panic("boom") })
	})
	var fell *store.PanicError
	if !errors.As(err, &fell) {
		t.Fatalf("error %v, want a PanicError", err)
	}
	if err := e.Update(t.Context(), insert("c")); err != nil {
		t.Fatal(err)
	}
	wantItems(t, e, "a", "b", "c")
}

func TestUpdateGoesOnAfterAFunctionEndedItsGoroutine(t *testing.T) {
	e := mustOpen(t, Options{})
	b := block(t, e)
	first := b.behind(t.Context(), insert("first"))
	leaving := b.behind(t.Context(), func(s store.Session) error {
		if err := insert("leaving")(s); err != nil {
			return err
		}
		runtime.Goexit()
		return nil
	})
	last := b.behind(t.Context(), insert("last"))
	b.release()
	for _, outcome := range []<-chan error{first, last} {
		if err := <-outcome; err != nil {
			t.Error(err)
		}
	}
	wantError(t, <-leaving, errExited)
	wantItems(t, e, "first", "last")
}

func TestUpdateSkipsARequestWhoseContextEndedBeforeItStarted(t *testing.T) {
	e := mustOpen(t, Options{})
	b := block(t, e)
	ctx, cancel := context.WithCancel(t.Context())
	skipped := b.behind(ctx, insert("skipped"))
	cancel()
	wantError(t, <-skipped, context.Canceled) // while the writer is still busy
	b.release()
	if err := e.Update(t.Context(), insert("next")); err != nil {
		t.Fatal(err)
	}
	wantItems(t, e, "next")
	wantError(t, e.Update(ctx, insert("late")), context.Canceled)
}

func TestUpdateFinishesARequestWhoseContextEndsAfterItStarted(t *testing.T) {
	e := mustOpen(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	err := e.Update(ctx, func(s store.Session) error {
		cancel()
		return insert("a")(s)
	})
	if err != nil {
		t.Fatal(err)
	}
	wantItems(t, e, "a")
}

func TestUpdateLetsALaterRequestOfABatchSeeAnEarlierOne(t *testing.T) {
	e := mustOpen(t, Options{})
	b := block(t, e)
	first := b.behind(t.Context(), insert("same"))
	second := b.behind(t.Context(), insert("same"))
	b.release()
	if err := <-first; err != nil {
		t.Error(err)
	}
	wantError(t, <-second, store.ErrConflict)
}

func TestUpdateAnswersConflictForAKeyThatIsTaken(t *testing.T) {
	e := mustOpen(t, Options{})
	mustExec(t, e, `CREATE TABLE other (id INTEGER PRIMARY KEY, name TEXT UNIQUE)`, `INSERT INTO other VALUES (1, 'a')`)
	for _, text := range []string{`INSERT INTO other VALUES (1, 'b')`, `INSERT INTO other VALUES (2, 'a')`} {
		wantError(t, e.Update(t.Context(), func(s store.Session) error {
			_, err := s.Exec(text)
			return err
		}), store.ErrConflict)
	}
	err := e.Update(t.Context(), func(s store.Session) error {
		_, err := s.Exec(`INSERT INTO items (name, content) VALUES ('x', ?)`, nil)
		return err
	})
	if err == nil || errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("NULL in a NOT NULL column: %v, want an error of neither kind", err)
	}
}

func TestUpdateCommitsWhatFollowsAConflictThatWasDealtWith(t *testing.T) {
	e := mustOpen(t, Options{})
	mustExec(t, e, `INSERT INTO items (name, content) VALUES ('a', '')`)
	err := e.Update(t.Context(), func(s store.Session) error {
		if err := insert("a")(s); !errors.Is(err, store.ErrConflict) {
			return fmt.Errorf("got %w, want a conflict", err)
		}
		return insert("b")(s)
	})
	if err != nil {
		t.Fatal(err)
	}
	wantItems(t, e, "a", "b")
}

func TestUpdateTriesEachAloneWhenTheCommitFails(t *testing.T) {
	e := mustOpen(t, Options{})
	mustExec(t, e, `CREATE TABLE parents (id INTEGER PRIMARY KEY)`,
		`CREATE TABLE children (parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED)`)
	b := block(t, e)
	first := b.behind(t.Context(), insert("first"))
	orphan := b.behind(t.Context(), func(s store.Session) error {
		_, err := s.Exec(`INSERT INTO children VALUES (7)`)
		return err
	})
	last := b.behind(t.Context(), insert("last"))
	b.release()
	for _, outcome := range []<-chan error{first, last} {
		if err := <-outcome; err != nil {
			t.Error(err)
		}
	}
	if err := <-orphan; err == nil {
		t.Error("an orphan was committed")
	}
	wantItems(t, e, "first", "last")
}

func TestUpdateDoesNotRunWhatPanickedAgainWhenTheCommitFails(t *testing.T) {
	e := mustOpen(t, Options{})
	mustExec(t, e, `CREATE TABLE parents (id INTEGER PRIMARY KEY)`,
		`CREATE TABLE children (parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED)`)
	b := block(t, e)
	runs := 0
	falling := b.behind(t.Context(), func(store.Session) error {
		runs++
		panic("boom")
	})
	orphan := b.behind(t.Context(), func(s store.Session) error {
		_, err := s.Exec(`INSERT INTO children VALUES (7)`)
		return err
	})
	good := b.behind(t.Context(), insert("good"))
	b.release()
	if err := <-good; err != nil {
		t.Error(err)
	}
	if err := <-orphan; err == nil {
		t.Error("an orphan was committed")
	}
	if err := <-falling; err == nil || err.Error() != "panic in a transaction: string" {
		t.Errorf("error %v", err)
	}
	if runs != 1 {
		t.Errorf("it ran %d times, want once", runs)
	}
	wantItems(t, e, "good")
}

func TestUpdateAnswersUnavailableWhileAnotherProcessWrites(t *testing.T) {
	e := mustOpen(t, Options{})
	shell := mustConnect(t, e.path)
	if _, err := shell.number("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if err := e.writer.do(t.Context(), func() error { e.writer.c.conn.SetBusyTimeout(0); return nil }); err != nil {
		t.Fatal(err)
	}
	wantError(t, e.Update(t.Context(), insert("alone")), store.ErrUnavailable)
	held, holding := make(chan struct{}), make(chan struct{})
	go e.writer.do(context.Background(), func() error { close(holding); <-held; return nil })
	<-holding
	b := &blocked{t: t, e: e}
	first, second := b.behind(t.Context(), insert("first")), b.behind(t.Context(), insert("second"))
	close(held)
	wantError(t, <-first, store.ErrUnavailable)
	wantError(t, <-second, store.ErrUnavailable)
	if _, err := shell.number("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := e.Update(t.Context(), insert("after")); err != nil {
		t.Error(err)
	}
	wantItems(t, e, "after")
}

// limitPages makes the database full at so many pages more than it has.
func limitPages(t testing.TB, e *Engine, more int64) {
	t.Helper()
	err := e.writer.do(context.Background(), func() error {
		pages, err := e.writer.c.number("PRAGMA page_count")
		if err != nil {
			return err
		}
		_, err = e.writer.c.number(fmt.Sprintf("PRAGMA max_page_count = %d", pages+more))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFullDisk(t *testing.T) {
	large := make([]byte, 100*pageSize)

	t.Run("refuses_what_does_not_fit_and_goes_on_when_there_is_room", func(t *testing.T) {
		e := mustOpen(t, Options{})
		limitPages(t, e, 10)
		wantError(t, e.Update(t.Context(), insert("large", large...)), store.ErrUnavailable)
		if err := e.Update(t.Context(), insert("small")); err != nil {
			t.Error(err)
		}
		limitPages(t, e, 1000)
		if err := e.Update(t.Context(), insert("large", large...)); err != nil {
			t.Error(err)
		}
		wantItems(t, e, "large", "small")
	})

	t.Run("keeps_the_neighbours_of_what_does_not_fit", func(t *testing.T) {
		e := mustOpen(t, Options{})
		limitPages(t, e, 10)
		b := block(t, e)
		first := b.behind(t.Context(), insert("first"))
		full := b.behind(t.Context(), insert("large", large...))
		last := b.behind(t.Context(), insert("last"))
		b.release()
		for _, outcome := range []<-chan error{first, last} {
			if err := <-outcome; err != nil {
				t.Error(err)
			}
		}
		wantError(t, <-full, store.ErrUnavailable)
		wantItems(t, e, "first", "last")
	})

	t.Run("does_not_commit_when_the_error_is_ignored", func(t *testing.T) {
		// SQLite has rolled everything back by then, the first item too.
		e := mustOpen(t, Options{})
		limitPages(t, e, 10)
		ignoring := func(s store.Session) error {
			if err := insert("ignoring")(s); err != nil {
				return err
			}
			_ = insert("large", large...)(s)
			return nil
		}
		err := e.Update(t.Context(), ignoring)
		if err == nil {
			wantItems(t, e, "ignoring")
			return
		}
		wantError(t, err, store.ErrUnavailable)
		wantItems(t, e)
	})
}

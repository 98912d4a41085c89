package sqlite

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"signet/internal/store"
)

// isClean reports whether a file is marked as closed in good order.
func isClean(t testing.TB, path string) bool {
	t.Helper()
	n, err := mustConnect(t, path).number(`SELECT value FROM engine_state WHERE name = 'clean'`)
	if err != nil {
		t.Fatal(err)
	}
	return n == 1
}

// The server is killed after a command has come and gone. What it had not erased
// yet must be looked for at the next start.
func TestBesideLeavesTheMarkOfGoodOrderToTheOtherProcess(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 20)
	for range 30 {
		c.change(40)
	}
	command := mustOpenAt(t, e.path, Options{Beside: true})
	if err := command.Update(t.Context(), insert("beside")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(command.Erase(t.Context()), command.Close()); err != nil {
		t.Fatal(err)
	}
	if isClean(t, e.path) {
		t.Fatal("the file is marked clean while its server runs")
	}
	c.e = mustOpenAt(t, copyFiles(t, e), Options{})
	c.erase()
	c.wantErased(c.e.path)
}

func TestBesideWhatItDeletesIsErasedByTheOtherProcess(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 21)
	for range 10 {
		c.change(40)
	}
	c.erase()
	c.e = mustOpenAt(t, e.path, Options{Beside: true})
	for range 30 {
		c.change(40)
	}
	if err := c.e.Close(); err != nil {
		t.Fatal(err)
	}
	c.e = e
	c.erase()
	c.wantErased(e.path)
	if e.Stats().Scrubbed == 0 {
		t.Error("no page held remains: this test shows nothing")
	}
}

func TestBesideTakesTheMarkFromAFileThatWasClosedInGoodOrder(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 22)
	c.change(40)
	command := mustOpenAt(t, e.path, Options{Beside: true})
	if err := e.Close(); err != nil { // the server goes before the command does
		t.Fatal(err)
	}
	if !isClean(t, e.path) {
		t.Fatal("the server leaves an unclean file")
	}
	c.e = command
	for range 20 {
		c.change(40)
	}
	if err := command.Close(); err != nil {
		t.Fatal(err)
	}
	if isClean(t, e.path) {
		t.Fatal("the file is marked clean, and holds what a command has deleted")
	}
	c.e = mustOpenAt(t, e.path, Options{})
	c.erase()
	c.wantErased(e.path)
}

func TestBesideWhatItWritesWhileTheOtherProcessClosesKeepsTheFileUnclean(t *testing.T) {
	e := mustOpen(t, Options{})
	command := mustOpenAt(t, e.path, Options{Beside: true})
	err := e.writer.do(t.Context(), func() error {
		if err := e.writer.erase(); err != nil {
			return err
		}
		if err := command.Update(t.Context(), insert("beside")); err != nil {
			return err
		}
		return e.writer.markClean()
	})
	if err != nil || isClean(t, e.path) {
		t.Errorf("marked clean %v, %v", isClean(t, e.path), err)
	}
}

func TestBesideHandsOutPositionsThatGrowWithThoseOfTheOtherProcess(t *testing.T) {
	stopped := fixedClock{time.UnixMicro(1_700_000_000_000_000)}
	e := mustOpen(t, Options{Clock: stopped.Now})
	command := mustOpenAt(t, e.path, Options{Clock: stopped.Now, Beside: true})
	last := int64(0)
	for range 3 {
		for _, engine := range []*Engine{e, command} {
			if outcome := mustPosition(t, engine, 2, errMine); outcome <= last {
				t.Fatalf("position %d, rolled back, after %d", outcome, last)
			}
			got := mustPosition(t, engine, 5, nil)
			if got <= last {
				t.Fatalf("position %d after %d", got, last)
			}
			last = got + 4
		}
	}
}

// What a transaction had taken that was rolled back is not stored over what a command stored meanwhile.
func TestBesideThePositionThatIsStoredNeverGoesBack(t *testing.T) {
	stopped := fixedClock{time.UnixMicro(1_700_000_000_000_000)}
	e := mustOpen(t, Options{Clock: stopped.Now})
	command := mustOpenAt(t, e.path, Options{Clock: stopped.Now, Beside: true})
	mustPosition(t, e, 1, nil)
	mustPosition(t, e, 5, errMine)
	last := mustPosition(t, command, 10, nil) + 9
	if err := e.Update(t.Context(), insert("without a position")); err != nil {
		t.Fatal(err)
	}
	next := mustOpenAt(t, e.path, Options{Clock: stopped.Now, Beside: true})
	if got := mustPosition(t, next, 1, nil); got <= last {
		t.Errorf("position %d after %d", got, last)
	}
}

// What a command queued lies before what the server queues next, whose observers are told so once: also
// where the first that looked was rolled back.
func TestBesideIsToldWithTheNextThatIsCommitted(t *testing.T) {
	e := mustOpen(t, Options{})
	command := mustOpenAt(t, e.path, Options{Beside: true})
	var told []bool // of the writer's goroutine, before it answers
	take := func(outcome error) {
		t.Helper()
		err := e.Update(t.Context(), func(s store.Session) error {
			if _, err := s.Position(nil, 1); err != nil {
				return err
			}
			s.Committed(func(beside bool) { told = append(told, beside) }, func() {})
			return outcome
		})
		wantError(t, err, outcome)
	}
	take(nil)
	mustPosition(t, command, 1, nil)
	take(errMine)
	take(nil)
	take(nil)
	mustPosition(t, command, 1, errMine)
	take(nil)
	if want := []bool{false, true, false, false}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}

func TestBesideSeesAndShowsWhatWasWrittenLast(t *testing.T) {
	e := mustOpen(t, Options{})
	command := mustOpenAt(t, e.path, Options{Beside: true})
	for name, engine := range map[string]*Engine{"server": e, "command": command} {
		if err := engine.Update(t.Context(), insert(name)); err != nil {
			t.Fatal(err)
		}
	}
	wantItems(t, e, "command", "server")
	wantItems(t, command, "command", "server")
}

func TestBesideMakesNoCheckpoint(t *testing.T) {
	e := mustOpen(t, Options{})
	command := mustOpenAt(t, e.path, Options{Beside: true})
	for i := range 20 {
		if err := command.Update(t.Context(), func(s store.Session) error {
			_, err := s.Exec(
				`INSERT INTO items (name, content) VALUES ('a', ?) ON CONFLICT (name) DO UPDATE SET content = excluded.content`,
				bytes.Repeat([]byte{byte(i)}, 1<<20))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := command.Close(); err != nil {
		t.Fatal(err)
	}
	state, err := e.files.logState()
	if err != nil || state.backfilled > 0 || state.frames < 20*256 {
		t.Errorf("the log is in the state %+v, %v", state, err)
	}
}

// A command starts the log again between the server's looks at its length and at its pages.
func TestEraseReachesThePagesOfALogThatACommandStartsAgain(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 24)
	for range 10 {
		c.change(40)
	}
	c.e = mustOpenAt(t, e.path, Options{Beside: true})
	err := e.writer.do(t.Context(), func() error {
		w := e.writer
		state, err := w.look()
		if err != nil {
			return err
		}
		if end := w.c.copyLog(); end.err != nil || end.home < state.frames {
			t.Errorf("the checkpoint ends with %+v of %d pages", end, state.frames)
		}
		c.change(1)
		return w.list(state)
	})
	if err != nil {
		t.Fatal(err)
	}
	c.e = e
	c.erase()
	c.wantErased(e.path)
	if e.Stats().Scrubbed == 0 {
		t.Error("no page held remains: this test shows nothing")
	}
}

// A checkpoint of the server and a command's writing may overlap.
func TestWhatIsWrittenBesideACheckpointIsErasedLater(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 23)
	c.change(40)
	c.erase()
	c.e = mustOpenAt(t, e.path, Options{Beside: true})
	for range 5 {
		err := e.writer.do(t.Context(), func() error {
			version, err := e.writer.c.number(dataVersion)
			if err != nil {
				return err
			}
			if err := e.writer.checkpoint(); err != nil {
				return err
			}
			for range 10 { // after the last look at the log's pages, before they are brought home
				c.change(40)
			}
			if _, err := e.writer.c.number("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
				return err
			}
			return e.writer.notice(version)
		})
		if err != nil {
			t.Fatal(err)
		}
		command := c.e
		c.e = e
		c.erase()
		c.wantErased(e.path)
		c.e = command
	}
}

package sqlite

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"signet/internal/store"
)

// mustOpen opens an engine on a fresh file, which ends with the test, and a
// table for it to fill.
func mustOpen(t testing.TB, opts Options) *Engine {
	t.Helper()
	e := mustOpenAt(t, filepath.Join(t.TempDir(), "signet.db"), opts)
	mustExec(t, e, `CREATE TABLE items (name TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (name)) WITHOUT ROWID`)
	return e
}

func mustOpenAt(t testing.TB, path string, opts Options) *Engine {
	t.Helper()
	e, err := Open(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// mustExec runs statements in a transaction of their own.
func mustExec(t testing.TB, e *Engine, statements ...string) {
	t.Helper()
	err := e.Update(context.Background(), func(s store.Session) error {
		for _, text := range statements {
			if _, err := s.Exec(text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// insert returns a function for Update that adds an item.
func insert(name string, content ...byte) func(store.Session) error {
	return func(s store.Session) error {
		_, err := s.Exec(`INSERT INTO items (name, content) VALUES (?, ?)`, name, content)
		return err
	}
}

// wantItems compares the names of all items, in order.
func wantItems(t testing.TB, e *Engine, want ...string) {
	t.Helper()
	var got []string
	err := e.View(context.Background(), func(s store.Session) error {
		got = nil
		return s.Query(`SELECT name FROM items ORDER BY name`, nil, func(r store.Row) error {
			var name string
			err := r.Scan(&name)
			got = append(got, name)
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("items %q, want %q", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("items %q, want %q", got, want)
		}
	}
}

func wantError(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

// wantIntact asks SQLite to check every page.
func wantIntact(t testing.TB, path string) {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	stmt, err := conn.Prepare("PRAGMA integrity_check")
	if err != nil {
		t.Fatal(err)
	}
	for {
		more, err := stmt.Step()
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return
		}
		if text := stmt.ColumnText(0); text != "ok" {
			t.Fatalf("integrity_check: %s", text)
		}
	}
}

// blocked keeps the writer busy while requests are queued behind it, each
// started by a call of behind; release lets it go on.
type blocked struct {
	t       testing.TB
	e       *Engine
	release func()
	queued  int
}

func block(t testing.TB, e *Engine) *blocked {
	t.Helper()
	running, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- e.Update(context.Background(), func(store.Session) error {
			close(running)
			<-release
			return nil
		})
	}()
	<-running
	return &blocked{t: t, e: e, release: func() {
		close(release)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}}
}

// behind queues an Update; its outcome comes on the channel.
func (b *blocked) behind(ctx context.Context, fn func(store.Session) error) <-chan error {
	out := make(chan error, 1)
	go func() { out <- b.e.Update(ctx, fn) }()
	b.queued++
	for len(b.e.writer.requests) < b.queued {
		runtime.Gosched()
	}
	return out
}

func TestOpen(t *testing.T) {
	t.Run("makes_files_that_only_the_owner_reads", func(t *testing.T) {
		e := mustOpen(t, Options{})
		for _, name := range []string{"", "-wal", "-shm"} {
			info, err := os.Stat(e.path + name)
			if err != nil {
				t.Fatal(err)
			}
			if mode := info.Mode().Perm(); mode != 0o600 && runtime.GOOS != "windows" {
				t.Errorf("%s has mode %o", info.Name(), mode)
			}
		}
	})
	t.Run("refuses_a_database_of_another_program", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "other.db")
		conn, err := sqlite.OpenConn(path)
		if err != nil {
			t.Fatal(err)
		}
		stmt, err := conn.Prepare("CREATE TABLE t (x)")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stmt.Step(); err != nil {
			t.Fatal(err)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, Options{}); err == nil {
			t.Fatal("it was opened")
		}
	})
	t.Run("refuses_a_file_that_is_no_database", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "text.db")
		if err := os.WriteFile(path, bytes.Repeat([]byte("no database\n"), 1000), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path, Options{})
		wantError(t, err, store.ErrUnavailable)
	})
	t.Run("fails_without_its_directory", func(t *testing.T) {
		_, err := Open(filepath.Join(t.TempDir(), "missing", "signet.db"), Options{})
		wantError(t, err, os.ErrNotExist)
	})
	t.Run("has_the_settings_it_promises", func(t *testing.T) {
		e := mustOpen(t, Options{})
		for pragma, want := range map[string]int64{
			"page_size": 4096, "synchronous": 2, "secure_delete": 1, "foreign_keys": 1,
			"auto_vacuum": 0, "temp_store": 2, "application_id": applicationID,
		} {
			err := e.writer.do(context.Background(), func() error {
				got, err := e.writer.c.number("PRAGMA " + pragma)
				if got != want {
					t.Errorf("%s is %d, want %d", pragma, got, want)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
}

func TestClose(t *testing.T) {
	t.Run("leaves_the_database_file_alone", func(t *testing.T) {
		e := mustOpen(t, Options{})
		if err := e.Update(t.Context(), insert("a")); err != nil {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(filepath.Dir(e.path))
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) != 1 {
			t.Errorf("files %v, want one", entries)
		}
		wantIntact(t, e.path)
		wantItems(t, mustOpenAt(t, e.path, Options{}), "a")
	})
	t.Run("can_be_called_twice", func(t *testing.T) {
		e := mustOpen(t, Options{})
		for range 2 {
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Run("makes_every_other_call_answer_closed", func(t *testing.T) {
		e := mustOpen(t, Options{})
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		nothing := func(store.Session) error { return nil }
		wantError(t, e.Update(t.Context(), nothing), store.ErrClosed)
		wantError(t, e.View(t.Context(), nothing), store.ErrClosed)
		wantError(t, e.Erase(t.Context()), store.ErrClosed)
		wantError(t, e.Backup(t.Context(), filepath.Join(t.TempDir(), "b")), store.ErrClosed)
	})
	t.Run("waits_for_what_runs_and_what_waits", func(t *testing.T) {
		e := mustOpen(t, Options{Readers: 1})
		b := block(t, e)
		update := b.behind(t.Context(), insert("late"))
		reading, read, viewed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			viewed <- e.View(context.Background(), func(s store.Session) error {
				close(reading)
				<-read
				return s.Query(`SELECT count(*) FROM items`, nil, func(store.Row) error { return nil })
			})
		}()
		<-reading
		closed := make(chan error, 1)
		go func() { closed <- e.Close() }()
		for e.gate.Enter(context.Background()) == nil { // until Close has begun
			e.gate.Leave()
			runtime.Gosched()
		}
		b.release()
		if err := <-update; err != nil {
			t.Error(err)
		}
		select {
		case <-closed:
			t.Fatal("Close returned while a View was open")
		default:
		}
		close(read)
		if err := <-viewed; err != nil {
			t.Error(err)
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
		wantItems(t, mustOpenAt(t, e.path, Options{}), "late")
	})
}

// mustConnect opens a connection beside the engine, as an administrator's shell
// does.
func mustConnect(t testing.TB, path string) *connection {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &connection{conn: conn}
}

// copyFiles copies the files of an engine, as a crash at this moment would
// leave them, and returns the path of the copied database.
func copyFiles(t testing.TB, e *Engine) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "signet.db")
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(e.path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to+suffix, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

func TestCrashKeepsWhatWasAcknowledged(t *testing.T) {
	e := mustOpen(t, Options{})
	if err := e.Update(t.Context(), insert("acknowledged")); err != nil {
		t.Fatal(err)
	}
	written, crash := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- e.Update(context.Background(), func(s store.Session) error {
			err := insert("under way")(s)
			close(written)
			<-crash
			return err
		})
	}()
	<-written
	path := copyFiles(t, e)
	close(crash)
	if err := <-done; err != nil {
		t.Error(err)
	}
	wantItems(t, mustOpenAt(t, path, Options{}), "acknowledged")
}

// fixedClock is a clock that stands still until it is set.
type fixedClock struct{ now time.Time }

func (c *fixedClock) Now() time.Time { return c.now }

package sqlite

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"signet/internal/store"
)

func TestBackupIsConsistentWhileOthersWrite(t *testing.T) {
	e := mustOpen(t, Options{})
	mustExec(t, e, `CREATE TABLE pairs (n BIGINT NOT NULL, half INTEGER NOT NULL, PRIMARY KEY (n, half)) WITHOUT ROWID`)
	stop, done, begun := make(chan struct{}), make(chan error, 1), make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			if n == 100 {
				close(begun)
			}
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			err := e.Update(context.Background(), func(s store.Session) error {
				for half := range 2 {
					if _, err := s.Exec(`INSERT INTO pairs (n, half) VALUES (?, ?)`, n, half); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				done <- err
				return
			}
		}
	}()
	<-begun
	position := mustPosition(t, e, 1, nil)
	path := filepath.Join(t.TempDir(), "backup.db")
	if err := e.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("the backup has mode %o", mode)
	}
	wantIntact(t, path)
	restored := mustOpenAt(t, path, Options{})
	var pairs, halves int
	err = restored.View(t.Context(), func(s store.Session) error {
		return s.Query(`SELECT count(DISTINCT n), count(*) FROM pairs`, nil,
			func(r store.Row) error { return r.Scan(&pairs, &halves) })
	})
	if err != nil || pairs < 100 || halves != 2*pairs {
		t.Errorf("%d numbers with %d halves, error %v", pairs, halves, err)
	}
	if got := mustPosition(t, restored, 1, nil); got <= position {
		t.Errorf("position %d after %d was committed", got, position)
	}
}

func TestBackupHoldsNothingThatWasDeleted(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 11)
	for range 10 {
		c.change(40)
	}
	path := filepath.Join(t.TempDir(), "backup.db")
	if err := e.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	c.wantErased(path)
}

func TestBackupReplacesNoFile(t *testing.T) {
	e := mustOpen(t, Options{})
	path := filepath.Join(t.TempDir(), "backup.db")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantError(t, e.Backup(t.Context(), path), fs.ErrExist)
	if content, err := os.ReadFile(path); err != nil || string(content) != "precious" {
		t.Errorf("the file holds %q, error %v", content, err)
	}
}

func TestBackupLeavesNothingWhenItIsCancelledOrFails(t *testing.T) {
	e := mustOpen(t, Options{})
	for i := range 4 {
		if err := e.Update(t.Context(), insert(fmt.Sprint(i), make([]byte, 1<<20)...)); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, e.Backup(ctx, filepath.Join(dir, "backup.db")), context.Canceled)
	wantError(t, e.Backup(t.Context(), filepath.Join(dir, "missing", "backup.db")), fs.ErrNotExist)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("files %v were left, error %v", entries, err)
	}
	if err := e.Update(t.Context(), insert("after")); err != nil {
		t.Error(err)
	}
}

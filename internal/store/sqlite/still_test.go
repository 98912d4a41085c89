package sqlite

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"signet/internal/store"
)

// TestStillDatabaseIsReadAndNotTouched, whether its last server stopped or was killed.
func TestStillDatabaseIsReadAndNotTouched(t *testing.T) {
	e := mustOpen(t, Options{})
	if err := e.Update(t.Context(), insert("written")); err != nil {
		t.Fatal(err)
	}
	killed := copyFiles(t, e)
	index, err := os.ReadFile(e.path + "-shm")
	if err == nil {
		err = os.WriteFile(killed+"-shm", index, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for what, path := range map[string]string{"stopped": e.path, "killed": killed} {
		before := databaseFiles(t, path)
		reader, err := OpenStill(path)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		items := 0
		err = reader.View(t.Context(), func(s store.Session) error {
			return s.Query(`SELECT name FROM items WHERE name = 'written'`, nil, func(store.Row) error {
				items++
				return nil
			})
		})
		if err != nil || items != 1 {
			t.Errorf("%s: %d items are found, %v", what, items, err)
		}
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
		if after := databaseFiles(t, path); !maps.Equal(before, after) {
			t.Errorf("%s: the files have changed", what)
		}
	}
	if err := os.Remove(killed + "-shm"); err != nil {
		t.Fatal(err)
	}
	if reader, err := OpenStill(killed); err == nil {
		reader.Close()
		t.Error("a log without an index is read")
	}
	if _, err := os.Stat(killed + "-shm"); err == nil {
		t.Error("the index was made")
	}
}

// databaseFiles are those of a database, by their names.
func databaseFiles(t *testing.T, path string) map[string]string {
	t.Helper()
	out := map[string]string{}
	found, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[path] = string(text)
	}
	return out
}

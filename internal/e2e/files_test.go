package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// wantSoundFiles reports damage in the data directory of a server that has stopped.
func wantSoundFiles(t *testing.T, dir string) {
	t.Helper()
	database, err := sqlite.OpenConn(filepath.Join(dir, "signet.db"), sqlite.OpenReadWrite)
	if err != nil {
		t.Error(err)
		return
	}
	defer database.Close()
	err = sqlitex.ExecuteTransient(database, "PRAGMA integrity_check",
		&sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
			if said := row.ColumnText(0); said != "ok" {
				t.Errorf("the database is damaged: %s", said)
			}
			return nil
		}})
	if err != nil {
		t.Error(err)
	}
}

// wantNothingUnfinished reports files that no request writes any more and that
// are not whole. After a crash there may be some, for an hour.
func wantNothingUnfinished(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(filepath.Join(dir, "blobs", "incoming"))
	if err != nil {
		t.Error(err)
	}
	for _, entry := range left {
		t.Errorf("blobs/incoming still has %s", entry.Name())
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Error(err)
	}
	for _, entry := range names {
		if name := entry.Name(); strings.HasPrefix(name, "operator.json.") {
			t.Errorf("the data directory still has %s", name)
		}
	}
}

package app

import (
	"log/slog"
	"os"
	"testing"

	"signet/internal/store"
	"signet/internal/store/sqlite"
	"signet/internal/testlog"
)

// An upgrade may take minutes, in which nobody is answered: the log says why.
func TestStartSaysThatDataIsBroughtUpToDate(t *testing.T) {
	for _, c := range []struct {
		name    string
		version int
		said    int
	}{
		{"a new directory", 0, 0},
		{"one of an earlier version", store.SchemaVersion() - 1, 1},
		{"one of this version", store.SchemaVersion(), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := settings(t)
			if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
				t.Fatal(err)
			}
			if c.version > 0 {
				engine, err := sqlite.Open(databasePath(cfg.Data), sqlite.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if err := store.MigrateTo(t.Context(), engine, c.version); err != nil {
					t.Fatal(err)
				}
				if err := engine.Close(); err != nil {
					t.Fatal(err)
				}
			}
			log := &testlog.Log{}
			a, err := Open(t.Context(), cfg, slog.New(slog.NewTextHandler(log, nil)))
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			if said := log.Count("brought up to date"); said != c.said {
				t.Errorf("it is said %d times: %s", said, log)
			}
		})
	}
}

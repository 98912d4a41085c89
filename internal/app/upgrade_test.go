package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
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

// busyEngine answers some times what one answers while another server changes the tables.
type busyEngine struct {
	store.Engine
	times int
}

func (e *busyEngine) Update(ctx context.Context, fn func(store.Session) error) error {
	if e.times--; e.times >= 0 {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, store.ErrBusy)
	}
	return e.Engine.Update(ctx, fn)
}

func TestUpgradeWaitsWhileAnotherServerDoesIt(t *testing.T) {
	engine, err := sqlite.Open(filepath.Join(t.TempDir(), "signet.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	if err := store.Upgrade(t.Context(), &busyEngine{engine, 3}, store.Upgrading{}); err != nil {
		t.Errorf("it answered %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := store.Upgrade(ctx, &busyEngine{engine, 3}, store.Upgrading{}); !errors.Is(err, store.ErrBusy) {
		t.Errorf("with a context that has ended it answered %v", err)
	}
}

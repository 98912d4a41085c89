package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"

	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/schema"
	"signet/internal/store/sqlite"
	"signet/internal/testlog"
)

// An upgrade may take minutes, in which nobody is answered: the log says why.
func TestStartSaysThatDataIsBroughtUpToDate(t *testing.T) {
	engine, err := sqlite.Open(filepath.Join(t.TempDir(), "signet.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	for _, c := range []struct {
		name string
		to   schema.Schema
		said int
	}{
		{"a new directory", store.Today(), 0},
		{"one of this version", store.Today(), 0},
		{"one of an earlier version", conformance.Later(true), 1},
	} {
		log := &testlog.Log{}
		if err := upgrade(t.Context(), surroundings{log: slog.New(slog.NewTextHandler(log, nil))}, engine, c.to); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if said := log.Count("brought up to date"); said != c.said {
			t.Errorf("%s: it is said %d times: %s", c.name, said, log)
		}
	}
}

// busyEngine answers some times what one answers while another server changes the tables.
type busyEngine struct {
	store.Engine
	times int
}

func (e *busyEngine) Update(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	if e.times--; e.times >= 0 {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, store.ErrBusy)
	}
	return e.Engine.Update(ctx, fn, traits...)
}

func TestUpgradeWaitsWhileAnotherServerDoesIt(t *testing.T) {
	engine, err := sqlite.Open(filepath.Join(t.TempDir(), "signet.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	if err := store.Upgrade(t.Context(), &busyEngine{engine, 3}, store.Today(), store.Upgrading{}); err != nil {
		t.Errorf("it answered %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := store.Upgrade(ctx, &busyEngine{engine, 3}, store.Today(), store.Upgrading{}); !errors.Is(err,
		store.ErrBusy) {
		t.Errorf("with a context that has ended it answered %v", err)
	}
}

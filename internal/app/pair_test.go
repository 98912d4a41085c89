package app

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"signet/internal/home"
	"signet/internal/standby"
	"signet/internal/store"
	"signet/internal/store/sqlite"
	"signet/internal/succession"
)

// Another server may take over between the look at a directory and its opening, as while one hands over.
func TestDirectoryOfAServerThatGaveWayIsNotOpened(t *testing.T) {
	cfg := pairSettings(t)
	a, err := Open(t.Context(), cfg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := succession.NoteFenced(cfg.Data, standby.Claim{Term: 1, By: "a test"}); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), cfg, quiet())
	if err == nil {
		again.Close()
		t.Fatal("it was opened")
	}
	if _, wrong := errors.AsType[home.Misconfigured](err); !wrong || !strings.Contains(err.Error(), "took over") {
		t.Errorf("it is said that %v", err)
	}
}

// A server that cannot note that it gave way confirms nothing all the same.
func TestServerGivesWayWithoutRoomForANote(t *testing.T) {
	engine, err := sqlite.Open(filepath.Join(t.TempDir(), "signet.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	p := &pair{in: surroundings{dir: filepath.Join(t.TempDir(), "missing")}, fenced: make(chan error, 1)}
	if err := p.give(t.Context(), engine, standby.Claim{Term: 1, By: "a test"}, func() {
		t.Error("it is said to have given way")
	}); err == nil {
		t.Error("it is said to be noted that it gave way")
	}
	err = engine.Update(t.Context(), func(store.Session) error { return nil })
	if !errors.Is(err, sqlite.ErrFenced) {
		t.Errorf("it still confirms: %v", err)
	}
	if len(p.fenced) != 0 {
		t.Error("it ends, and the next start would know nothing of it")
	}
}

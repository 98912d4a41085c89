package app

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/postgres"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// TestOlderServerEndsWhereANewerOneChangedTheData starts a newer version, made for this
// test, beside a server that cannot work with what that makes of the data.
func TestOlderServerEndsWhereANewerOneChangedTheData(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	cfg := settings(t)
	cfg.Database = postgrestest.URL(t)
	a, err := Open(t.Context(), cfg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { done <- a.Run(ctx) }()

	newer, err := postgres.Open(t.Context(), cfg.Database, postgres.Options{Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer newer.Close()
	later := conformance.Later(true)
	err = store.Upgrade(t.Context(), newer, later, store.Upgrading{})
	if used := new(store.InUseError); !errors.As(err, &used) || !strings.Contains(err.Error(), nodeName()) {
		t.Fatalf("beside a server it answers %v, want that %s is in its way", err, nodeName())
	}
	ahead := func() time.Time { return time.Now().Add(wrongBy) } // by its clock the server's lease is over
	wrong, err := postgres.Open(t.Context(), cfg.Database, postgres.Options{Connections: 1, Clock: ahead})
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(store.Upgrade(t.Context(), wrong, later, store.Upgrading{Clock: ahead}), wrong.Close())
	if !errors.As(err, new(*store.InUseError)) {
		t.Fatalf("with a clock that is ahead it answers %v, want that a server is in its way", err)
	}
	if answer, body := mustDo(t, "GET", a.BaseURL()+"/readyz"); answer.StatusCode != http.StatusOK {
		t.Errorf("/readyz answers %d, %s", answer.StatusCode, body)
	}

	// One that hangs counts as gone after a while, and finds the newer data when it wakes.
	if err := newer.Update(t.Context(),
		func(s store.Session) error { _, err := s.Exec(`DELETE FROM nodes`); return err }); err != nil {
		t.Fatal(err)
	}
	if err := store.Upgrade(t.Context(), newer, later, store.Upgrading{}); err != nil {
		t.Fatal(err)
	}
	if err := a.system.ready(t.Context()); !errors.As(err, new(*store.OutdatedError)) {
		t.Errorf("it is ready, or not for the reason: %v", err)
	}
	select {
	case err := <-done:
		if old := new(store.OutdatedError); !errors.As(err, &old) || old.Version != store.SchemaVersion()+1 {
			t.Errorf("it ended with %v, want that the data is newer", err)
		}
	case <-time.After(time.Minute):
		t.Error("it does not end")
	}
}

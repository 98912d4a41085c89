// Package enginetest gives the tests of the rooms above the store an engine to run
// on: the embedded one, or PostgreSQL where SIGNET_TEST_ENGINE is "postgres".
// `make test-all` runs them on both.
//
// It owns where a test's database lies and how it is made and copied. It knows
// nothing of what is stored. It is imported by tests only.
package enginetest

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/store/postgres"
	"signet/internal/store/postgrestest"
	"signet/internal/store/sqlite"
)

// OnPostgres tells which engine the tests run on. It asks each time: what is read
// before the tests run is no part of what "go test" knows its cached results by.
func OnPostgres() bool { return os.Getenv("SIGNET_TEST_ENGINE") == "postgres" }

// TB is what a test has to offer: those of testing and of rapid do.
type TB = postgrestest.TB

// Options are what tests set of an engine.
type Options struct {
	Clock   func() time.Time
	Log     *slog.Logger
	Readers int // of the embedded engine; 0 is its own choice
}

// Authenticate gives a store a key for the codes of its rows, the same to each. A row with
// a wrong one ends the tests.
func Authenticate(kept *store.Store) *store.Store {
	kept.Authenticate([]byte("of tests"), func(f store.Forgery) { panic("the code is wrong of " + f.String()) })
	return kept
}

const (
	fileName    = "signet.db" // of the embedded engine's database
	addressFile = "database"  // holds the address of a database on PostgreSQL
)

// Open opens the database that belongs to a directory. One that has none gets an
// empty one. The caller closes the engine.
func Open(t TB, dir string, o Options) store.Engine {
	t.Helper()
	if OnPostgres() {
		return openPostgres(t, mustAddress(t, dir), o)
	}
	path := filepath.Join(dir, fileName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		empty, err := emptyFile()
		if err == nil {
			err = os.WriteFile(path, empty, 0o600)
		}
		must(t, err)
	}
	engine, err := sqlite.Open(path, sqlite.Options{Clock: o.Clock, Log: o.Log, Readers: o.Readers, CacheBytes: 8 << 20})
	must(t, err)
	return engine
}

// Copy gives a directory a copy of another one's database, which nobody has open.
func Copy(t TB, from, to string) {
	t.Helper()
	if OnPostgres() {
		address := postgrestest.Copy(t, mustAddress(t, from))
		must(t, os.WriteFile(filepath.Join(to, addressFile), []byte(address), 0o600))
		return
	}
	content, err := os.ReadFile(filepath.Join(from, fileName))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(to, fileName), content, 0o600))
}

// Address returns the URL of the database that belongs to a directory, for a server
// that is told where to store; it is empty for one in the directory itself.
func Address(t testing.TB, dir string) string {
	t.Helper()
	if !OnPostgres() {
		return ""
	}
	return mustAddress(t, dir)
}

func mustAddress(t TB, dir string) string {
	t.Helper()
	path := filepath.Join(dir, addressFile)
	known, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		must(t, err)
		return string(known)
	}
	address := postgrestest.URL(t)
	must(t, os.WriteFile(path, []byte(address), 0o600))
	return address
}

func openPostgres(t TB, address string, o Options) store.Engine {
	t.Helper()
	engine, err := postgres.Open(context.Background(), address,
		postgres.Options{Clock: o.Clock, Log: o.Log, Connections: 8})
	must(t, err)
	return engine
}

// emptyFile is a database without anything in it. Making its tables takes longer
// than most tests, so that it is done once for all of them.
var emptyFile = sync.OnceValues(func() (content []byte, err error) {
	dir, err := os.MkdirTemp("", "signet-test")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, fileName)
	engine, err := sqlite.Open(path, sqlite.Options{CacheBytes: 1 << 20})
	if err != nil {
		return nil, err
	}
	if err := furnish(engine); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// furnish makes the tables and closes the engine.
func furnish(engine store.Engine) error {
	_, err := store.Open(context.Background(), engine, func() string { return "tests" })
	return errors.Join(err, engine.Close())
}

func must(t TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

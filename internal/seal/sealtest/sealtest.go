// Package sealtest gives the tests of the rooms above the key ring a real one, in
// a file or, for several nodes, in a database. It is imported by tests only.
package sealtest

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"signet/internal/seal"
	"signet/internal/seal/pgring"
)

// TB is what a test has to offer: those of testing and of rapid do.
type TB interface {
	Helper()
	Fatal(args ...any)
	Cleanup(func())
}

// Open opens the key ring of a directory, under the names that a server's data
// directory has for them. One that has none gets an empty one. It is closed when
// the test ends.
func Open(t TB, dir string, clock func() time.Time) *seal.Ring {
	t.Helper()
	return open(t, seal.OpenFileBeside(filepath.Join(dir, "keyring")), dir, clock)
}

// OpenShared opens the key ring of a PostgreSQL database, for one of the nodes that
// share it and the master key of a directory.
func OpenShared(t TB, url, dir string, clock func() time.Time) *seal.Ring {
	t.Helper()
	storage, err := pgring.Open(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	return open(t, storage, dir, clock)
}

func open(t TB, storage seal.Storage, dir string, clock func() time.Time) *seal.Ring {
	t.Helper()
	r, err := seal.Open(context.Background(), seal.Options{
		Storage: storage, Master: seal.MasterFile(filepath.Join(dir, "master.json")), Clock: clock,
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() }) // holds nothing that a test could lose
	return r
}

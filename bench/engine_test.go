package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	// The programs are built and run, not imported. This makes "go test" see that these
	// tests depend on their code.
	_ "signet/internal/benchcli"
	_ "signet/internal/cli"

	"signet/internal/load"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// program is the built server, and generator the built signet-bench, which serves the floor.
var program, generator string

func TestMain(m *testing.M) {
	if os.Getenv(spinning) != "" {
		spinUntilKilled()
	}
	testenv.Clear()
	dir, err := os.MkdirTemp("", "signet-bench-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program, generator = filepath.Join(dir, "signet"), filepath.Join(dir, "signet-bench")
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// build builds the programs once, when they are first needed.
var build = sync.OnceValue(func() error {
	_, err := testenv.Build(filepath.Dir(program))
	if err == nil {
		_, err = testenv.BuildBench(filepath.Dir(generator))
	}
	return err
})

// engine is where a server stores.
type engine struct {
	name     string
	database *postgrestest.Server // nil: the embedded store
	pid      int                  // the postmaster's
}

const (
	embedded   = "embedded"
	postgreSQL = "PostgreSQL"
)

// postgresSettings are those of the PostgreSQL that is measured, beyond its
// defaults. The tests' own, which skip the disk and what runs beside, are taken back.
var postgresSettings = []string{
	"fsync = on", "full_page_writes = on", "synchronous_commit = on", "autovacuum = on", "deadlock_timeout = 1s",
	"shared_buffers = 1GB", "max_wal_size = 4GB", "max_connections = 400",
}

// mustEngines starts what the servers are to store in, PostgreSQL with further settings if there are some.
func mustEngines(t *testing.T, more ...string) []*engine {
	t.Helper()
	database := postgrestest.Start(t, append(slices.Clip(postgresSettings), more...)...)
	return []*engine{{name: embedded}, {name: postgreSQL, database: database, pid: mustFindPostmaster(t, database)}}
}

// mustFindPostmaster returns the number of a server's first process.
func mustFindPostmaster(t *testing.T, s *postgrestest.Server) int {
	t.Helper()
	var directory string
	mustQuery(t, s.URL(t), "SHOW data_directory", &directory)
	text, err := os.ReadFile(filepath.Join(directory, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil || !load.Running(pid) {
		t.Fatalf("the process %q of the PostgreSQL server cannot be read: %v", first, err)
	}
	return pid
}

// mustQuery reads one value of a database.
func mustQuery(t *testing.T, address, statement string, value any) {
	t.Helper()
	if err := query(t.Context(), address, statement, value); err != nil {
		t.Fatal(err)
	}
}

func query(ctx context.Context, address, statement string, value any) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	err = conn.QueryRow(ctx, statement).Scan(value)
	if err = errors.Join(err, conn.Close(ctx)); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// with runs fn on a fresh server with an empty store.
func (e *engine) with(t *testing.T, fn func(target *load.Target) error) {
	t.Helper()
	own := e.mustOwn(t)
	e.serve(t, own, fn)
	e.mustClear(t, own)
}

// mustOwn says what server to start on an empty store.
func (e *engine) mustOwn(t *testing.T) load.Own {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	own := load.Own{Program: program, Data: filepath.Join(t.TempDir(), "data"), Postgres: e.pid}
	if e.database != nil {
		own.Database = e.database.URL(t)
	}
	return own
}

// serve runs fn on a server.
func (e *engine) serve(t *testing.T, own load.Own, fn func(target *load.Target) error) {
	t.Helper()
	server, target, err := load.StartServer(t.Context(), own)
	if err != nil {
		t.Fatal(err)
	}
	stop := sync.OnceValue(server.Stop)
	t.Cleanup(func() { _ = stop() }) // where fn stops the test
	if err := errors.Join(fn(target), stop()); err != nil {
		t.Fatalf("%s: %v", e.name, err)
	}
}

// mustClear removes what a server stored: the next one is not to wait for what this
// one left to write, nor the disk to fill up.
func (e *engine) mustClear(t *testing.T, own load.Own) {
	t.Helper()
	if e.database != nil {
		mustExec(t, own.Database, "DROP SCHEMA "+mustSchema(t, own.Database)+" CASCADE; CHECKPOINT")
	} else if err := os.RemoveAll(own.Data); err != nil {
		t.Fatal(err)
	}
}

func mustReadVersion(t *testing.T, e *engine) (version string) {
	t.Helper()
	mustQuery(t, e.database.URL(t), "SHOW server_version", &version)
	version, _, _ = strings.Cut(version, " ")
	return version
}

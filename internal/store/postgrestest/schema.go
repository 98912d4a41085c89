package postgrestest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// TB is what a test has to offer here: those of testing and of rapid do.
type TB interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// shared is the server of all tests of the binary.
var shared = sync.OnceValues(func() (*Server, error) { return start("", nil) })

// URL returns the address of an empty schema of a database, which is the test's
// alone.
func URL(t TB) string {
	t.Helper()
	if given := os.Getenv("SIGNET_TEST_DATABASE"); given != "" {
		return schema(t, given, true)
	}
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return s.URL(t)
}

// URL returns the address of an empty schema on this server.
func (s *Server) URL(t TB) string {
	t.Helper()
	return schema(t, "postgres://signet@"+s.address+"/postgres?sslmode=disable", false)
}

// Through returns the same address by way of another host and port.
func Through(t TB, address, hostPort string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = hostPort
	return u.String()
}

// schema makes a schema and returns the address of it. One on a server that stays
// is dropped when the test ends.
func schema(t TB, address string, drop bool) string {
	t.Helper()
	name := "test_" + strings.ToLower(rand.Text()[:16])
	mustExec(t, address, "CREATE SCHEMA "+name)
	if drop {
		t.Cleanup(func() { mustExec(t, address, "DROP SCHEMA "+name+" CASCADE") })
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	values := u.Query()
	values.Set("search_path", name)
	u.RawQuery = values.Encode()
	return u.String()
}

// Copy returns the address of a new schema that holds what that of another address
// does: tables, indexes and rows.
func Copy(t TB, from string) string {
	t.Helper()
	to := URL(t)
	mustExec(t, to, `DO $$
DECLARE name text;
BEGIN
	FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '`+schemaOf(t, from)+`' LOOP
		EXECUTE format('CREATE TABLE %I (LIKE %I.%I INCLUDING ALL)', name, '`+schemaOf(t, from)+`', name);
		EXECUTE format('INSERT INTO %I SELECT * FROM %I.%I', name, '`+schemaOf(t, from)+`', name);
	END LOOP;
END $$`)
	return to
}

func schemaOf(t TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("search_path")
}

func mustExec(t TB, address, statement string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatalf("connect to the tests' database: %v", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// Host returns the host and port of an address.
func Host(t TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

package postgrestest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// shared is the server of all tests of the binary.
var shared = sync.OnceValues(func() (*Server, error) { return start(nil) })

// URL returns the address of an empty schema of a database, which is the test's
// alone.
func URL(t testing.TB) string {
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
func (s *Server) URL(t testing.TB) string {
	t.Helper()
	return schema(t, "postgres://signet@"+s.address+"/postgres?sslmode=disable", false)
}

// Through returns the same address by way of another host and port.
func Through(t testing.TB, address, hostPort string) string {
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
func schema(t testing.TB, address string, drop bool) string {
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

func mustExec(t testing.TB, address, statement string) {
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
func Host(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

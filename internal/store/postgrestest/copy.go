package postgrestest

import (
	"context"
	"net/url"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Files returns the directory of the server's own files, its log of changes (pg_wal)
// included, all on the disk: for tests that read what a thief would.
func (s *Server) Files(t testing.TB) (directory string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, "postgres://signet@"+s.address+"/postgres?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "CHECKPOINT"); err != nil {
		t.Fatal(err)
	}
	if err := conn.QueryRow(ctx, "SHOW data_directory").Scan(&directory); err != nil {
		t.Fatal(err)
	}
	return directory
}

// Dump returns what pg_dump writes of the schema at an address.
func Dump(t testing.TB, address string) []byte {
	t.Helper()
	directory, err := Programs()
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	values := u.Query()
	values.Del("search_path")
	u.RawQuery = values.Encode()
	dump, err := exec.Command(filepath.Join(directory, "pg_dump"), "--schema="+schemaOf(t, address),
		"--dbname="+u.String()).Output()
	if err != nil {
		t.Fatalf("pg_dump: %v", err)
	}
	return dump
}

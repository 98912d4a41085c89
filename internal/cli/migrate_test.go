package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"signet/internal/blob/s3test"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

func TestMigrate(t *testing.T) {
	testenv.Long(t)
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	server := mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", data)
	env := []string{"SIGNET_DATA=" + data}
	organization := strings.TrimSpace(mustRun(t, env, "org", "create", "General Hospital"))
	mustRun(t, env, "user", "create", "--org", organization, "--username", "alice")
	mustRun(t, env, "send", "alice", "Good morning.")
	bucket := s3test.Shared(t).Bucket(t)
	database := postgrestest.URL(t)
	move := []string{"migrate", "--from", data, "--to", database, "--blobs", bucket.Location()}

	if code, _, stderr := run(t, nil, move...); code != exitFailed || !strings.Contains(stderr, "already uses") {
		t.Errorf("under a server it ended with %d and said %q", code, stderr)
	}
	server.stop()
	code, stdout, stderr := run(t, nil, move...)
	if code != exitDone {
		t.Fatalf("it ended with %d and said %q", code, stderr)
	}
	for _, want := range []string{"Moved and compared", "--blobs 's3://KEY:SECRET@" + bucket.Name,
		"Start no server on " + data} {
		if !strings.Contains(stdout, want) {
			t.Errorf("it said %q, want %q in it", stdout, want)
		}
	}
	if strings.Contains(stdout+stderr, s3test.SecretKey) {
		t.Errorf("it shows the bucket's secret: %q %q", stdout, stderr)
	}
	if !strings.Contains(stderr, "compare rows: ") {
		t.Errorf("its progress is %q", stderr)
	}
	if said := mustRun(t, nil, move...); !strings.Contains(said, "nothing is left to do") {
		t.Errorf("the second time it said %q", said)
	}
	own := filepath.Join(t.TempDir(), "keyring") // as it was before the new installation used it
	mustRun(t, nil, "keys", "export", own, "--data", data, "--database", database)
	moved := mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", data, "--database", database, "--blobs",
		bucket.Location())
	if said := mustRun(t, env, "user", "show", "alice"); !strings.Contains(said, "alice") {
		t.Errorf("the server on the database says %q", said)
	}
	moved.stop()
	// The old directory is not served by mistake.
	old := []string{"serve", "--listen", "127.0.0.1:0", "--data", data}
	if code, _, stderr := run(t, nil, old...); code != exitWrong ||
		!strings.Contains(stderr, "was moved to postgres://") || !strings.Contains(stderr, "--serve-moved") {
		t.Errorf("a server on the old directory ended with %d and said %q", code, stderr)
	}
	if code, _, stderr := run(t, nil, "operator", "reset", "--data", data); code != exitFailed ||
		!strings.Contains(stderr, "name the database") {
		t.Errorf("a reset in the old directory ended with %d and said %q", code, stderr)
	}
	if code, _, stderr := run(t, nil, append(old, "--serve-moved")...); code != exitWrong ||
		!strings.Contains(stderr, "another copy of this store") {
		t.Errorf("a server on the old directory with the key ring of the new one ended with %d and said %q", code, stderr)
	}
	// which changes it
	mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", data, "--serve-moved", "--keyring", "file:"+own).stop()
	if code, _, stderr := run(t, nil, move...); code != exitWrong ||
		!strings.Contains(stderr, "another copy of this store") {
		t.Errorf("with another source it ended with %d and said %q", code, stderr)
	}
}

func TestMigrateCommandLines(t *testing.T) {
	empty := t.TempDir()
	for name, test := range map[string]struct {
		args []string
		code int
		said string
	}{
		"no target":   {nil, exitWrong, "name the database"},
		"no database": {[]string{"--to", "mysql://hush@host/name"}, exitWrong, "PostgreSQL"},
		"no data directory": {[]string{"--from", empty, "--to", "postgres://hush@127.0.0.1/name"}, exitFailed,
			"no data directory of a server"},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, stderr := run(t, nil, append([]string{"migrate"}, test.args...)...)
			if code != test.code || !strings.Contains(stderr, test.said) || strings.Contains(stderr, "hush") {
				t.Errorf("ended with %d and said %q, want %d and %q", code, stderr, test.code, test.said)
			}
		})
	}
}

package e2e

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// mustMigrate runs "signet migrate", and kills it after a while if that is not 0. It
// reports whether it came to its end.
func mustMigrate(t *testing.T, from, to string, after time.Duration) (finished bool) {
	t.Helper()
	command := exec.Command(program, "migrate", "--from", from, "--to", to)
	command.Env = []string{}
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		timer := time.AfterFunc(after, func() { _ = command.Process.Kill() }) // it may have ended
		defer timer.Stop()
	}
	err := command.Wait()
	if err != nil && command.ProcessState.ExitCode() >= 0 {
		t.Fatalf("signet migrate: %v\n%s", err, output.String())
	}
	return err == nil
}

// TestMigrationIsKilledAndGoesOn moves an installation to PostgreSQL with a process that
// is killed again and again, and asks its clients whether anything happened.
func TestMigrationIsKilledAndGoesOn(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s := mustServe(t, freshDirectory(t), unlimited...)
	people := s.mustPeople("alice", "bob")
	alice, bob := people[0], people[1]
	file := bytes.Repeat([]byte("scan"), 50_000)
	var last string
	for n := range 60 {
		last = mustSend(t, alice, fileTo("bob", file[:n*1000]))
	}
	before := mustPoll(t, bob)
	message := mustMessage(t, bob, last)
	s.stop()
	s.wantQuietLog()

	database := postgrestest.URL(t)
	kills := 0
	for longest := 30 * time.Millisecond; !mustMigrate(t, s.dir, database,
		longest/2+rand.N(longest)); longest += 20 * time.Millisecond {
		kills++
	}
	if kills < 3 {
		t.Errorf("it was killed %d times before it was done, want more", kills)
	}

	moved := newServer(t, filepath.Join(t.TempDir(), "data"),
		append(unlimited, "--database", database, "--blobs", filepath.Join(s.dir, "blobs"))...)
	if err := os.MkdirAll(moved.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"operator.json", "keyring", "master.json"} { // what the move leaves where it is
		text, err := os.ReadFile(filepath.Join(s.dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(moved.dir, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	moved.mustStart()
	bob.Client, alice.Client = moved.client(bob.key, bob.secret), moved.client(alice.key, alice.secret)
	if after := mustPoll(t, bob); !reflect.DeepEqual(after, before) {
		t.Errorf("after %d kills the queue has %d events, want the same %d", kills, len(after), len(before))
	}
	wantAttachment(t, bob, message, file[:59_000])
	mustSend(t, alice, fileTo("bob", file))
	if after := mustPoll(t, bob); len(after) != len(before)+1 {
		t.Errorf("the queue has %d events after another message, want %d", len(after), len(before)+1)
	}
	moved.stop()
	moved.wantQuietLog()
}

// TestMoveIsNotDoneWithoutTheAuditKey kills a move in its last transaction, which this
// test holds up where it writes the key of the audit log.
func TestMoveIsNotDoneWithoutTheAuditKey(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s := mustServe(t, freshDirectory(t), unlimited...)
	s.stop()
	database := postgrestest.URL(t)
	ctx := t.Context()
	open := func() *pgx.Conn {
		conn, err := pgx.Connect(ctx, database)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(context.Background()) })
		return conn
	}
	holder, watcher := open(), open()
	count := func(query string) (n int) {
		t.Helper()
		if err := watcher.QueryRow(ctx, query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if _, err := watcher.Exec(ctx,
		`CREATE TABLE meta (name TEXT COLLATE "C" NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name))`); err != nil {
		t.Fatal(err)
	}
	tx, err := holder.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, `INSERT INTO meta (name, value) VALUES ('audit_key', 'of somebody else')`); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "migrate", "--from", s.dir, "--to", database)
	command.Env = []string{}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the move waits for the key", func() bool {
		return count(
			`SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0
	})
	if moved := count(`SELECT COUNT(*) FROM meta WHERE name = 'moved'`); moved != 0 {
		t.Error("the move counts as done before the key is there")
	}
	_ = command.Process.Kill()
	_ = command.Wait()
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	if !mustMigrate(t, s.dir, database, 0) {
		t.Fatal("the move was not finished")
	}
	var got string
	if err := watcher.QueryRow(ctx, `SELECT value FROM meta WHERE name = 'audit_key'`).Scan(&got); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(s.dir, "audit.key"))
	if err != nil || got != string(want) || count(`SELECT COUNT(*) FROM meta WHERE name = 'moved'`) != 1 {
		t.Errorf("the database has another key than the directory, or is not marked: %v", err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "moved.json")); err != nil {
		t.Error(err)
	}
}

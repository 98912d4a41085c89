package e2e

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"signet/internal/store/postgrestest"
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
	for longest := 30 * time.Millisecond; !mustMigrate(t, s.dir, database, longest/2+rand.N(longest)); longest += 20 * time.Millisecond {
		kills++
	}
	if kills < 3 {
		t.Errorf("it was killed %d times before it was done, want more", kills)
	}

	moved := newServer(t, filepath.Join(t.TempDir(), "data"), append(unlimited, "--database", database, "--blobs", filepath.Join(s.dir, "blobs"))...)
	if err := os.MkdirAll(moved.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"operator.json", "keyring", "master.json"} {
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

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"signet/client"
	"signet/internal/testenv"
)

// mustRunCommand runs a command on a server's data directory.
func (s *server) mustRunCommand(args ...string) string {
	s.t.Helper()
	out, err := exec.CommandContext(s.t.Context(), program, append(args, "--data", s.dir)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("signet %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// wantFailure runs a command that no file takes a byte from any more, as on a full
// disk, and wants it to fail, and say so.
func (s *server) wantFailure(args ...string) {
	s.t.Helper()
	const script = `ulimit -f 0; exec "$@" 2>&1 | cat`
	shell := exec.CommandContext(s.t.Context(), "bash",
		append([]string{"-o", "pipefail", "-c", script, "signet", program}, append(args, "--data", s.dir)...)...)
	out, err := shell.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "signet: ") || strings.Contains(string(out), "panic") {
		s.t.Errorf("signet %s on a full disk: %v: %s", strings.Join(args, " "), err, out)
	}
}

// What people wrote and the credentials outlive commands that find the disk full, or
// are killed, beside the server or without one.
func TestCommandsThatFailOrAreKilledHarmNothing(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s := mustServe(t, freshDirectory(t), unlimited...)
	people := s.mustPeople("alice", "bob", "carol")
	alice, bob, carol := people[0], people[1], people[2]
	sent := 0
	send := func() {
		t.Helper()
		for _, who := range []person{alice, carol} {
			if _, err := who.Send(t.Context(), client.Outgoing{Recipient: "bob", Body: fmt.Sprint(sent)}); err != nil {
				t.Fatal(err)
			}
			sent++
		}
	}
	wantWhole := func(when string) {
		t.Helper()
		send()
		if verified := s.mustRunCommand("keys", "verify"); !strings.HasPrefix(verified, fmt.Sprintf("%d messages,", sent)) {
			t.Errorf("%s: of %d messages, %s", when, sent, verified)
		}
		s.mustRunCommand("audit", "verify")
		if unread, err := bob.Unread(t.Context(), "me"); err != nil || unread.Count != sent {
			t.Errorf("%s: %d messages are unread (%v), want %d", when, unread.Count, err, sent)
		}
	}
	failing := func(more ...[]string) {
		t.Helper()
		for _, args := range append(more, [][]string{
			{"keys", "rotate"}, {"keys", "export", filepath.Join(t.TempDir(), "ring")}, {"operator", "reset"},
			{"account", "erase", "carol", "--confirm", "carol"}, {"audit", "export"},
		}...) {
			s.wantFailure(args...)
		}
	}
	send()
	failing()
	wantWhole("beside a server, on a full disk")

	// Killed at any moment: the time is what the test is about.
	for i := range 30 {
		for _, args := range [][]string{{"keys", "rotate"}, {"operator", "reset"}} {
			command := exec.Command(program, append(args, "--data", s.dir)...)
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- command.Wait() }()
			select {
			case <-ended:
			case <-time.After(time.Duration(i) * 2 * time.Millisecond):
				if err := command.Process.Signal(syscall.SIGKILL); err != nil && !strings.Contains(err.Error(), "finished") {
					t.Fatal(err)
				}
				<-ended
			}
		}
	}
	wantWhole("after commands that were killed")
	s.kill()
	s.mustStart()
	wantWhole("after a restart")
	s.mustRunCommand("keys", "rotate")
	s.mustRunCommand("operator", "reset")
	if _, err := s.client(s.mustReadOperator().Key, s.mustReadOperator().Secret).Self(t.Context()); err != nil {
		t.Errorf("the operator's new key: %v", err)
	}
	wantWhole("after both were done")

	s.stop()
	failing([]string{"key", "limit", alice.key, "--user", "alice", "--messages-per-day", "1"}) // which a server does
	s.mustStart()
	wantWhole("without a server, on a full disk")
	s.stop()
	// What is left of operator.json goes with the first start after an hour.
	for _, entry := range mustList(t, s.dir) {
		if path := filepath.Join(s.dir, entry); strings.HasPrefix(entry, "operator.json.") {
			if err := os.Chtimes(path, time.Time{}, time.Now().Add(-2*time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.mustStart()
	s.stop()
	for _, entry := range mustList(t, s.dir) {
		if strings.HasSuffix(entry, ".new") {
			t.Errorf("%s was left by a command that was killed", entry)
		}
	}
	wantSoundFiles(t, s.dir)
}

func mustList(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signet/internal/offline"
)

// TestKeysCommandsWorkBesideARunningServer is the life of a server's keys as its
// administrator sees it.
func TestKeysCommandsWorkBesideARunningServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", dir)
	env := []string{"SIGNET_DATA=" + dir}
	mustRun := func(want string, args ...string) {
		t.Helper()
		code, stdout, stderr := run(t, env, args...)
		if code != exitDone || !strings.Contains(stdout, want) || stderr != "" {
			t.Errorf("%q exited with %d, printed %q and %q, want %q", args, code, stdout, stderr, want)
		}
	}
	_, organization, _ := run(t, env, "org", "create", "Hospital")
	organization = strings.TrimSpace(organization)
	mustRun("", "user", "create", "--org", organization, "--username", "ann")
	mustRun("", "metadata", "set", "ann", "--org", organization, "a=b")
	mustRun("0 messages, 0 attachments and 1 metadata open\n", "keys", "verify")
	mustRun(" keys. Copy both anew", "keys", "rotate")
	mustRun("which nothing uses yet", "keys", "rotate", "--prepare")
	copied := filepath.Join(t.TempDir(), "copy")
	mustRun("Copied ", "keys", "export", copied)
	mustRun("1 metadata open", "keys", "verify", "--full", "--keyring", "file:"+copied)
	if code := s.stop(); code != 0 {
		t.Errorf("the server ended with %d:\n%s", code, s.stderr)
	}
	for _, want := range []string{"made a master key", "made a key ring"} {
		if !strings.Contains(s.stderr.String(), want) {
			t.Errorf("the server did not log %q:\n%s", want, s.stderr)
		}
	}
	mustRun("1 metadata open", "keys", "verify")
}

// A master key that others can read, or that took the place of one, would be no use.
func TestMasterKeyIsWrittenForItsOwnerAndOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "master.json")
	if code, stdout, stderr := run(t, nil, "keys", "generate", "--out", path); code != exitDone || stdout+stderr != "" {
		t.Fatalf("keys generate exited with %d, printed %q and %q", code, stdout, stderr)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has %v, %v, want mode 0600", info, err)
	}
	made, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(made), `{"primaryKeyId":`) {
		t.Errorf("the file holds %q, %v", made, err)
	}
	code, _, stderr := run(t, nil, "keys", "generate", "--out", path)
	kept, err := os.ReadFile(path)
	if code != exitFailed || !strings.Contains(stderr, "is there already") || err != nil || string(kept) != string(made) {
		t.Errorf("a second time it exited with %d and said %q, and the file holds %q", code, stderr, kept)
	}
}

// A sentence is one object, and a master key is the file that it is without --json.
func TestKeysCommandsPrintWholeJSON(t *testing.T) {
	var out bytes.Buffer
	con := &console{stdout: &out, asJSON: true}
	con.tellVerified(&offline.Verified{Messages: 3, Notes: 2, Webhooks: 5, Held: 1, Ended: 4, Rows: 9})
	want := `{"message":"3 messages, 0 attachments and 0 metadata open; so do 2 notes of groups; ` +
		`so do the secrets of 5 webhooks; 1 of these messages are kept for a legal hold alone; ` +
		`4 messages have ended, and their keys are destroyed"}` + "\n" +
		`{"message":"9 rows that give access were written by a server"}` + "\n"
	if out.String() != want {
		t.Errorf("it prints\n%swant\n%s", &out, want)
	}
	if code, stdout, _ := run(t, nil, "keys", "generate", "--json"); code != exitDone ||
		!strings.HasPrefix(stdout, `{"primaryKeyId":`) {
		t.Errorf("keys generate exited with %d and printed %q", code, stdout)
	}
}

// What the keys are wrong with is a wrong configuration: code 2.
func TestWrongKeysAreAWrongConfiguration(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", dir).stop()
	code, other, _ := run(t, nil, "keys", "generate")
	if code != exitDone || !strings.HasPrefix(other, `{"primaryKeyId":`) {
		t.Fatalf("keys generate exited with %d and printed %q", code, other)
	}
	wrong := filepath.Join(t.TempDir(), "wrong.json")
	if err := os.WriteFile(wrong, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	serve := []string{"serve", "--listen", "127.0.0.1:0", "--data", dir}
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"another master key":        {append(serve, "--master-key", "file:"+wrong), "is not the one that the key ring"},
		"a master key that is away": {append(serve, "--master-key", "file:"+wrong+".away"), "the master key is missing"},
		"a variable that is empty":  {append(serve, "--master-key", "env:NO_SUCH_VARIABLE"), "the master key is missing"},
		"a key ring that is away":   {append(serve, "--keyring", "file:"+wrong+".away"), "the key ring is missing"},
		"a directory that is away": {append(serve, "--keyring", "file:"+filepath.Join(dir, "away", "keyring")),
			"does not exist"},
		"a place that is none":        {append(serve, "--keyring", "keyring"), "keyring: want file:PATH"},
		"a rotation without a ring":   {[]string{"keys", "rotate", "--data", t.TempDir()}, "there is no key ring"},
		"a copy of a ring to another": {[]string{"keys", "export", "--data", dir, wrong}, "is damaged"},
	} {
		code, _, stderr := run(t, nil, c.args...)
		if code != exitWrong || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exited with %d and printed %q, want %d and %q", name, code, stderr, exitWrong, c.says)
		}
	}
}

func TestVerifyExitsWithOneWhereSomethingDoesNotOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", dir)
	env := []string{"SIGNET_DATA=" + dir}
	_, organization, _ := run(t, env, "org", "create", "Hospital")
	organization = strings.TrimSpace(organization)
	run(t, env, "user", "create", "--org", organization, "--username", "ann")
	run(t, env, "metadata", "set", "ann", "--org", organization, "a=b")
	s.stop()
	ring := filepath.Join(dir, "keyring")
	text, err := os.ReadFile(ring)
	if err != nil {
		t.Fatal(err)
	}
	header, _, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(ring, []byte(header+"\n"), 0o600); err != nil { // a ring that lost its keys
		t.Fatal(err)
	}
	code, stdout, stderr := run(t, env, "keys", "verify")
	if code != exitFailed || !strings.Contains(stdout, "metadata of") || !strings.Contains(stdout, organization) ||
		!strings.Contains(stderr, "2 do not open") {
		t.Errorf("it exited with %d and printed %q and %q", code, stdout, stderr)
	}
}

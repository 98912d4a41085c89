package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// mustRun carries out a command line that is to succeed.
func mustRun(t *testing.T, env []string, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := run(t, env, args...)
	if code != exitDone {
		t.Fatalf("%q ended with %d: %s", args, code, stderr)
	}
	return stdout
}

func TestBackupAndRestore(t *testing.T) {
	dir := t.TempDir()
	data, backup, other := filepath.Join(dir, "data"), filepath.Join(dir, "backup"), filepath.Join(dir, "other")
	server := mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", data)
	env := []string{"SIGNET_DATA=" + data}
	organization := strings.TrimSpace(mustRun(t, env, "org", "create", "General Hospital"))
	mustRun(t, env, "user", "create", "--org", organization, "--username", "alice")
	scan := filepath.Join(dir, "scan.bin")
	if err := os.WriteFile(scan, []byte("a scan"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, env, "send", "--attach", scan, "alice", "The scan of bed 12.")

	if said := mustRun(t, env, "backup", backup); !strings.Contains(said, "2 accounts, 1 messages") ||
		!strings.Contains(said, "1 attachments and avatars (") {
		t.Errorf("backup says %q", said)
	}
	if code, _, stderr := run(t, env, "backup", backup); code != exitFailed ||
		!strings.Contains(stderr, "nothing is overwritten") {
		t.Errorf("a second backup to the same place ended with %d and said %q", code, stderr)
	}
	if said := mustRun(t, nil, "restore", "--check", backup); !strings.Contains(said, "is whole: 2 accounts") {
		t.Errorf("restore --check says %q", said)
	}
	if said := mustRun(t, env, "backup", "--without-blobs", filepath.Join(dir, "small.tar")); !strings.Contains(said,
		"attachments left out") {
		t.Errorf("backup --without-blobs says %q", said)
	}
	if code, _, stderr := run(t, env, "restore", backup); code != exitFailed || !strings.Contains(stderr, "already uses") {
		t.Errorf("a restore under a server ended with %d and said %q", code, stderr)
	}
	if code := server.stop(); code != 0 {
		t.Errorf("the server ended with %d", code)
	}
	if said := mustRun(t, nil, "restore", backup, "--data", other); !strings.Contains(said, "operator.json") ||
		!strings.Contains(said, "2 accounts") {
		t.Errorf("restore says %q", said)
	}
	if said := mustRun(t, nil, "restore", "--new-epoch", "--data", other); !strings.Contains(said, "start over") {
		t.Errorf("restore --new-epoch says %q", said)
	}
	for _, name := range []string{"operator.json", "keyring", "master.json"} {
		kept, err := os.ReadFile(filepath.Join(data, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(other, name), kept, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	wantOthersRing(t, other)
	mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", other)
	if said := mustRun(t, []string{"SIGNET_DATA=" + other}, "user", "show", "alice"); !strings.Contains(said, "alice") {
		t.Errorf("the restored server says %q", said)
	}
}

// wantOthersRing starts a server on a key ring that is named: outside of the data directory it
// could be somebody else's.
func wantOthersRing(t *testing.T, data string) {
	t.Helper()
	elsewhere := []string{"--data", data, "--keyring", "file:" + filepath.Join(data, "keyring")}
	if code, _, stderr := run(t, nil,
		append([]string{"serve", "--listen", "127.0.0.1:0"}, elsewhere...)...); code != exitWrong ||
		!strings.Contains(stderr, "signet adopt") {
		t.Errorf("a server on a key ring that is named ended with %d and said %q", code, stderr)
	}
	code, said, stderr := run(t, nil, append([]string{"adopt"}, elsewhere...)...)
	_, epoch, found := strings.Cut(stderr, "--confirm=")
	if code != exitWrong || !found || !strings.Contains(said, "Takes over the key ring at") ||
		!strings.Contains(said, "epoch "+strings.TrimSpace(epoch)) {
		t.Fatalf("adopt ended with %d and said %q, %q", code, said, stderr)
	}
}

func TestBackupCommandLines(t *testing.T) {
	empty := t.TempDir()
	for name, test := range map[string]struct {
		args []string
		code int
		said string
	}{
		"no target": {[]string{"backup"}, exitWrong, "target"},
		"no data directory": {[]string{"backup", "--data", empty, filepath.Join(empty, "b")}, exitFailed,
			"no data directory of a server"},
		"nothing to restore":   {[]string{"restore"}, exitWrong, "name a backup"},
		"two things at a time": {[]string{"restore", "--new-epoch", "x"}, exitWrong, "name a backup"},
		"no such backup": {[]string{"restore", filepath.Join(empty, "x"), "--data", filepath.Join(empty, "d")},
			exitFailed, "no such file"},
		"epoch of nothing": {[]string{"restore", "--new-epoch", "--data", empty}, exitFailed,
			"no data directory of a server"},
		"PostgreSQL": {[]string{"backup", filepath.Join(empty, "b"), "--config",
			filepath.Join(empty, "postgres.yaml")}, exitFailed, "docs/operate/backup.md"},
		"wrong location": {[]string{"backup", filepath.Join(empty, "b"), "--blobs", "ftp://hush"}, exitWrong,
			"bucket"},
		"check without a place": {[]string{"restore", "--check"}, exitWrong, "name a backup"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(empty, "postgres.yaml"),
				[]byte("database: postgres://signet@127.0.0.1/signet\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			code, _, stderr := run(t, nil, test.args...)
			if code != test.code || !strings.Contains(stderr, test.said) || strings.Contains(stderr, "hush") {
				t.Errorf("ended with %d and said %q, want %d and %q", code, stderr, test.code, test.said)
			}
		})
	}
}

func TestProgressIsABarOnATerminalAndLinesElsewhere(t *testing.T) {
	now := time.Unix(0, 0)
	show := func(terminal bool) string {
		var out bytes.Buffer
		p := &progress{w: &out, terminal: terminal, now: func() time.Time { return now }}
		for done := int64(0); done <= 100; done++ {
			p.report("messages", done, 100)
			now = now.Add(500 * time.Millisecond)
		}
		p.report("attachments", 0, 0)
		return out.String()
	}
	lines := show(false)
	if strings.Contains(lines, "\r") || strings.Count(lines, "\n") < 4 || strings.Count(lines, "\n") > 7 ||
		!strings.HasSuffix(lines, "messages: 100 of 100 (100%)\n") {
		t.Errorf("the lines are %q", lines)
	}
	bar := show(true)
	if strings.Count(bar, "\n") != 1 || strings.Count(bar, "\r") < 50 ||
		!strings.Contains(bar, "[##############################] 100%  100 of 100\n") {
		t.Errorf("the bar is %q", bar)
	}
}

func TestProgressOfUnknownLengthEndsOnce(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		now := time.Unix(0, 0)
		var out bytes.Buffer
		p := &progress{w: &out, terminal: terminal, now: func() time.Time { return now }}
		for done := int64(0); done < 60; done++ {
			p.report("backup", done, 0)
			now = now.Add(time.Second)
		}
		p.report("backup", 60, 60)
		said := out.String()
		if !strings.Contains(said, " so far") || strings.Count(said, "%") != 1 || !strings.Contains(said, "60 of 60") ||
			strings.Count(said, "\n") > 7 {
			t.Errorf("it says %q", said)
		}
	}
}

// The manifest is read by people, and by programs that watch over backups.
func TestManifestIsReadable(t *testing.T) {
	dir := t.TempDir()
	data, backup := filepath.Join(dir, "data"), filepath.Join(dir, "backup")
	mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", data).stop()
	mustRun(t, nil, "backup", backup, "--data", data)
	if code, _, stderr := run(t, nil, "restore", "--check", backup); code != exitDone ||
		strings.Count(stderr, "(100%)") != 1 {
		t.Errorf("the check ended with %d and said %q, want that it is done once", code, stderr)
	}
	text, err := os.ReadFile(filepath.Join(backup, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"format", "made_by", "time", "database", "blobs", "sha256sums"} {
		if got[field] == nil {
			t.Errorf("the manifest has no %s: %s", field, text)
		}
	}
}

func TestBackupsAreKeptInADirectory(t *testing.T) {
	dir := t.TempDir()
	data, backups := filepath.Join(dir, "data"), filepath.Join(dir, "backups")
	server := mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", data)
	defer server.stop()
	env := []string{"SIGNET_DATA=" + data}
	for _, old := range []string{"signet-20260101T000000.000Z", "signet-20260102T000000.000Z",
		"signet-20260103T000000.000Z", "other"} {
		if err := os.MkdirAll(filepath.Join(backups, old), 0o700); err != nil {
			t.Fatal(err)
		}
		if old == "signet-20260102T000000.000Z" {
			continue // which was not finished
		}
		if err := os.WriteFile(filepath.Join(backups, old, "manifest.json"), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list := func() (names []string) {
		t.Helper()
		entries, err := os.ReadDir(backups)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return names
	}

	broken := []string{"SIGNET_DATA=" + filepath.Join(dir, "absent")}
	before := list()
	if code, _, stderr := run(t, broken, "backup", "--keep", "1", backups); code != exitFailed {
		t.Errorf("of a directory without data it ended with %d: %s", code, stderr)
	}
	if got := list(); len(got) != len(before)+1 { // the lock
		t.Errorf("a backup that failed left %q of %q", got, before)
	}

	mustRun(t, env, "backup", "--keep", "2", backups)
	got := list()
	if len(got) != 4 || got[0] != ".lock" || got[1] != "other" || got[2] != "signet-20260103T000000.000Z" {
		t.Fatalf("there are %q, want the new one and the newest of before", got)
	}
	mustRun(t, nil, "restore", "--check", filepath.Join(backups, got[3]))

	for _, wrong := range [][]string{{"--keep", "2", "-"}, {"--keep", "2", "x.tar"}, {"--keep=-1", backups}} {
		if code, _, stderr := run(t, env, append([]string{"backup"}, wrong...)...); code != exitWrong {
			t.Errorf("%q ended with %d: %s", wrong, code, stderr)
		}
	}
}

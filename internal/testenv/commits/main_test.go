package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); os.Exit(m.Run()) }

func TestMessagesOfTheFormPass(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		"store: pass the key on\n",
		"store/sqlite: keep read receipts in their own table\n\nReceipts shared the message prefix.\n",
		"api, client: need no second call",
		"web: speed up the list", "web: address a warning", "web: process less", "web: bring back the list",
		"api: string the parts together", "api: feed the queue", "docs: let `go test` look at comments",
		"release: v1.12.0",
		"web: show " + strings.Repeat("é", 62),
	} {
		if found := problems(message); len(found) > 0 {
			t.Errorf("%q: %q", message, found)
		}
	}
}

func TestMessagesOfAnotherFormAreRefused(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"keep read receipts":               "is not `area:",
		"Store: keep receipts":             "is not `area:",
		"store:keep receipts":              "is not `area:",
		"store: ":                          "is not `area:",
		`Revert "store: keep receipts"`:    "is not `area:",
		"fixup! store: keep receipts":      "is not `area:",
		"store: Keep receipts":             "a verb",
		"store: added receipts":            "a verb",
		"store: adding receipts":           "a verb",
		"store: adds receipts":             "a verb",
		"store: receipts have a table":     "a verb",
		"store: the receipts have a table": "a verb",
		"store: HTTPS for receipts":        "a verb",
		"store: keep receipts.":            "full stop",
		"store: keep receipts\nin a table": "second line",
		"web: " + strings.Repeat("x", 68):  "73 characters",
	} {
		found := strings.Join(problems(message), "; ")
		if !strings.Contains(found, want) {
			t.Errorf("%q: got %q, want %q", message, found, want)
		}
	}
}

// TestNewCommitsAreChecked: those after the beginning, without merges; and none where the
// beginning is not there.
func TestNewCommitsAreChecked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustGit := func(args ...string) string {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.com", "-c",
			"commit.gpgsign=false"}, args...)...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func(message string) string {
		t.Helper()
		mustGit("commit", "-q", "--allow-empty", "-m", message)
		return mustGit("rev-parse", "HEAD")
	}
	var out bytes.Buffer
	if err := run(dir, begin, &out); err != nil || !strings.Contains(out.String(), "not checked") {
		t.Errorf("without a repository: %v, %q", err, out.String())
	}
	mustGit("init", "-q")
	first := commit("Everything that was before.")
	out.Reset()
	if err := run(dir, first, &out); err != nil || out.Len() > 0 {
		t.Errorf("without a new commit: %v, %q", err, out.String())
	}
	commit("store: keep receipts\n\nWhy.")
	if err := run(dir, first, &out); err != nil || out.Len() > 0 {
		t.Errorf("with a good one: %v, %q", err, out.String())
	}
	bad := commit("store: keeps receipts")
	commit("store: keep more")
	err := run(dir, first, &out)
	if err == nil || !strings.HasPrefix(err.Error(), bad[:7]) || strings.Contains(err.Error(), "\n") {
		t.Errorf("with a bad one, %s: %v", bad, err)
	}
	if err := run(dir, begin, &out); err != nil || !strings.Contains(out.String(), "not checked") {
		t.Errorf("without the beginning: %v, %q", err, out.String())
	}
}

package app

import (
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/people"
	"signet/internal/testlog"
)

func TestFirstStartWritesOperatorFile(t *testing.T) {
	cfg := settings(t)
	h := newHarness(answerOK)
	a := mustOpen(t, cfg, h)
	path := filepath.Join(cfg.Data, "operator.json")
	if a.OperatorFile() != path {
		t.Errorf("OperatorFile is %q, want %q", a.OperatorFile(), path)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v, want 0600", info.Mode().Perm())
	}
	got := mustReadJSON(t, path)
	want := map[string]any{"base_url": "http://" + a.Addr().String(), "api_key": h.key, "api_secret": h.secret}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if len(h.key) < 16 || len(h.secret) < 43 {
		t.Errorf("key of %d and secret of %d characters, want at least 16 and 43 (256 bits)", len(h.key), len(h.secret))
	}
	wantNoLeftovers(t, cfg.Data)
}

func TestEveryStartRefreshesOnlyBaseURL(t *testing.T) {
	cfg := settings(t)
	mustOpen(t, cfg, newHarness(answerOK)).Close()
	path := filepath.Join(cfg.Data, "operator.json")
	mustWrite(
		t, path, `{"base_url":"http://127.0.0.1:1","api_key":"k","api_secret":"s<&>","note":{"n":12345678901234567890}}`,
		0o600)
	// Whoever opened it to others is protected from the next start on.
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	cfg.BaseURL = "https://messages.example.com"
	h := newHarness(answerOK)
	h.exists = true
	mustOpen(t, cfg, h)

	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"https://messages.example.com"`, `"k"`, `"s<&>"`, `12345678901234567890`} {
		if !strings.Contains(string(content), want) {
			t.Errorf("%s is not in %s", want, content)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v (%v), want 0600", info.Mode().Perm(), err)
	}
	if h.key != "" {
		t.Error("a second operator account was made")
	}
	wantNoLeftovers(t, cfg.Data)
}

func TestAccountIsMadeWithTheCredentialsOfAnInterruptedStart(t *testing.T) {
	cfg := settings(t)
	h := newHarness(answerOK)
	h.createErr = os.ErrDeadlineExceeded
	if _, err := open(t.Context(), cfg, quiet(), Pace{}, h.assemble); err == nil {
		t.Fatal("opened without an operator account")
	}
	path := filepath.Join(cfg.Data, "operator.json")
	if _, err := os.Stat(path); err == nil {
		t.Error("operator.json holds the credentials of no account")
	}
	before := mustReadJSON(t, path+".prepared")

	// Whether or not the account was made by then.
	for _, exists := range []bool{false, true} {
		h = newHarness(answerOK)
		h.exists = exists
		mustOpen(t, cfg, h).Close()
		if h.key != before["api_key"] || h.secret != before["api_secret"] {
			t.Errorf("made the account with %s and %s, want what was prepared: %v", h.key, h.secret, before)
		}
		if got := mustReadJSON(t, path); got["api_key"] != h.key || got["api_secret"] != h.secret {
			t.Errorf("operator.json holds %v", got)
		}
		wantNoLeftovers(t, cfg.Data)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		mustWrite(t, path+".prepared", fmt.Sprintf(`{"api_key":%q,"api_secret":%q}`, h.key, h.secret), 0o600)
	}
}

func TestCredentialsOfAnotherServersAccountAreNotWritten(t *testing.T) {
	cfg := settings(t)
	path := filepath.Join(cfg.Data, "operator.json")
	h := newHarness(answerOK)
	h.createErr = people.ErrOperatorExists // made after this one looked
	a := mustOpen(t, cfg, h)
	if a.OperatorFile() != "" {
		t.Errorf("OperatorFile is %q, want none", a.OperatorFile())
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("operator.json holds the credentials of no account")
	}
	wantNoLeftovers(t, cfg.Data)
	a.Close()

	// A start that was interrupted by then leaves nothing for the next one to use.
	for _, present := range []bool{false, true} {
		mustWrite(t, path+".prepared", `{"api_key":"no","api_secret":"body's"}`, 0o600)
		if present {
			mustWrite(t, path, `{"api_key":"k","api_secret":"s"}`, 0o600)
		}
		h.exists = true
		a := mustOpen(t, cfg, h)
		if got := a.OperatorFile() != ""; got != present {
			t.Errorf("OperatorFile is %q", a.OperatorFile())
		}
		if present {
			if got := mustReadJSON(t, path); got["api_key"] != "k" || got["api_secret"] != "s" {
				t.Errorf("operator.json holds %v", got)
			}
		}
		wantNoLeftovers(t, cfg.Data)
		a.Close()
	}
}

func TestCredentialsThatWereTakenAwayStayAway(t *testing.T) {
	cfg := settings(t)
	h := newHarness(answerOK)
	h.exists = true
	a := mustOpen(t, cfg, h)
	if a.OperatorFile() != "" {
		t.Errorf("OperatorFile is %q, want none", a.OperatorFile())
	}
	if _, err := os.Stat(filepath.Join(cfg.Data, "operator.json")); err == nil {
		t.Error("a file without credentials was written")
	}
}

func TestDamagedOperatorFileIsNotOverwritten(t *testing.T) {
	for _, content := range []string{"", "null", "[]", `{"api_key":`} {
		cfg := settings(t)
		if err := os.Mkdir(cfg.Data, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(cfg.Data, "operator.json")
		mustWrite(t, path, content, 0o600)
		_, err := open(t.Context(), cfg, quiet(), Pace{}, newHarness(answerOK).assemble)
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: got error %v, want one that names %s", content, err, path)
		}
		if got, _ := os.ReadFile(path); string(got) != content {
			t.Errorf("%q became %q", content, got)
		}
	}
}

// A server that has its operator account serves without the file, whatever became of it.
func TestOperatorFileThatCannotBeReadIsAWarning(t *testing.T) {
	for _, content := range []string{"", `{"api_key":`, "a directory"} {
		cfg := settings(t)
		path := filepath.Join(cfg.Data, "operator.json")
		if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
			t.Fatal(err)
		}
		if content == "a directory" { // which not even root can read as a file
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		} else {
			mustWrite(t, path, content, 0o600)
		}
		h := newHarness(answerOK)
		h.exists = true
		log := &testlog.Log{}
		a, err := open(t.Context(), cfg, slog.New(slog.NewTextHandler(log, nil)), Pace{}, h.assemble)
		if err != nil {
			t.Errorf("%q: it does not start: %v", content, err)
			continue
		}
		t.Cleanup(func() { a.Close() })
		if a.OperatorFile() != "" || log.Count("level=WARN msg=\"operator.json is of no use") != 1 ||
			log.Count("operator reset") != 1 {
			t.Errorf("%q: it names %q, and says %s", content, a.OperatorFile(), log)
		}
	}
}

func wantNoLeftovers(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "operator.json.") }) {
		t.Errorf("a temporary file is left: %v", entries)
	}
}

// What a killed command left may hold a key, and what is an hour old nobody is writing.
func TestRemainsOfKilledCommandsAreRemoved(t *testing.T) {
	cfg := settings(t)
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, age := range map[string]time.Duration{
		"operator.json.1.new": 2 * time.Hour, "operator-anna.json.2.new": 2 * time.Hour,
		"operator.json.3.new": time.Minute, "other.json.4.new": 2 * time.Hour,
	} {
		path := filepath.Join(cfg.Data, name)
		mustWrite(t, path, "{}", 0o600)
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	a, err := open(t.Context(), cfg, quiet(), Pace{}, newHarness(answerOK).assemble)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	left, err := filepath.Glob(filepath.Join(cfg.Data, "*.new"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(cfg.Data, "operator.json.3.new"), filepath.Join(cfg.Data, "other.json.4.new")}
	if !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}

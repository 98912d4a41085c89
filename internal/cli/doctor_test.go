package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"signet/internal/doctor"
)

// wantFindings runs "signet doctor", and compares the codes of what it finds with those that are
// wanted, but for what the machine of the tests lacks. The exit code has to fit.
func wantFindings(t *testing.T, env []string, args, want []string) {
	t.Helper()
	code, stdout, stderr := run(t, env, append([]string{"doctor", "--json"}, args...)...)
	var told struct{ Findings []doctor.Finding }
	if err := json.Unmarshal([]byte(stdout), &told); err != nil || told.Findings == nil {
		t.Fatalf("%q: it printed %q and %q: %v", args, stdout, stderr, err)
	}
	var got []string
	exit := exitDone
	for _, f := range told.Findings {
		if f.Severity != doctor.Note {
			exit = max(exit, exitFailed)
		}
		if f.Code == "settings.invalid" {
			exit = exitWrong
		}
		if !strings.HasPrefix(f.Code, "disk.") && f.Code != "machine.files" && f.Code != "server.files" {
			got = append(got, f.Code)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q: the findings are %q, want %q: %s", args, got, want, stdout)
	}
	if code != exit || (stderr != "") != (exit != exitDone) {
		t.Errorf("%q: exit code %d and %q, want %d", args, code, stderr, exit)
	}
}

// TestDoctorOfAnInstallation that runs, has stopped, and lacks something.
func TestDoctorOfAnInstallation(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", dir)
	at := []string{"--data", dir}
	wantFindings(t, nil, at, nil)
	wantFindings(t, nil, append(at, "--backup-age", "26h"), []string{"backup.none"})
	wantFindings(t, nil, append(at, "--listen", "127.0.0.1:1"), []string{"server.silent"})
	if code, _, stderr := run(t, nil, "backup", "--data", dir, filepath.Join(t.TempDir(), "copy")); code != exitDone {
		t.Fatal(stderr)
	}
	wantFindings(t, nil, append(at, "--backup-age", "1d"), nil)
	s.stop()
	wantFindings(t, nil, at, []string{"server.none"})
	if err := os.Remove(filepath.Join(dir, "master.json")); err != nil {
		t.Fatal(err)
	}
	wantFindings(t, nil, at, []string{"keys.master", "server.none"})
	code, stdout, stderr := run(t, nil, append([]string{"doctor"}, at...)...)
	if code != exitFailed || !strings.HasPrefix(stderr, "signet: 1 error, ") ||
		!strings.HasPrefix(stdout, "error keys.master: there is no master key at ") ||
		!strings.Contains(stdout, "\n  -> bring the master key back") {
		t.Errorf("exit code %d, printed\n%s\n%s", code, stdout, stderr)
	}
	nowhere := filepath.Join(t.TempDir(), "none")
	wantFindings(t, nil, []string{"--data", nowhere, "--listen", "127.0.0.1:1"}, []string{"data.missing", "server.none"})
	if _, err := os.Stat(nowhere); err == nil {
		t.Error("a directory was made")
	}
}

// TestDoctorOfSettingsThatCannotBeRead repeats no password.
func TestDoctorOfSettingsThatCannotBeRead(t *testing.T) {
	args := []string{"--log.level", "loud", "--database", "mysql://signet:hunter2@127.0.0.1/signet"}
	wantFindings(t, nil, args, []string{"settings.invalid", "settings.invalid"})
	_, stdout, stderr := run(t, nil, append([]string{"doctor"}, args...)...)
	if strings.Contains(stdout+stderr, "hunter2") {
		t.Errorf("it printed %s and %s", stdout, stderr)
	}
}

// TestDoctorOfAServerElsewhere, which tells strangers little, and operators all.
func TestDoctorOfAServerElsewhere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", dir)
	operator := mustReadOperator(t, dir)
	at := func(url, key, secret string) []string {
		return []string{"SIGNET_URL=" + url, "SIGNET_API_KEY=" + key, "SIGNET_API_SECRET=" + secret,
			"SIGNET_DATA=" + t.TempDir()}
	}
	wantFindings(t, at(operator.Base_URL, operator.API_Key, operator.API_Secret), nil, nil)
	wantFindings(t, at(operator.Base_URL+"/v2/", operator.API_Key, operator.API_Secret), nil, nil)
	wantFindings(t, at(operator.Base_URL, "", ""), nil, []string{"server.closed"})
	wantFindings(t, at(operator.Base_URL, "", ""), []string{"--data", dir}, nil) // which has the credentials
	wantFindings(t, at(operator.Base_URL, operator.API_Key, "wrong"), nil, []string{"server.closed"})
	wantFindings(t, at("http://127.0.0.1:1", operator.API_Key, operator.API_Secret), nil, []string{"server.away"})
	// An environment that has SIGNET_URL for other commands does not keep it from looking here.
	wantFindings(t, at("http://127.0.0.1:1", "", ""), []string{"--here", "--data", dir, "--backup-age", "26h"},
		[]string{"backup.none"})

	unready := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "stopping", http.StatusServiceUnavailable)
	}))
	defer unready.Close()
	wantFindings(t, at(unready.URL, "", ""), nil, []string{"server.trust"})
	plain := httptest.NewServer(unready.Config.Handler)
	defer plain.Close()
	wantFindings(t, at(plain.URL, "", ""), nil, []string{"server.ready", "server.closed"})
}

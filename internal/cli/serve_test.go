package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// server is a "signet serve" that runs in this process.
type server struct {
	lines  []string // what it printed at the start
	stop   func() int
	stderr *bytes.Buffer // to be looked at when it has stopped
}

// mustServe starts a server and waits for the two lines that say that it
// listens.
func mustServe(t *testing.T, env []string, args ...string) *server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	s := &server{stderr: new(bytes.Buffer)}
	code := make(chan int, 1)
	go func() {
		result := Run(ctx, append([]string{"serve"}, args...), env, w, s.stderr)
		w.Close()
		code <- result
	}()
	s.stop = sync.OnceValue(func() int { cancel(); return <-code })
	t.Cleanup(func() { s.stop() })
	for out := bufio.NewScanner(r); len(s.lines) < 2; {
		if !out.Scan() {
			t.Fatalf("the server ended with %d after %q:\n%s", s.stop(), s.lines, s.stderr)
		}
		s.lines = append(s.lines, out.Text())
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	return s
}

// run carries out a command line that ends by itself.
func run(t *testing.T, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, problems bytes.Buffer
	code = Run(t.Context(), args, env, &out, &problems)
	return code, out.String(), problems.String()
}

func mustReadOperator(t *testing.T, dir string) (fields struct{ Base_URL, API_Key, API_Secret string }) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "operator.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

func wantAlive(t *testing.T, baseURL string) {
	t.Helper()
	answer, err := http.Get(baseURL + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("/readyz answered %d, want 200", answer.StatusCode)
	}
}

func TestServeSaysWhereItIs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", dir)
	operator := mustReadOperator(t, dir)
	if want := "base URL " + operator.Base_URL; !strings.HasSuffix(s.lines[0], want) {
		t.Errorf("first line is %q, want %q at its end", s.lines[0], want)
	}
	if want := "Operator credentials: " + filepath.Join(dir, "operator.json"); s.lines[1] != want {
		t.Errorf("second line is %q, want %q", s.lines[1], want)
	}
	if operator.API_Key == "" || operator.API_Secret == "" {
		t.Errorf("operator.json lacks credentials: %+v", operator)
	}
	wantAlive(t, operator.Base_URL)
	if code := s.stop(); code != 0 {
		t.Errorf("exit code is %d, want 0; it logged\n%s", code, s.stderr)
	}
	if strings.Contains(s.stderr.String(), operator.API_Secret) {
		t.Error("the secret is in the log")
	}
}

func TestServeTakesSettingsFromEverywhere(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "signet.yaml")
	content := "base_url: https://file.example\nlog: {format: text, level: error}\ndata: " +
		filepath.Join(dir, "of-the-file") + "\n"
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "of-the-flag")
	s := mustServe(t,
		[]string{"SIGNET_CONFIG=" + file, "SIGNET_LISTEN=127.0.0.1:0", "SIGNET_LOG_LEVEL=info", "SIGNET_API_KEY=of-a-client"},
		"--data="+data)
	if got := mustReadOperator(t, data).Base_URL; got != "https://file.example" {
		t.Errorf("base_url is %q, want that of the file", got)
	}
	s.stop()
	if !strings.HasPrefix(s.stderr.String(), "time=") {
		t.Errorf("the log is not text from level info on:\n%s", s.stderr)
	}
}

func TestSecondServerOnADirectoryIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first := mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", dir)
	code, stdout, stderr := run(t, nil, "serve", "--listen", "127.0.0.1:0", "--data", dir)
	if code != 1 || stdout != "" || !strings.Contains(stderr, dir) {
		t.Errorf("got exit code %d, output %q and %q, want 1 and a message that names the directory", code, stdout, stderr)
	}
	wantAlive(t, mustReadOperator(t, dir).Base_URL)
	if code := first.stop(); code != 0 {
		t.Errorf("exit code of the first server is %d, want 0", code)
	}
}

func TestTakenAddressIsSaidWithWhatToDo(t *testing.T) {
	first := mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data"))
	taken, _, _ := strings.Cut(strings.TrimPrefix(first.lines[0], "Listening on "), ",")
	second := filepath.Join(t.TempDir(), "data")
	code, stdout, stderr := run(t, nil, "serve", "--listen", taken, "--data", second)
	if code != exitFailed || stdout != "" || strings.Count(stderr, "signet: ") != 1 {
		t.Errorf("got exit code %d, output %q and %q, want 1 and one line", code, stdout, stderr)
	}
	for _, want := range []string{taken, "--listen 127.0.0.1:8081", "make run LISTEN=127.0.0.1:8081"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q is not in %s", want, stderr)
		}
	}
	if _, err := os.Stat(second); err == nil {
		t.Error("it left a data directory behind")
	}
}

func TestRestartRefreshesBaseURLOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", dir).stop()
	before := mustReadOperator(t, dir)
	mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", dir, "--base-url", "https://messages.example.com").stop()
	after := mustReadOperator(t, dir)
	if after.Base_URL != "https://messages.example.com" {
		t.Errorf("base_url is %q, want the new one", after.Base_URL)
	}
	if after.API_Key != before.API_Key || after.API_Secret != before.API_Secret {
		t.Error("the credentials changed")
	}
}

func TestExitCodes(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want int
	}{
		"done":                {[]string{"version"}, exitDone},
		"help":                {[]string{"serve", "--help"}, exitDone},
		"no command":          {nil, exitDone},
		"unknown command":     {[]string{"nonsense"}, exitWrong},
		"unknown flag":        {[]string{"serve", "--nonsense"}, exitWrong},
		"wrong configuration": {[]string{"serve", "--log.level=loud"}, exitWrong},
		"failed":              {[]string{"serve", "--listen", "127.0.0.1:0", "--data", os.DevNull}, exitFailed},
	} {
		t.Run(name, func(t *testing.T) {
			if code, stdout, stderr := run(t, nil, test.args...); code != test.want {
				t.Errorf("exit code is %d, want %d; output %q and %q", code, test.want, stdout, stderr)
			}
		})
	}
}

func TestOperatorResetGivesTheCommandsNewCredentials(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", dir)
	before := mustReadOperator(t, dir)
	code, stdout, stderr := run(t, nil, "operator", "reset", "--data", dir)
	after := mustReadOperator(t, dir)
	if want := "Operator credentials: " + filepath.Join(dir, "operator.json") + "\n"; code != 0 || stdout != want ||
		stderr != "" {
		t.Errorf("got exit code %d, output %q and %q, want 0 and %q", code, stdout, stderr, want)
	}
	if after.API_Key == before.API_Key || after.API_Secret == before.API_Secret || after.Base_URL != before.Base_URL {
		t.Errorf("operator.json has %+v after %+v", after, before)
	}
	if code, _, stderr := run(t, nil, "org", "create", "Ward", "--data", dir); code != 0 {
		t.Errorf("with the new credentials: exit code %d and %q", code, stderr)
	}
}

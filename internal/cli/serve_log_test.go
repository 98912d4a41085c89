package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mustReadLog reads lines of a log of JSON.
func mustReadLog(t *testing.T, text string) (lines []map[string]any) {
	t.Helper()
	for line := range strings.Lines(text) {
		fields := map[string]any{}
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		lines = append(lines, fields)
	}
	return lines
}

// A program that reads the log finds nothing but the log, from the first line to the
// last, and in it what people are told elsewhere.
func TestServerWritesNothingButJSONWhereThatIsAskedFor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	serve := []string{"serve", "--log.format=json", "--listen", "127.0.0.1:0", "--data", dir}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, w := io.Pipe()
	var stdout strings.Builder
	code := make(chan int, 1)
	go func() {
		result := Run(ctx, serve, nil, &stdout, w)
		w.Close()
		code <- result
	}()
	var text strings.Builder
	for log := bufio.NewScanner(r); log.Scan(); {
		line := log.Text()
		text.WriteString(line + "\n")
		if !strings.Contains(line, `"msg":"ready"`) {
			continue
		}
		ready := mustReadLog(t, line)[0]
		base, _ := ready["base_url"].(string)
		answer, err := http.Get(base + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		http.DefaultClient.CloseIdleConnections()
		if answer.StatusCode != http.StatusOK || ready["operator"] != filepath.Join(dir, "operator.json") ||
			"http://"+ready["address"].(string) != base {
			t.Errorf("/readyz answered %d after %s", answer.StatusCode, line)
		}
		if got, _, refused := run(t, nil, serve...); got != exitFailed || mustReadLog(t, refused)[1]["level"] != "ERROR" ||
			!strings.Contains(refused, "another signet") {
			t.Errorf("a second server ended with %d, and wrote %s", got, refused)
		}
		cancel()
	}
	if got := <-code; got != exitDone || stdout.Len() > 0 {
		t.Errorf("it ended with %d and printed %q", got, stdout.String())
	}
	lines := mustReadLog(t, text.String())
	start := lines[0]
	for _, name := range []string{"version", "commit", "schema", "store", "keyring", "master_key", "blobs", "data",
		"listen"} {
		if start["msg"] != "starting" || start[name] == nil || start[name] == "" {
			t.Errorf("the first line does not tell of the start with %s: %v", name, start)
		}
	}
	if lines[len(lines)-1]["msg"] != "stopped" {
		t.Errorf("the last line is %v", lines[len(lines)-1])
	}
}

func TestWrongSettingsAreToldAsTheLogIs(t *testing.T) {
	for _, format := range []string{"--log.format=json", "--log.format=text", "--log.format=xml"} {
		code, stdout, stderr := run(t, nil, "serve", format, "--limits.burst=many", "--limits.fields=few")
		lines := slices.Collect(strings.Lines(stderr))
		if code != exitWrong || stdout != "" || len(lines) < 2 {
			t.Errorf("%s: it ended with %d and printed %q and %q", format, code, stdout, stderr)
			continue
		}
		for _, line := range lines {
			if format == "--log.format=json" && mustReadLog(t, line)[0]["level"] != "ERROR" ||
				format != "--log.format=json" && !strings.HasPrefix(line, "signet: ") {
				t.Errorf("%s: a line is %q", format, line)
			}
		}
		for _, key := range []string{"limits.burst", "limits.fields"} {
			if !strings.Contains(stderr, key) {
				t.Errorf("%s: %s is not in %q", format, key, stderr)
			}
		}
	}
}

// Where it stores is told without what opens it.
func TestStartTellsNoSecrets(t *testing.T) {
	code, _, stderr := run(t, nil, "serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data"),
		"--database", "postgres://signet:hush@127.0.0.1:1/signet?connect_timeout=1&port=x", "--nats",
		"nats://hush@127.0.0.1:1")
	if code == exitDone || !strings.Contains(stderr, "signet:***@127.0.0.1:1/signet") || strings.Contains(stderr, "hush") {
		t.Errorf("it ended with %d and wrote %s", code, stderr)
	}
}

package app

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/offline"
)

// refusalsIn counts the calls of an organization's chain that were refused with a code,
// and the entries that tell of them.
func refusalsIn(t *testing.T, dir, organization, code string) (calls, entries int64) {
	t.Helper()
	var out bytes.Buffer
	if err := offline.ExportAudit(t.Context(), dir, "", offline.AuditSelection{Organization: organization},
		&out); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(&out); lines.Scan(); {
		var line struct {
			Entry struct {
				Outcome string
				Times   int64
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if line.Entry.Outcome == code {
			calls += max(line.Entry.Times, 1)
			entries++
		}
	}
	return calls, entries
}

// A flood of refusals is put together. Whoever kills the server loses how often they
// were since it was last written, and never that they were: the first ones have an
// entry each. Stopping loses nothing.
func TestWhatIsLeftOfAFloodOfRefusals(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	organization := w.organization()
	const flood = 260
	for range flood {
		if status, text := w.call(w.alice, "POST", "/organization/"+organization, `{"name":"Mine"}`, "Content-Type",
			"application/json"); status != 403 {
			t.Fatalf("a regular key is answered %d %s", status, text)
		}
	}
	killed := filepath.Join(t.TempDir(), "killed")
	if err := os.Mkdir(killed, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{home.DatabaseFile, home.DatabaseFile + "-wal", home.AuditKeyFile} {
		copyFile(t, filepath.Join(w.app.dir, name), filepath.Join(killed, name))
	}
	const code = "administrative_key_required"
	if calls, entries := refusalsIn(t, killed, organization, code); calls < 20 || calls != entries {
		t.Errorf("a server that is killed leaves %d refusals in %d entries, want the first 20 in one each", calls, entries)
	}
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	calls, entries := refusalsIn(t, w.app.dir, organization, code)
	if platform, _ := refusalsIn(t, w.app.dir, "", code); platform != flood {
		t.Errorf("a server that stops leaves %d refusals, want %d", platform, flood)
	}
	if calls < 20 || entries > 31 {
		t.Errorf("there are %d entries of %d refusals in the organization's chain", entries, calls)
	}
	if _, err := offline.VerifyAudit(t.Context(), &config.Config{Data: w.app.dir}, nil, unforged(t)); err != nil {
		t.Error(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

package cli

import (
	"archive/zip"
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUserExport: a file is there once its archive is whole, and under its name alone.
func TestUserExport(t *testing.T) {
	var whole bytes.Buffer
	z := zip.NewWriter(&whole)
	if w, err := z.Create("manifest.json"); err != nil {
		t.Fatal(err)
	} else if _, err := w.Write(bytes.Repeat([]byte("{}"), 1000)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	kept := filepath.Join(dir, "kept.zip")
	if err := os.WriteFile(kept, []byte("of before"), 0o600); err != nil {
		t.Fatal(err)
	}
	breaks := func(w http.ResponseWriter) {
		_, _ = w.Write(whole.Bytes()[:100])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	ends := func(size int) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { _, _ = w.Write(whole.Bytes()[:size]) }
	}
	for name, tt := range map[string]struct {
		args, path string
		answer     func(http.ResponseWriter)
		code       int
		stderr     string
	}{
		"own.zip":    {"", "me", ends(whole.Len()), exitDone, ""},
		"ann.zip":    {"--user ann@example.com ", "ann@example.com", ends(whole.Len()), exitDone, ""},
		"broken.zip": {"", "me", breaks, exitFailed, "unexpected EOF"},
		"short.zip":  {"", "me", ends(whole.Len() - 1), exitFailed, "not whole"},
		"kept.zip":   {"", "me", ends(whole.Len()), exitFailed, "exists"},
		"no.zip":     {"", "me", refused(404, "not_found", "The associated lookup was not found."), exitNotFound, "404"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			s.answers["GET /v2/user/"+tt.path+"/export"] = tt.answer
			file := filepath.Join(dir, name)
			var stdout, stderr bytes.Buffer
			args := append(strings.Fields("user export "+tt.args), file)
			if code := Run(t.Context(), args, s.env(), &stdout, &stderr); code != tt.code ||
				!strings.Contains(stderr.String(), tt.stderr) {
				t.Fatalf("exit code %d: %s", code, stderr.String())
			}
			got, err := os.ReadFile(file)
			switch {
			case tt.code == exitDone && !bytes.Equal(got, whole.Bytes()):
				t.Errorf("the file is %q, %v", got, err)
			case tt.code == exitDone && stdout.String() != file+"\n":
				t.Errorf("the output is %q", stdout.String())
			case name == "kept.zip" && string(got) != "of before":
				t.Errorf("the file of before is %q", got)
			case tt.code != exitDone && name != "kept.zip" && err == nil:
				t.Error("the file is there")
			}
			left, err := filepath.Glob(filepath.Join(dir, "*.new"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind are %v, %v", left, err)
			}
		})
	}
}

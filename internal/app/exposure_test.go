package app

import (
	"os"
	"path/filepath"
	"testing"

	"signet/internal/health"
)

// The warning begins and ends with what others may read, without a restart.
func TestOpenFilesAreWarnedOfWhileTheyAreOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	file := filepath.Join(dir, "signet.db")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	warnings := health.New(quiet())
	e := &exposure{dir: dir, files: []string{file, filepath.Join(dir, "missing")}, warnings: warnings, log: quiet()}
	look := func(path string, mode os.FileMode, want bool) {
		t.Helper()
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if e.look(); warnings.Holds(exposureTopic) != want {
			t.Errorf("with mode %v of %s the warnings are %v", mode, path, warnings.All())
		}
	}
	look(dir, 0o700, false)
	look(dir, 0o750, true)
	look(dir, 0o700, false)
	look(file, 0o644, true)
	look(file, 0o600, false)
}

package doctor

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"signet/internal/app/apptest"
	"signet/internal/config"
)

// mustServe runs a server, which has stored something, until the test ends or it is stopped.
func mustServe(t *testing.T, changes ...func(*config.Config)) (*apptest.Server, *config.Config) {
	t.Helper()
	var cfg *config.Config
	changes = append([]func(*config.Config){func(c *config.Config) { cfg = c }}, changes...)
	s := apptest.Start(t, changes...)
	s.People()
	return s, cfg
}

// mustCopy copies a data directory, as it is at this moment: a server that uses it seems to have
// been killed there.
func mustCopy(t *testing.T, cfg *config.Config) *config.Config {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(dir, os.DirFS(cfg.Data)); err != nil {
		t.Fatal(err)
	}
	// CopyFS leaves the modes to the umask.
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chmod(path, map[bool]fs.FileMode{true: 0o700, false: 0o600}[entry.IsDir()])
	})
	if err != nil {
		t.Fatal(err)
	}
	copied := *cfg
	copied.Data = dir
	return &copied
}

// examine looks at an installation. What depends on the machine that the tests run on is left out.
func examine(t *testing.T, cfg *config.Config, changes ...func(*Options)) []Finding {
	t.Helper()
	o := Options{Config: cfg, Getenv: func(string) string { return "" }, Now: time.Now()}
	for _, change := range changes {
		change(&o)
	}
	return slices.DeleteFunc(Examine(t.Context(), o), func(f Finding) bool {
		return strings.HasPrefix(f.Code, "disk.") || f.Code == "machine.files"
	})
}

// mustTamper changes the embedded store behind everybody's back.
func mustTamper(t *testing.T, cfg *config.Config, statement string, args ...any) {
	t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(cfg.Data, "signet.db"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := sqlitex.ExecuteTransient(conn, statement, &sqlitex.ExecOptions{Args: args}); err != nil {
		t.Fatal(err)
	}
}

func mustWrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func mustRemove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// file is what is compared of a file.
type file struct {
	text string
	info string
}

// mustRemember reads all files of a directory.
func mustRemember(t *testing.T, dir string) map[string]file {
	t.Helper()
	out := map[string]file{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		var text []byte
		if !entry.IsDir() {
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		out[path] = file{string(text), info.Mode().String() + " " + info.ModTime().String()}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

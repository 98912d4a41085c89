//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package durable

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What an administrator makes in a directory is its owner's, but for what has another name elsewhere.
func TestWhatIsMadeIsTheDirectorysOwners(t *testing.T) {
	dir, owner := t.TempDir(), os.Geteuid()
	if owner == 0 {
		owner = 65532
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	inside, precious := filepath.Join(dir, "data", "blobs", "a"), filepath.Join(dir, "precious")
	must(os.MkdirAll(filepath.Dir(inside), 0o700))
	must(os.WriteFile(inside, nil, 0o600))
	must(os.WriteFile(precious, nil, 0o600))
	must(os.Link(precious, filepath.Join(dir, "data", "name")))
	must(os.Symlink(precious, filepath.Join(dir, "data", "link")))
	must(os.Chown(filepath.Join(dir, "data"), owner, -1))
	must(GiveBelow(filepath.Join(dir, "data")))
	for path, want := range map[string]int{filepath.Join(dir, "data"): owner, filepath.Dir(inside): owner, inside: owner,
		precious: os.Geteuid()} {
		info, err := os.Stat(path)
		must(err)
		if got := int(info.Sys().(*syscall.Stat_t).Uid); got != want {
			t.Errorf("%s belongs to user %d, want %d", path, got, want)
		}
	}
}

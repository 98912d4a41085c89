//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// The server starts on what the administrator restores as root.
func TestARestoreIsItsDirectorysOwners(t *testing.T) {
	dir, owner := t.TempDir(), os.Geteuid()
	if owner == 0 {
		owner = 65532
	}
	data, backup, restored := filepath.Join(dir, "data"), filepath.Join(dir, "backup"), filepath.Join(dir, "restored")
	mustServe(t, nil, "--listen", "127.0.0.1:0", "--data", data).stop()
	mustRun(t, []string{"SIGNET_DATA=" + data}, "backup", backup)
	if err := os.Mkdir(restored, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(restored, owner, -1); err != nil {
		t.Fatal(err)
	}
	mustRun(t, nil, "restore", backup, "--data", restored)
	found := 0
	err := filepath.WalkDir(restored, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if got := int(info.Sys().(*syscall.Stat_t).Uid); got != owner {
			t.Errorf("%s belongs to user %d, want %d", path, got, owner)
		}
		found++
		return nil
	})
	if err != nil || found < 3 {
		t.Errorf("%d files were looked at: %v", found, err)
	}
}

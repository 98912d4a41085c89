package app

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"signet/internal/config"
)

// tryDiskFills fills a file system under a server, bit by bit, and then wholly.
func tryDiskFills(t *testing.T, cfg *config.Config, seen *witness) {
	disk := t.TempDir()
	if err := syscall.Mount("signet", disk, "tmpfs", 0, "size=64m,mode=0700"); err != nil {
		t.Logf("no file system of its own, so that the alerts of disks are not tried: %v", err)
		seen.spare("SignetDiskFull", "SignetDiskFullSoon")
		return
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Errorf("unmount %s: %v", disk, err)
		}
	})
	cfg.Data = filepath.Join(disk, "data")
	w := mustWatch(t, cfg, seen, watching{step: 5 * time.Minute})
	w.want(time.Hour)
	ballast := filepath.Join(disk, "ballast")
	w.each = func() { mustGrow(t, ballast, 1<<20) }
	w.want(3*time.Hour, "SignetDiskFullSoon")
	for w.each = nil; ; {
		if free := mustFindSeries(t, w.metrics(), `signet_disk_free_bytes{place="data"}`); free < 2<<20 {
			break
		}
		mustGrow(t, ballast, 1<<20)
	}
	w.until("signet_disk_full", 1)
	w.want(20*time.Minute, "SignetDiskFull")
	must(t, os.Remove(ballast))
	w.until("signet_disk_full", 0)
	w.want(time.Hour)
}

// mustGrow makes a file larger, as far as there is room.
func mustGrow(t *testing.T, path string, size int) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	must(t, err)
	defer f.Close()
	if _, err := f.Write(make([]byte, size)); err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

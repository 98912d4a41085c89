//go:build darwin || linux

package durable

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

func init() { children["fill"] = fillTheDisk }

// fillTheDisk replaces a file where there is room for part of the new one only.
func fillTheDisk(path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 100 << 10, Max: 100 << 10}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := Replace(path, generations[1]); !errors.Is(err, syscall.EFBIG) {
		return errors.Join(errors.New("there was room"), err)
	}
	return nil
}

func TestFullDiskLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := Replace(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(os.Args[0], "fill", path).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	wantFile(t, path, "old")
	wantNames(t, dir, "file")
}

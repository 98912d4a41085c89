package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLockDirectory(t *testing.T) {
	dir := t.TempDir()
	unlock, err := LockDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = LockDirectory(dir)
	if err == nil {
		t.Fatal("the directory was locked twice")
	}
	for _, want := range []string{"another signet", dir, fmt.Sprintf("process %d", os.Getpid())} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	for range 2 {
		if err := unlock(); err != nil {
			t.Fatal(err)
		}
	}
	again, err := LockDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := again(); err != nil {
		t.Fatal(err)
	}
	if _, err := LockDirectory(filepath.Join(dir, "missing")); err == nil {
		t.Error("a directory that does not exist was locked")
	}
}

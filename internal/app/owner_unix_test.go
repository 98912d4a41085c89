//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package app

import (
	"os"
	"syscall"
	"testing"

	"signet/internal/config"
	"signet/internal/offline"
)

// An administrator resets, as root, the operator of a server that is another user.
func TestOperatorFileIsItsServersWhoeverResetsIt(t *testing.T) {
	t.Parallel()
	cfg := settings(t)
	a, err := Open(t.Context(), cfg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	owner := os.Geteuid()
	if owner == 0 {
		owner = 65532
	}
	if err := os.Chown(cfg.Data, owner, -1); err != nil {
		t.Fatal(err)
	}
	path, err := offline.ResetOperator(t.Context(), &config.Config{Data: cfg.Data}, "")
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := int(info.Sys().(*syscall.Stat_t).Uid); got != owner || info.Mode().Perm() != 0o600 {
		t.Errorf("%s belongs to user %d with mode %v, want %d with -rw-------", path, got, info.Mode(), owner)
	}
}

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package app

import (
	"os"
	"path/filepath"
	"syscall"
)

// giveToOwner gives a file that is being made the owner of its directory, where the
// administrator does what else the server's user does.
func giveToOwner(file *os.File) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(filepath.Dir(file.Name()))
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return file.Chown(int(owner.Uid), int(owner.Gid))
}

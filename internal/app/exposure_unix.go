//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package app

import (
	"io/fs"
	"os"
	"syscall"
)

// isOurs reports whether this process may change the mode of a file: it owns it, or is root.
func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	me := os.Geteuid()
	return ok && (me == 0 || int(stat.Uid) == me)
}

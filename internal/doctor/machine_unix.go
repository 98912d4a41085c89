//go:build darwin || linux

package doctor

import (
	"io/fs"
	"syscall"
)

// openFiles is how many files this process may have open.
func openFiles() (limit uint64, ok bool) {
	var r syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r)
	return r.Cur, err == nil
}

// ownerOf is whose a file is.
func ownerOf(info fs.FileInfo) (uid uint32, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return stat.Uid, true
}

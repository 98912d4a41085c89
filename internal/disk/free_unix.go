//go:build darwin || freebsd || linux

package disk

import "syscall"

// Free returns how many bytes a user's program can still write to the file system of a
// path, and how many it has in all; ok is false where the system does not say.
func Free(path string) (free, size int64, ok bool) {
	var s syscall.Statfs_t
	if syscall.Statfs(path, &s) != nil {
		return 0, 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), int64(s.Blocks) * int64(s.Bsize), true
}

package load

import "syscall"

// inMemory is the type of file systems without a disk (statfs(2): TMPFS_MAGIC).
const inMemory = 0x01021994

// OnDisk reports whether what is written to a directory can have to wait for a
// disk: in memory it never does, and a server is quicker there than anywhere else.
func OnDisk(dir string) bool {
	var s syscall.Statfs_t
	return syscall.Statfs(dir, &s) != nil || int64(s.Type) != inMemory
}

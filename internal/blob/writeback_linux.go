//go:build !arm

package blob

import (
	"os"
	"syscall"
)

// syncFileRangeWrite is SYNC_FILE_RANGE_WRITE (sync_file_range(2)).
const syncFileRangeWrite = 2

// writeBack returns a function that tells the system to begin writing bytes to the disk. It
// is no promise that they get there, and an error of it is none of the file's: Sync,
// which follows, is the promise, and has the error.
func writeBack(f *os.File) func(from, size int64) {
	descriptor := int(f.Fd())
	return func(from, size int64) { _ = syscall.SyncFileRange(descriptor, from, size, syncFileRangeWrite) }
}

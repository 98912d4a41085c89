package disk

import (
	"errors"
	"os"
	"syscall"
)

// allocate takes the blocks of a file up to a size.
func allocate(f *os.File, size int64) error {
	err := syscall.Fallocate(int(f.Fd()), 0, 0, size)
	if errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) {
		return write(f, size)
	}
	return err
}

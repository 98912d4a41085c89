//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package sqlite

import (
	"errors"
	"io/fs"
	"os"
)

// takeLock makes the file, or answers errHeld if it is there. After a crash an
// administrator has to delete it.
func takeLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, errHeld
	}
	return f, err
}

// releaseLock gives the lock up.
func releaseLock(f *os.File) error {
	if err := f.Close(); err != nil {
		return err
	}
	return os.Remove(f.Name())
}

// lockCheckpoints relies on the lock of the directory.
func lockCheckpoints(*os.File) (unlock func() error, err error) {
	return func() error { return nil }, nil
}

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package seal

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// errHeld is what holdLock answers when somebody else has the lock.
var errHeld = errors.New("the lock is held")

// holdLock takes a lock that ends with the process, or answers errHeld.
func holdLock(path string) (*os.File, error) {
	f, err := takeLock(path, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errHeld
	}
	return f, err
}

// waitLock waits for a lock, which nobody has for long.
func waitLock(path string) (*os.File, error) { return takeLock(path, syscall.LOCK_EX) }

func takeLock(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		if err = syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// releaseLock gives a lock up. The file stays: another process may be about to lock it.
func releaseLock(f *os.File) error { return f.Close() }

// openReplaced opens a file that another one is about to replace; nil where there is
// none.
func openReplaced(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f, err
}

// syncDirectory makes the names in a directory durable.
func syncDirectory(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

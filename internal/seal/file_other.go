//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package seal

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// errHeld is what holdLock answers when somebody else has the lock.
var errHeld = errors.New("the lock is held")

// holdLock makes a file, or answers errHeld if it is there. After a crash an
// administrator has to delete it.
func holdLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, errHeld
	}
	return f, err
}

// waitLock waits for holdLock, but not for long.
func waitLock(path string) (*os.File, error) {
	deadline := time.Now().Add(10 * time.Second)
	for {
		f, err := holdLock(path)
		if !errors.Is(err, errHeld) || time.Now().After(deadline) {
			return f, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// releaseLock gives a lock up.
func releaseLock(f *os.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }

// openReplaced opens nothing: such systems do not replace a file that is open.
func openReplaced(string) (*os.File, error) { return nil, nil }

// syncDirectory has nothing to do: such systems have no such call, and need none.
func syncDirectory(string) error { return nil }

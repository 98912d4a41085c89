//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// checkpointLock is the byte of the log's index that SQLite locks while it makes
// a checkpoint (https://sqlite.org/walformat.html, section 2.3).
const checkpointLock = 121

// lockCheckpoints keeps other processes from making a checkpoint until unlock is
// called. It does not keep this one from it, because POSIX locks are the
// process's; and unlock would drop SQLite's own lock, so that this process must
// not make one meanwhile.
func lockCheckpoints(index *os.File) (unlock func() error, err error) {
	set := func(kind int16) error {
		return syscall.FcntlFlock(index.Fd(), syscall.F_SETLK, &syscall.Flock_t{
			Type: kind, Whence: io.SeekStart, Start: checkpointLock, Len: 1,
		})
	}
	err = set(syscall.F_WRLCK)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return nil, errReading
	}
	if err != nil {
		return nil, unavailable(fmt.Errorf("lock checkpoints: %w", err))
	}
	return func() error {
		if err := set(syscall.F_UNLCK); err != nil {
			return unavailable(fmt.Errorf("unlock checkpoints: %w", err))
		}
		return nil
	}, nil
}

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// takeLock opens the file and locks it, or answers errHeld. The lock ends with
// the process, whatever ends that.
func takeLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errHeld
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// releaseLock gives the lock up. The file stays: another process may be about
// to lock it.
func releaseLock(f *os.File) error { return f.Close() }

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

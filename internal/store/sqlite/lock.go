package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"signet/internal/durable"
)

// ErrLocked is the error of LockDirectory where another process has the directory.
var ErrLocked = errors.New("already uses the data directory")

// lockTries is how often a lock that is held is tried again, and lockPause after how long.
const lockTries, lockPause = 3, 10 * time.Millisecond

// LockDirectory makes a data directory this process's own, until unlock is
// called or the process ends. It answers ErrLocked if another process has it, and
// names that one. The lock is on the file "lock" in the directory, which holds the
// number of the process and stays when it ends.
func LockDirectory(dir string) (unlock func() error, err error) {
	path := filepath.Join(dir, "lock")
	lock, err := durable.TryLock(path)
	for range lockTries {
		if !errors.Is(err, durable.ErrLocked) {
			break
		}
		time.Sleep(lockPause) // somebody may only look whether the lock is held (durable.Held)
		lock, err = durable.TryLock(path)
	}
	if errors.Is(err, durable.ErrLocked) {
		return nil, fmt.Errorf("another signet %w %s%s", ErrLocked, dir, holder(path))
	}
	if err != nil {
		return nil, fmt.Errorf("lock the data directory %s: %w", dir, err)
	}
	if err := writeHolder(lock.File); err != nil && !errors.Is(err, syscall.ENOSPC) { // it only says who, to others
		return nil, errors.Join(fmt.Errorf("lock the data directory %s: %w", dir, err), lock.Unlock())
	}
	return lock.Unlock, nil
}

// writeHolder leaves the number of this process in the lock file.
func writeHolder(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// holder says which process has the lock, if that can be read.
func holder(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (process %d)", pid)
}

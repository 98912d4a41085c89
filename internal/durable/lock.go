package durable

import (
	"errors"
	"os"
)

// ErrLocked is the error of TryLock where somebody else has the lock.
var ErrLocked = errors.New("the lock is taken")

// Lock is a lock on a file, which is made where it is missing, readable for its owner
// only. It keeps others out who ask for it, in this process too.
type Lock struct{ *os.File }

// TryLock takes the lock, or answers ErrLocked.
func TryLock(path string) (*Lock, error) { return lock(path, false) }

// WaitLock waits for a lock that nobody keeps for long.
func WaitLock(path string) (*Lock, error) { return lock(path, true) }

package durable

import (
	"errors"
	"os"
)

// ErrLocked is the error of TryLock if the lock is taken.
var ErrLocked = errors.New("the lock is taken")

// Lock is a lock on a file, which is made if it is missing, readable for its owner
// only. It keeps out others that ask for the lock, in this process too.
type Lock struct{ *os.File }

// TryLock takes the lock, or answers ErrLocked.
func TryLock(path string) (*Lock, error) { return lock(path, false) }

// Held reports whether another process, or this one, has the lock. It makes no file, and writes
// nothing: for a moment it shares the lock, if that is free.
func Held(path string) (bool, error) { return held(path) }

// WaitLock waits for a lock that its holders release soon.
func WaitLock(path string) (*Lock, error) { return lock(path, true) }

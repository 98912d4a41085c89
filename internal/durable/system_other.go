//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package durable

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// patience is how long WaitLock waits, which has no way to be told of the lock's end.
const patience = 10 * time.Second

// lock makes the file, which being there is the lock. After a crash an administrator has
// to delete it.
func lock(path string, wait bool) (*Lock, error) {
	deadline := time.Now().Add(patience)
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		switch {
		case err == nil:
			return &Lock{f}, nil
		case !errors.Is(err, fs.ErrExist):
			return nil, err
		case !wait || time.Now().After(deadline):
			return nil, ErrLocked
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func held(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Unlock gives the lock up; a second call does nothing.
func (l *Lock) Unlock() error {
	if err := l.Close(); errors.Is(err, os.ErrClosed) {
		return nil
	} else if err != nil {
		return err
	}
	return os.Remove(l.Name())
}

// GiveTo does nothing: such systems have no owner to give a file to.
func (f *File) GiveTo(string) error { return nil }

// GiveBelow does nothing, for the same reason.
func GiveBelow(string) error { return nil }

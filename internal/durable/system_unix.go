//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// lock opens the file and locks it. The lock ends with the process, whatever ends that.
func lock(path string, wait bool) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		if err = syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrLocked
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Lock{f}, nil
}

func held(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close() // which gives the lock up
	for {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

// Unlock gives the lock up; a second call does nothing. The file stays: another process
// may be about to lock it.
func (l *Lock) Unlock() error {
	if err := l.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// GiveTo gives the file the owner of the one at path, if there is one, where the
// administrator does what else the server's user does.
func (f *File) GiveTo(path string) error {
	info, err := os.Stat(path)
	if err != nil || os.Geteuid() != 0 {
		return nil
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return f.Chown(int(owner.Uid), int(owner.Gid))
}

// GiveBelow gives what the administrator has made below a directory to the directory's owner. What has another name
// elsewhere stays as it is.
func GiveBelow(dir string) error {
	info, err := os.Stat(dir)
	if err != nil || os.Geteuid() != 0 {
		return err
	}
	to, ok := info.Sys().(*syscall.Stat_t)
	if !ok || to.Uid == 0 {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		is, ok := info.Sys().(*syscall.Stat_t)
		if !ok || is.Uid != 0 || info.Mode().IsRegular() && is.Nlink > 1 {
			return nil
		}
		return os.Lchown(path, int(to.Uid), int(to.Gid))
	})
}

package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// suffix ends the names of files that are not finished.
const suffix = ".new"

// File is a file that is being written. Close makes its bytes durable, Commit or
// CommitNew gives it its name, and Discard removes it where neither did. One goroutine
// uses it.
type File struct {
	*os.File
	path   string // what it is called in the end
	closed bool
	placed bool
}

// New begins a file beside path, readable for its owner only. The directory must be
// there.
func New(path string) (*File, error) { return NewIn(filepath.Dir(path), path) }

// NewIn begins the file in another directory of the same file system, from which its
// owner clears what a crash leaves.
func NewIn(dir, path string) (*File, error) {
	f, err := os.CreateTemp(dir, filepath.Base(path)+".*"+suffix) // of mode 0600
	if err != nil {
		return nil, err
	}
	return &File{File: f, path: path}, nil
}

// Create begins a file under its own name, readable for its owner only. It answers
// fs.ErrExist where there is a file.
func Create(path string) (*File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &File{File: f, path: path}, nil
}

// Close closes the file. Its bytes are on disk when the first call returns nil; later
// calls do nothing.
func (f *File) Close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	return errors.Join(f.Sync(), f.File.Close())
}

// Commit closes the file and puts it in the place of what is there. After an error there
// may be the old file or the new one.
func (f *File) Commit() error { return f.commit(os.Rename) }

// CommitNew closes the file and gives it its name, where nothing has that name. Where
// something does, it answers fs.ErrExist.
func (f *File) CommitNew() error { return f.commit(putNew) }

func (f *File) commit(put func(from, to string) error) error {
	if err := f.Close(); err != nil {
		return err
	}
	if f.Name() != f.path {
		if err := put(f.Name(), f.path); err != nil {
			return err
		}
	}
	f.placed = true
	return SyncDirectory(filepath.Dir(f.path))
}

// putNew renames a file and answers fs.ErrExist where the new name is taken. Only one
// of several processes succeeds in making the link.
func putNew(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		return os.Remove(from)
	}
	if _, there := os.Lstat(to); errors.Is(err, fs.ErrExist) || there == nil {
		return err
	}
	return os.Rename(from, to) // a file system without links
}

// Discard closes and removes a file that was not committed. It does nothing to one that
// was, and so may be deferred.
func (f *File) Discard() error {
	if f.placed {
		return nil
	}
	f.placed = true
	if !f.closed {
		f.closed = true
		_ = f.File.Close() // what is removed need not have been written
	}
	return os.Remove(f.Name())
}

// Replace writes a file in one step, readable for its owner only. Where there is one, the
// new one takes its place and has its owner.
func Replace(path string, text []byte) error {
	return put(path, text, (*File).Commit)
}

// PutNew writes a file in one step, readable for its owner only. It answers fs.ErrExist
// where there is one.
func PutNew(path string, text []byte) error {
	return put(path, text, (*File).CommitNew)
}

func put(path string, text []byte, commit func(*File) error) (err error) {
	f, err := New(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Discard()) }()
	if _, err := f.Write(text); err != nil {
		return err
	}
	if err := f.GiveTo(path); err != nil {
		return err
	}
	return commit(f)
}

// Rename gives a file, whose bytes are on disk, another name in one step.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return SyncDirectory(filepath.Dir(to))
}

// Remains returns the unfinished files that a crash left beside path. Only the one
// process that writes there may call it: a file that another process is writing looks
// the same.
func Remains(path string) ([]string, error) {
	dir, base := filepath.Split(path)
	unfinished, err := Unfinished(filepath.Clean(dir))
	return slices.DeleteFunc(unfinished, func(path string) bool {
		return !strings.HasPrefix(filepath.Base(path), base+".")
	}), err
}

// Unfinished returns the paths of all files in a directory that are being written, or
// that a crash left so.
func Unfinished(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var paths []string
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), suffix) {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	return paths, err
}

// SyncDirectory makes durable that files in a directory were created, renamed or
// removed. Windows has no such call, and needs none.
func SyncDirectory(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

package seal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"signet/internal/durable"
	"signet/internal/model"
)

// File is a ring in a file of one server. A line is added for a new key; when keys
// are destroyed, the whole file is written anew beside the old one, takes its place,
// and the old one's bytes are overwritten where they lie. Neither helps against a
// file system that keeps old blocks (snapshots, logs): the file should lie on none.
//
// The file's form is in file_line.go. A lock on the file PATH.lock is held while it
// is read or written, so that commands can work on it beside a server, and one on
// PATH.server for as long as a server uses it.
type File struct {
	path   string
	server *durable.Lock // the lock of a server; nil for a command
	looks  bool          // it is loaded, and never written

	mu     sync.Mutex // guards all below, and this process's use of the lock
	known  fs.FileInfo
	size   int64 // of its whole lines
	owners int   // how many of these name the owner, of which the last holds
	header Header
	closed bool
}

var _ Storage = (*File)(nil)

// OpenFile opens a ring in a file, for a server, which has it for itself until
// Close. The file need not be there; its directory must.
func OpenFile(path string) (*File, error) {
	lock, err := durable.TryLock(path + ".server")
	if errors.Is(err, durable.ErrLocked) {
		return nil, &SetupError{fmt.Sprintf("another server already uses the key ring %s", path)}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &SetupError{fmt.Sprintf("the directory of the key ring %s does not exist", path)}
	}
	if err != nil {
		return nil, fmt.Errorf("open the key ring: %w", err)
	}
	return &File{path: path, server: lock}, nil
}

// OpenFileToLook opens a ring in a file for somebody who only loads it: nothing is written, not even
// the lock's file, and what a crash left is not removed. A line that is being added at that moment is
// left out.
func OpenFileToLook(path string) *File { return &File{path: path, looks: true} }

// OpenFileBeside opens a ring in a file for a command, while a server may use it.
func OpenFileBeside(path string) *File { return &File{path: path} }

// String says where the file is.
func (f *File) String() string { return "file:" + f.path }

// Shared implements Storage: a file is one server's.
func (f *File) Shared() bool { return false }

// Load implements Storage.
func (f *File) Load(_ context.Context, again bool) (contents *Contents, changed bool, err error) {
	err = f.locked(func() error {
		if !again {
			if same, err := f.same(); err != nil || same {
				return err
			}
		}
		contents, changed = nil, true
		contents, err = f.read()
		return err
	})
	return contents, changed, err
}

// Create implements Storage.
func (f *File) Create(_ context.Context, h Header) error {
	return f.locked(func() error {
		contents, err := f.read()
		if err != nil || contents != nil {
			return err
		}
		return f.write(&Contents{Header: h})
	})
}

// Add implements Storage.
func (f *File) Add(_ context.Context, r Record) (Record, error) {
	err := f.locked(func() error {
		if same, err := f.same(); err != nil {
			return err
		} else if !same || r.Master != f.header.Master {
			return ErrChanged
		}
		return f.append(appendLine(nil, &r))
	})
	return r, err
}

// Retire implements Storage. The file does not note it: only the one server that uses
// the file has to know, and its work with the key ends with it.
func (f *File) Retire(context.Context, []KeyID, time.Time) error { return nil }

// Destroy implements Storage.
func (f *File) Destroy(ctx context.Context, ids []KeyID, at time.Time) error {
	return f.Rewrap(ctx, func(c *Contents) error {
		c.Bury(ids, at)
		c.Records = slices.DeleteFunc(c.Records, func(r Record) bool { _, gone := c.Gone[r.ID]; return gone })
		return nil
	})
}

// Rewrap implements Storage.
func (f *File) Rewrap(_ context.Context, change func(*Contents) error) error {
	return f.change(func(contents *Contents) error {
		if err := change(contents); err != nil {
			return err
		}
		return f.write(contents)
	})
}

// change runs fn with what the file holds. If another process has changed the file,
// it must be loaded before the next change, because this one does not report what the
// other did.
func (f *File) change(fn func(*Contents) error) error {
	return f.locked(func() error {
		same, err := f.same()
		if err != nil {
			return err
		}
		contents, err := f.read()
		if err != nil {
			return err
		}
		if contents == nil {
			return fmt.Errorf("%w: there is none at %s", ErrUnavailable, f.path)
		}
		err = fn(contents)
		if !same {
			f.known = nil
		}
		return err
	})
}

// Replace implements Storage.
func (f *File) Replace(_ context.Context, contents *Contents) error {
	return f.locked(func() error {
		there, err := f.read()
		if err != nil {
			return err
		}
		if err := contents.MayReplace(there, f.String()); err != nil {
			return err
		}
		return f.write(contents)
	})
}

// Owner implements Storage.
func (f *File) Owner(context.Context) (mark model.Mark, err error) {
	err = f.locked(func() error {
		contents, err := f.peek()
		if contents != nil {
			mark = contents.Owner
		}
		return err
	})
	return mark, err
}

// peek reads the file without taking over what changed in it. If it has changed, the
// next user has to load it.
func (f *File) peek() (*Contents, error) {
	same, err := f.same()
	if err != nil {
		return nil, err
	}
	contents, err := f.read()
	if !same {
		f.known = nil
	}
	return contents, err
}

// mostOwners is how many marks are added to a file before it is written anew.
const mostOwners = 100

// SetOwner implements Storage. A mark is a line at the end.
func (f *File) SetOwner(_ context.Context, change func(model.Mark) (model.Mark, error)) error {
	return f.change(func(contents *Contents) (err error) {
		before := contents.Owner
		if contents.Owner, err = change(before); err != nil || contents.Owner == before {
			return err
		}
		if f.owners < mostOwners {
			f.owners++
			return f.append(appendOwner(nil, &contents.Owner))
		}
		return f.write(contents)
	})
}

// Close implements Storage.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || f.server == nil {
		return nil
	}
	f.closed = true
	return f.server.Unlock()
}

// locked runs fn while no other goroutine or process reads or writes the file.
func (f *File) locked(fn func() error) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.looks {
		return fn()
	}
	lock, err := durable.WaitLock(f.path + ".lock")
	if errors.Is(err, fs.ErrNotExist) {
		return &SetupError{fmt.Sprintf("the directory of the key ring %s does not exist", f.path)}
	}
	if err != nil {
		return fmt.Errorf("%w: lock %s: %w", ErrUnavailable, f.path, err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return fn()
}

// same reports whether the file is as it was when it was last read or written.
func (f *File) same() (bool, error) {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return f.known != nil && os.SameFile(f.known, info) && f.known.Size() == info.Size() &&
		f.known.ModTime().Equal(info.ModTime()), nil
}

// read reads the file; nil where there is none.
func (f *File) read() (*Contents, error) {
	f.known = nil
	if !f.looks {
		if err := removeRemains(f.path); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	file, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err == nil {
		f.known, err = file.Stat()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: read %s: %w", ErrUnavailable, f.path, err)
	}
	contents, whole, err := parseFile(text)
	if err != nil {
		return nil, &SetupError{fmt.Sprintf("the key ring %s is damaged: %v", f.path, err)}
	}
	f.size, f.header, f.owners = int64(whole), contents.Header, bytes.Count(text, []byte("\n"+ownerLine))
	return contents, nil
}

// removeRemains removes what a crash left of rewriting a file. The remains hold keys,
// and would keep those that are destroyed later.
func removeRemains(path string) error {
	remains, err := durable.Remains(path)
	if err != nil {
		return err
	}
	for _, path := range remains {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if err := errors.Join(overwrite(file), os.Remove(path)); err != nil {
			return err
		}
	}
	return nil
}

// append adds a line. What a crash left of a line before is cut off: no key of which
// the line was not whole has ever been used.
func (f *File) append(line []byte) (err error) {
	file, err := os.OpenFile(f.path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w: write %s: %w", ErrUnavailable, f.path, errors.Join(err, file.Truncate(f.size)))
			f.known = nil
		}
		err = errors.Join(err, file.Close())
	}()
	if err := file.Truncate(f.size); err != nil {
		return err
	}
	if _, err := file.WriteAt(line, f.size); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if f.known, err = file.Stat(); err != nil {
		return err
	}
	f.size += int64(len(line))
	return nil
}

// write writes the file anew, and overwrites the bytes of the one before.
func (f *File) write(contents *Contents) (err error) {
	text := formatFile(contents)
	old, err := openReplaced(f.path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	f.known = nil
	if err := durable.Replace(f.path, text); err != nil {
		if old != nil {
			err = errors.Join(err, old.Close())
		}
		return fmt.Errorf("%w: write %s: %w", ErrUnavailable, f.path, err)
	}
	if old != nil {
		if err := overwrite(old); err != nil {
			return fmt.Errorf("%w: overwrite the old %s: %w", ErrUnavailable, f.path, err)
		}
	}
	if f.known, err = os.Stat(f.path); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	f.size, f.header, f.owners = int64(len(text)), contents.Header, 1
	return nil
}

// overwrite puts zeros in the place of what an open file holds, and closes it.
func overwrite(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	zeros := make([]byte, 64<<10)
	for offset := int64(0); offset < info.Size(); offset += int64(len(zeros)) {
		if _, err := file.WriteAt(zeros[:min(int64(len(zeros)), info.Size()-offset)], offset); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	return errors.Join(file.Sync(), file.Close())
}

package blob

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"signet/internal/model"
)

// Directory keeps each blob in a file of its own, DIR/ab/cd/<32 hex digits>, where
// ab and cd are the last digits: identifiers of one time begin alike. A file that
// is being written lies in DIR/incoming under a name of its own and is renamed
// when all of it is on disk.
type Directory struct {
	root     string
	incoming string
}

// OpenDirectory opens a directory of blobs, and makes it where it is missing. What
// a crash left in incoming is removed.
func OpenDirectory(root string) (*Directory, error) {
	d := &Directory{root: root, incoming: filepath.Join(root, "incoming")}
	if err := os.RemoveAll(d.incoming); err != nil {
		return nil, fmt.Errorf("clear unfinished blobs: %w", err)
	}
	if err := os.MkdirAll(d.incoming, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of blobs: %w", err)
	}
	return d, nil
}

func (d *Directory) path(id model.BlobID) string {
	name := hex.EncodeToString(id[:])
	return filepath.Join(d.root, name[28:30], name[30:32], name)
}

// Put implements Store.
func (d *Directory) Put(ctx context.Context, id model.BlobID, r io.Reader) (size int64, err error) {
	f, err := os.CreateTemp(d.incoming, "*")
	if err != nil {
		return 0, translated("keep blob", err)
	}
	defer func() {
		if err != nil {
			_ = f.Close() // an error before, or a second Close
			err = errors.Join(err, ignoreMissing(os.Remove(f.Name())))
		}
	}()
	size, err = io.Copy(f, &cancellable{ctx, r})
	if err != nil {
		return 0, translated("keep blob", err)
	}
	if err := f.Sync(); err != nil {
		return 0, translated("keep blob", err)
	}
	if err := f.Close(); err != nil {
		return 0, translated("keep blob", err)
	}
	path := d.path(id)
	if err := d.makeParents(path); err != nil {
		return 0, translated("keep blob", err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return 0, translated("keep blob", err)
	}
	if err := syncDirectory(filepath.Dir(path)); err != nil {
		return 0, translated("keep blob", errors.Join(err, os.Remove(path)))
	}
	return size, nil
}

// makeParents makes the two directories of a blob, so that they are there after
// a power cut too.
func (d *Directory) makeParents(path string) error {
	leaf := filepath.Dir(path)
	middle := filepath.Dir(leaf)
	for _, step := range []struct{ dir, parent string }{{middle, d.root}, {leaf, middle}} {
		switch err := os.Mkdir(step.dir, 0o700); {
		case errors.Is(err, fs.ErrExist):
		case err != nil:
			return err
		default:
			if err := syncDirectory(step.parent); err != nil {
				return err
			}
		}
	}
	return nil
}

func syncDirectory(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// cancellable stops reading when its context ends.
type cancellable struct {
	ctx context.Context
	r   io.Reader
}

func (c *cancellable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// Open implements Store.
func (d *Directory) Open(_ context.Context, id model.BlobID) (Blob, error) {
	f, err := os.Open(d.path(id))
	if err != nil {
		return nil, translated("open blob", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(translated("open blob", err), f.Close())
	}
	return &openFile{f, info.Size()}, nil
}

type openFile struct {
	*os.File
	size int64
}

func (f *openFile) Size() int64 { return f.size }

// Delete implements Store.
func (d *Directory) Delete(_ context.Context, id model.BlobID) error {
	path := d.path(id)
	if err := os.Remove(path); err != nil {
		return translated("delete blob", ignoreMissing(err))
	}
	return translated("delete blob", syncDirectory(filepath.Dir(path)))
}

// List implements Store.
func (d *Directory) List(ctx context.Context, fn func(id model.BlobID, kept time.Time) error) error {
	return filepath.WalkDir(d.root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return translated("list blobs", ignoreMissing(err))
		}
		if entry.IsDir() && path == d.incoming {
			return fs.SkipDir
		}
		var id model.BlobID
		if name := entry.Name(); entry.IsDir() || len(name) != 2*len(id) || strings.ToLower(name) != name {
			return nil
		} else if _, err := hex.Decode(id[:], []byte(name)); err != nil {
			return nil // not one of ours
		}
		info, err := entry.Info()
		if err != nil {
			return translated("list blobs", ignoreMissing(err))
		}
		return fn(id, info.ModTime())
	})
}

// Close implements Store.
func (d *Directory) Close() error { return nil }

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// translated turns an error of the file system into the store's own.
func translated(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", doing, ErrNotFound)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG), errors.Is(err, syscall.EIO), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s: %w: %w", doing, ErrUnavailable, err)
	default:
		return fmt.Errorf("%s: %w", doing, err)
	}
}

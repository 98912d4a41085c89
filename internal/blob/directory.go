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
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"signet/internal/durable"
	"signet/internal/model"
)

// Directory keeps each blob in a file of its own, DIR/ab/cd/<32 hex digits>, where
// ab and cd are the last digits: identifiers of one time begin alike. A file that
// is being written lies in DIR/incoming under a name of its own and is renamed
// when all of it is on disk.
type Directory struct {
	root     string
	incoming string
	durable  sync.Map // path of a directory whose entry in its parent is on disk
}

// unfinishedAge is how long a file in incoming has not been written to when it is
// taken for what a crash left. Another server may share the directory, so that
// a younger one may be an upload under way. OpenDirectory looks for such files,
// and List, for a server that does not start again.
const unfinishedAge = time.Hour

func newDirectory(root string) *Directory {
	return &Directory{root: root, incoming: filepath.Join(root, "incoming")}
}

// OpenDirectory opens a directory of blobs, and makes it where it is missing,
// readable by its owner only. What a crash left in incoming is removed, after
// an hour.
func OpenDirectory(root string) (*Directory, error) {
	d := newDirectory(root)
	if err := d.make(); err != nil {
		return nil, err
	}
	if err := d.clear(time.Now().Add(-unfinishedAge)); err != nil {
		return nil, fmt.Errorf("clear unfinished blobs: %w", err)
	}
	return d, nil
}

func (d *Directory) make() error {
	if err := os.MkdirAll(d.incoming, 0o700); err != nil {
		return fmt.Errorf("make the directory of blobs: %w", err)
	}
	return nil
}

// clear removes the files in incoming that were last written to before a time.
// That is the file system's clock, and so is it compared with the real one.
func (d *Directory) clear(before time.Time) error {
	entries, err := os.ReadDir(d.incoming)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && info.ModTime().Before(before) {
			err = os.Remove(filepath.Join(d.incoming, entry.Name()))
		}
		if err := ignoreMissing(err); err != nil {
			return err
		}
	}
	return nil
}

func (d *Directory) path(id model.BlobID) string {
	name := hex.EncodeToString(id[:])
	return filepath.Join(d.root, name[28:30], name[30:32], name)
}

// Put implements Store.
func (d *Directory) Put(ctx context.Context, id model.BlobID, r io.Reader) (size int64, err error) {
	path := d.path(id)
	f, err := d.begin(path)
	if err != nil {
		return 0, refused("keep blob", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreMissing(f.Discard()))
		}
	}()
	source := &source{ctx: ctx, r: r}
	if size, err = writeAll(f.File, source, writeBack(f.File)); source.err != nil {
		return 0, fmt.Errorf("keep blob: %w", source.err)
	} else if err != nil {
		return 0, refused("keep blob", err)
	}
	if err := f.Close(); err != nil {
		return 0, refused("keep blob", err)
	}
	if err := d.place(f.Name(), path); err != nil {
		return 0, refused("keep blob", err)
	}
	if err := durable.SyncDirectory(filepath.Dir(path)); err != nil {
		return 0, refused("keep blob", errors.Join(err, os.Remove(path)))
	}
	return size, nil
}

// begin makes a file for incoming bytes that will be at path. A copy of the directory
// may lack incoming, if it left out empty directories.
func (d *Directory) begin(path string) (*durable.File, error) {
	f, err := durable.NewIn(d.incoming, path)
	if errors.Is(err, fs.ErrNotExist) && os.Mkdir(d.incoming, 0o700) == nil {
		f, err = durable.NewIn(d.incoming, path)
	}
	return f, err
}

// place moves a finished file to where it belongs. The directories that were known to
// be there may be gone: another volume is mounted by now.
func (d *Directory) place(from, path string) error {
	err := d.makeParents(path)
	if err == nil {
		err = os.Rename(from, path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	d.durable.Clear()
	if err := d.makeParents(path); err != nil {
		return err
	}
	return os.Rename(from, path)
}

// makeParents makes the two directories of a blob, so that they are there after
// a power cut too. One that another Put has just made may not be, yet.
func (d *Directory) makeParents(path string) error {
	leaf := filepath.Dir(path)
	for _, dir := range []string{filepath.Dir(leaf), leaf} {
		if _, ok := d.durable.Load(dir); ok {
			continue
		}
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := durable.SyncDirectory(filepath.Dir(dir)); err != nil {
			return err
		}
		d.durable.Store(dir, true)
	}
	return nil
}

// source reads until its context ends, and keeps the error, so that one of the
// reader is not taken for one of the disk.
type source struct {
	ctx context.Context
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (n int, err error) {
	if err = s.ctx.Err(); err == nil {
		n, err = s.r.Read(p)
	}
	if err != nil && err != io.EOF { // EOF is compared as io.Copy does
		s.err = err
	}
	return n, err
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
	return translated("delete blob", durable.SyncDirectory(filepath.Dir(path)))
}

// List implements Store. It also removes what a crash left in incoming.
func (d *Directory) List(ctx context.Context, fn func(id model.BlobID, kept time.Time) error) error {
	return filepath.WalkDir(d.root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return translated("list blobs", ignoreMissing(err))
		}
		if entry.IsDir() && path == d.incoming {
			if err := d.clear(time.Now().Add(-unfinishedAge)); err != nil {
				return translated("clear unfinished blobs", err)
			}
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

// Begin implements Store.
func (d *Directory) Begin(context.Context) error {
	err := d.make()
	if err == nil {
		err = d.writeMark()
	}
	return refused("begin a directory of blobs", err)
}

func (d *Directory) writeMark() (err error) {
	f, err := durable.NewIn(d.incoming, filepath.Join(d.root, MarkName))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ignoreMissing(f.Discard())) }()
	if _, err := f.WriteString(markText); err != nil {
		return err
	}
	return f.Commit()
}

// Begun implements Store.
func (d *Directory) Begun(context.Context) (bool, error) {
	_, err := os.Stat(filepath.Join(d.root, MarkName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, translated("look for the directory of blobs", err)
}

// Check implements Store.
func (d *Directory) Check(context.Context) error {
	_, err := os.Stat(d.incoming)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// Close implements Store.
func (d *Directory) Close() error { return nil }

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// refused translates an error of a write: there, "not found" means that the directory
// is missing.
func refused(doing string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w: %w", doing, ErrUnavailable, err)
	}
	return translated(doing, err)
}

// translated turns an error of the file system into the store's own.
func translated(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", doing, ErrNotFound)
	case isAny(err, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EIO, syscall.EROFS, syscall.EMFILE,
		syscall.ENFILE, syscall.ENOTCONN, syscall.ESTALE, syscall.ETIMEDOUT, syscall.EHOSTDOWN, syscall.EACCES,
		syscall.ENOTDIR):
		return fmt.Errorf("%s: %w: %w", doing, ErrUnavailable, err)
	default:
		return fmt.Errorf("%s: %w", doing, err)
	}
}

func isAny(err error, targets ...error) bool {
	return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
}

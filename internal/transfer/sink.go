package transfer

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"signet/internal/durable"
)

// sink is where the files of a backup go, one after the other.
type sink interface {
	// create begins a file of a size. It is closed before the next one begins.
	create(name string, size int64) (io.WriteCloser, error)

	// adopt takes over a file in the scratch directory.
	adopt(name, path string, size int64) error

	// finish makes everything durable.
	finish() error

	// abort removes what was written.
	abort() error
}

// directorySink writes a backup into a directory, for its owner alone.
type directorySink struct {
	root string
	made bool            // the directory was not there before
	dirs map[string]bool // that hold something, relative to root
}

func openDirectorySink(root string) (*directorySink, error) {
	entries, err := os.ReadDir(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.Mkdir(root, 0o700); err != nil {
			return nil, err
		}
		return &directorySink{root: root, made: true, dirs: map[string]bool{".": true}}, nil
	case err != nil:
		return nil, err
	case len(entries) > 0:
		return nil, fmt.Errorf("%s is not empty, and nothing is overwritten", root)
	}
	return &directorySink{root: root, dirs: map[string]bool{".": true}}, nil
}

func (d *directorySink) create(name string, _ int64) (io.WriteCloser, error) {
	name = filepath.FromSlash(name)
	if parent := filepath.Dir(name); !d.dirs[parent] {
		if err := os.MkdirAll(filepath.Join(d.root, parent), 0o700); err != nil {
			return nil, err
		}
		for ; !d.dirs[parent]; parent = filepath.Dir(parent) {
			d.dirs[parent] = true
		}
	}
	return durable.Create(filepath.Join(d.root, name))
}

func (d *directorySink) adopt(name, path string, _ int64) error {
	return os.Rename(path, filepath.Join(d.root, name))
}

func (d *directorySink) finish() error {
	for dir := range d.dirs {
		if err := durable.SyncDirectory(filepath.Join(d.root, dir)); err != nil {
			return err
		}
	}
	return durable.SyncDirectory(filepath.Dir(d.root))
}

func (d *directorySink) abort() error {
	if d.made {
		return os.RemoveAll(d.root)
	}
	var problems []error
	for _, name := range []string{manifestName, sumsName, blobsName, databaseName} {
		problems = append(problems, os.RemoveAll(filepath.Join(d.root, name)))
	}
	return errors.Join(problems...)
}

// tarSink writes a backup as one stream.
type tarSink struct {
	archive *tar.Writer
	time    time.Time
	file    *durable.File // nil: a stream, which the caller closes
}

func newTarSink(w io.Writer, at time.Time) *tarSink {
	return &tarSink{archive: tar.NewWriter(w), time: at}
}

// openTarSink writes into a file, which has its name when it is finished.
func openTarSink(path string, at time.Time) (*tarSink, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s exists, and nothing is overwritten", path)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := durable.New(path)
	if err != nil {
		return nil, err
	}
	s := newTarSink(f, at)
	s.file = f
	return s, nil
}

func (s *tarSink) create(name string, size int64) (io.WriteCloser, error) {
	err := s.archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: s.time,
		Format: tar.FormatPAX})
	return tarFile{s.archive}, err
}

func (s *tarSink) adopt(name, path string, size int64) error {
	w, err := s.create(name, size)
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, w.Close(), f.Close())
}

type tarFile struct{ archive *tar.Writer }

func (f tarFile) Write(p []byte) (int, error) { return f.archive.Write(p) }
func (f tarFile) Close() error                { return f.archive.Flush() }

func (s *tarSink) finish() error {
	if err := s.archive.Close(); err != nil || s.file == nil {
		return err
	}
	return s.file.CommitNew()
}

func (s *tarSink) abort() error {
	if s.file == nil {
		return nil
	}
	return s.file.Discard()
}

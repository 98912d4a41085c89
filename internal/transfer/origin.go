package transfer

import (
	"archive/tar"
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// origin is where the files of a backup come from, one after the other.
type origin interface {
	// next returns the next file, valid until next is called again, or io.EOF.
	next() (*backupFile, error)

	Close() error
}

type backupFile struct {
	name string
	size int64
	io.Reader
}

// openOrigin opens a backup: a directory, a file with an archive, or "-" for the
// archive that a stream holds.
func openOrigin(source string, stream io.Reader) (origin, error) {
	if source == "-" {
		return &tarOrigin{archive: tar.NewReader(stream)}, nil
	}
	info, err := os.Stat(source)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return openDirectoryOrigin(source)
	}
	f, err := os.Open(source)
	if err != nil {
		return nil, err
	}
	return &tarOrigin{tar.NewReader(f), f}, nil
}

type tarOrigin struct {
	archive *tar.Reader
	file    *os.File // nil: a stream, which the caller closes
}

func (o *tarOrigin) next() (*backupFile, error) {
	head, err := o.archive.Next()
	if err != nil {
		if err != io.EOF {
			err = fmt.Errorf("read the archive: %w", err)
		}
		return nil, err
	}
	if head.Typeflag != tar.TypeReg {
		return nil, fmt.Errorf("the archive holds %q, which belongs to no backup", head.Name)
	}
	return &backupFile{head.Name, head.Size, o.archive}, nil
}

func (o *tarOrigin) Close() error {
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}

// missingFile is a file that a backup lists and does not have.
type missingFile struct{ name string }

func (m *missingFile) Error() string { return "the backup is not whole: " + m.name + " is missing" }

// directoryOrigin reads the files that SHA256SUMS names, then that, then the manifest.
type directoryOrigin struct {
	root  string
	sums  *os.File
	lines *bufio.Scanner
	open  *os.File
	last  []string // what comes after the files that SHA256SUMS names
}

func openDirectoryOrigin(root string) (*directoryOrigin, error) {
	if _, err := os.Stat(filepath.Join(root, manifestName)); errors.Is(err, fs.ErrNotExist) {
		return nil, errUnfinished
	}
	f, err := os.Open(filepath.Join(root, sumsName))
	if err != nil {
		return nil, err
	}
	return &directoryOrigin{root: root, sums: f, lines: bufio.NewScanner(f), last: []string{sumsName, manifestName}}, nil
}

func (o *directoryOrigin) next() (*backupFile, error) {
	if o.open != nil {
		o.open.Close() // it was only read
		o.open = nil
	}
	name := ""
	switch {
	case o.lines.Scan():
		_, name, _ = strings.Cut(o.lines.Text(), "  ")
	case o.lines.Err() != nil:
		return nil, o.lines.Err()
	case len(o.last) > 0:
		name, o.last = o.last[0], o.last[1:]
	default:
		return nil, io.EOF
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fmt.Errorf("%s names %q, which belongs to no backup", sumsName, name)
	}
	f, err := os.Open(filepath.Join(o.root, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &missingFile{name}
	}
	if err != nil {
		return nil, fmt.Errorf("the backup cannot be read: %w", err)
	}
	o.open = f
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return &backupFile{name, info.Size(), f}, nil
}

func (o *directoryOrigin) Close() error {
	err := o.sums.Close()
	if o.open != nil {
		err = errors.Join(err, o.open.Close())
	}
	return err
}

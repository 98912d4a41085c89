package transfer

import (
	"archive/tar"
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
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

// directoryOrigin reads the files that SHA256SUMS names, or those that are there, then that, then the manifest.
type directoryOrigin struct {
	root  string
	names func() (name string, err error, more bool)
	stop  func()
	open  *os.File
	last  []string // what comes after the files
}

func openDirectoryOrigin(root string) (*directoryOrigin, error) {
	if _, err := os.Stat(filepath.Join(root, manifestName)); errors.Is(err, fs.ErrNotExist) {
		return nil, errUnfinished
	}
	files := filesThere(root)
	if damaged, err := listDamaged(root); err != nil {
		return nil, err
	} else if !damaged {
		files = filesListed(root)
	}
	o := &directoryOrigin{root: root, last: []string{sumsName, manifestName}}
	o.names, o.stop = iter.Pull2(files)
	return o, nil
}

// listDamaged reports whether SHA256SUMS is not what a manifest that is right says of it. Then it does not tell
// which files belong to the backup.
func listDamaged(root string) (bool, error) {
	f, err := os.Open(filepath.Join(root, manifestName))
	if err != nil {
		return false, err
	}
	defer f.Close()
	m, err := readManifest(f)
	if err != nil || m.Digest != m.digest() { // whoever takes the files tells of it
		return false, nil
	}
	list, err := os.Open(filepath.Join(root, sumsName))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer list.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, list)
	return hex.EncodeToString(sum.Sum(nil)) != m.Sums, err
}

// filesListed are the files that SHA256SUMS names.
func filesListed(root string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		f, err := os.Open(filepath.Join(root, sumsName))
		if err != nil {
			yield("", err)
			return
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			if _, name, _ := strings.Cut(lines.Text(), "  "); !yield(name, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield("", err)
		}
	}
}

// filesThere are the files in the directory that have the name of an attachment or of the database.
func filesThere(root string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			name, err := filepath.Rel(root, path)
			name = filepath.ToSlash(name)
			if _, isBlob := blobOf(name); err != nil || !isBlob && name != databaseName {
				return err
			}
			if !yield(name, nil) {
				return filepath.SkipAll
			}
			return nil
		})
		if err != nil {
			yield("", err)
		}
	}
}

func (o *directoryOrigin) next() (*backupFile, error) {
	if o.open != nil {
		o.open.Close() // it was only read
		o.open = nil
	}
	name, err, more := o.names()
	switch {
	case err != nil:
		return nil, err
	case more:
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
	o.stop()
	if o.open == nil {
		return nil
	}
	return o.open.Close()
}

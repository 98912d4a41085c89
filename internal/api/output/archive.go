package output

import (
	"archive/zip"
	"encoding/json"
	"io"
	"path"
	"time"
)

// Archive is a ZIP archive on its way to a client. Without its last part, the directory
// that Close writes, no program takes it for whole.
type Archive struct {
	Files []ArchiveFile // of data; not those that were stored as they are

	zip  *zip.Writer
	made time.Time
}

// ArchiveFile is a file of data in an archive.
type ArchiveFile struct {
	Name    string
	Entries int
}

// NewArchive begins an archive that is made at a time. It fails for a reader who takes it too
// slowly, by the clock.
func NewArchive(w *Writer, made time.Time, clock func() time.Time) *Archive {
	return &Archive{zip: zip.NewWriter(&pacedWriter{out: w, clock: clock}), made: made}
}

// Close writes the directory of the archive, which is whole with it.
func (a *Archive) Close() error { return a.zip.Close() }

// file begins a file, which ends with the next one.
func (a *Archive) file(name string, method uint16) (io.Writer, error) {
	return a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: a.made})
}

// Stored copies a file as it is: most attachments are compressed already.
func (a *Archive) Stored(name string, content io.Reader) error {
	to, err := a.file(name, zip.Store)
	if err == nil {
		_, err = io.Copy(to, content)
	}
	return err
}

// Text writes a file of text.
func (a *Archive) Text(name, text string) error {
	to, err := a.file(name, zip.Deflate)
	if err == nil {
		_, err = io.WriteString(to, text)
	}
	return err
}

// Object writes a file of one JSON value.
func (a *Archive) Object(name string, v any) error {
	to, err := a.file(name, zip.Deflate)
	if err != nil {
		return err
	}
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	a.Files = append(a.Files, ArchiveFile{name, 1})
	return e.Encode(v)
}

// List writes a file of the values that fill adds: as a JSON array, or a line of JSON each.
func (a *Archive) List(name string, fill func(add func(v any) error) error) error {
	to, err := a.file(name, zip.Deflate)
	if err != nil {
		return err
	}
	lines := path.Ext(name) == ".jsonl"
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	n, before := 0, "[\n"
	between := func(text string) error {
		if lines {
			return nil
		}
		_, err := io.WriteString(to, text)
		return err
	}
	err = fill(func(v any) error {
		err := between(before)
		n, before = n+1, ","
		if err == nil {
			err = e.Encode(v)
		}
		return err
	})
	if err == nil && n == 0 {
		err = between(before)
	}
	if err == nil {
		err = between("]\n")
	}
	a.Files = append(a.Files, ArchiveFile{name, n})
	return err
}

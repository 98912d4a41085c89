package api

import (
	"archive/zip"
	"encoding/json"
	"io"
	"path"
	"strings"
	"time"

	"signet/internal/model"
)

// archive is a ZIP archive on its way to a client. Without its last part, the directory
// that finish writes, no program takes it for whole.
type archive struct {
	zip   *zip.Writer
	made  time.Time
	files []wireArchiveFile // of data; not the attachments
}

// wireArchiveFile is a file of data in an archive.
type wireArchiveFile struct {
	Name    string `json:"name"`
	Entries int    `json:"entries"`
}

func newArchive(w io.Writer, made time.Time) *archive {
	return &archive{zip: zip.NewWriter(w), made: made}
}

// file begins a file, which ends with the next one.
func (a *archive) file(name string, method uint16) (io.Writer, error) {
	return a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: a.made})
}

// stored copies a file as it is: most attachments are compressed already.
func (a *archive) stored(name string, content io.Reader) error {
	to, err := a.file(name, zip.Store)
	if err == nil {
		_, err = io.Copy(to, content)
	}
	return err
}

func (a *archive) text(name, text string) error {
	to, err := a.file(name, zip.Deflate)
	if err == nil {
		_, err = io.WriteString(to, text)
	}
	return err
}

// object writes a file of one JSON value.
func (a *archive) object(name string, v any) error {
	to, err := a.file(name, zip.Deflate)
	if err != nil {
		return err
	}
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	a.files = append(a.files, wireArchiveFile{name, 1})
	return e.Encode(v)
}

// list writes a file of what fill adds: a JSON array, or a line of JSON each.
func (a *archive) list(name string, fill func(add func(v any) error) error) error {
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
	a.files = append(a.files, wireArchiveFile{name, n})
	return err
}

// attachmentPath names the file of a message's attachment in an archive: its own name is
// anybody's choice, and only a plain ending is left of it.
func attachmentPath(m *model.Message) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	ending := strings.ToLower(path.Ext(m.Attachment.Name))
	if len(ending) < 2 || len(ending) > 9 || strings.Trim(ending[1:], letters) != "" {
		ending = ""
	}
	return "attachments/" + m.ID.String() + ending
}

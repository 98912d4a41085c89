package input

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"strings"

	"signet/internal/model"
)

// FileField is a field that takes a file.
type FileField[T any] struct {
	// Keep keeps the bytes of a file and returns what the endpoint needs to refer to
	// it. It runs while the body is still being read, before the endpoint and before
	// later fields are known. When reading fails (the file is too large, the client
	// went away) it removes what it kept so far and returns that error.
	Keep func(ctx context.Context, f File) (T, error)
	// Discard removes what Keep kept, of a request that came to nothing; nil removes
	// nothing. Its context outlives the request's.
	Discard func(ctx context.Context, kept T)
	// Limit is the largest size in bytes; 0 takes Limits.FileBytes.
	Limit int64
	// OrText allows text in place of the file (an avatar's URL): in JSON, in a
	// form, and as a part without a file name.
	OrText bool
}

// File is a file on its way to where it is kept.
type File struct {
	io.Reader
	Name        string // under which it can be offered for download
	ContentType string
	Repeatable  bool // the request has a Request-ID, under which it may come again
}

// keptFile is what the Keep of a field returned.
type keptFile[T any] struct {
	name  string
	field FileField[T]
	value T
}

// File returns what was kept of a file.
func (b *Body[T]) File(name string) (kept T, ok bool) {
	for i := range b.files {
		if b.files[i].name == name {
			return b.files[i].value, true
		}
	}
	return kept, false
}

func (b *Body[T]) admit() error {
	if b.Admit == nil {
		return nil
	}
	return b.Admit()
}

// Discard removes what was kept of the files.
func (b *Body[T]) Discard(ctx context.Context) {
	files := b.files
	b.files = nil
	for _, file := range files {
		if file.field.Discard != nil {
			file.field.Discard(context.WithoutCancel(ctx), file.value)
		}
	}
}

// errKeep marks an error of a field's Keep: the disk's, say, not the client's.
var errKeep = errors.New("store the file")

// keepFile streams a part to where its field keeps files, under the name that was sent.
func (p *partReader[T]) keepFile(
	ctx context.Context, part *multipart.Part, name, sent string, field FileField[T],
) error {
	if _, twice := p.into.File(name); twice || p.into.Has(name) {
		return repeated(name)
	}
	limit := p.fileLimit(field)
	content := &fileReader{name: name, part: limited(part, limit)}
	buffered := bufio.NewReader(content)
	if sent == "" {
		if _, err := buffered.Peek(1); err == io.EOF {
			return nil // a form whose user chose no file
		}
	}
	if p.into.Refuse != nil {
		p.into.Refused = p.into.Refuse()
	}
	var kept T
	var err error
	if p.into.Refused != nil {
		field.Discard = nil
	} else if err = p.into.admit(); err != nil {
		return err
	} else {
		kept, err = field.Keep(ctx, File{buffered, fileName(sent), mediaType(part.Header.Get("Content-Type")),
			p.repeatable})
	}
	if err == nil {
		p.into.files = append(p.into.files, keptFile[T]{name, field, kept})
		_, err = io.Copy(io.Discard, buffered) // what Keep did not want
	}
	switch {
	case content.fault != nil:
		return content.fault
	case err != nil:
		if _, told := errors.AsType[*model.Error](err); told {
			return err
		}
		return fmt.Errorf("%w: %w", errKeep, err)
	}
	return nil
}

// fileReader reads a file up to its limit. It keeps what went wrong, because a
// field's Keep may wrap that beyond recognition.
type fileReader struct {
	part  *source
	name  string
	fault error
}

func (f *fileReader) Read(p []byte) (int, error) {
	n, err := f.part.Read(p)
	switch {
	case err == nil, err == io.EOF:
		return n, err
	case errors.Is(err, errPastLimit):
		f.fault = fileTooLarge(f.name, f.part.limit)
	default:
		f.fault = err
	}
	return n, f.fault
}

func fileTooLarge(name string, limit int64) error {
	return &model.Error{Kind: model.TooLarge, Code: CodeFileTooLarge, Field: name,
		Message: "The file is larger than " + sizeText(limit) + "."}
}

// mediaType returns a part's own content type, or that of bytes of no known type
// where it has none that could be sent back.
func mediaType(sent string) string {
	const longest = 255
	if _, _, err := mime.ParseMediaType(sent); err != nil || len(sent) > longest || !strings.Contains(sent, "/") {
		return "application/octet-stream"
	}
	for _, r := range sent {
		if r < ' ' || r > '~' {
			return "application/octet-stream"
		}
	}
	return sent
}

package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"signet/internal/model"
)

// storedFile is what the sink of a file field returned.
type storedFile struct {
	name  string
	field fileField
	value any
}

// incomingFile is a file on its way into a sink.
type incomingFile struct {
	io.Reader
	name        string
	contentType string
	repeatable  bool // the request has a Request-ID, under which it may come again
}

// errSink marks an error that is the sink's own: the disk's, say, not the
// client's.
var errSink = errors.New("store the file")

// storeFile streams a part into the sink of its field.
func (a *API) storeFile(ctx context.Context, c *call, part *multipart.Part, name string, field fileField) error {
	if _, twice := c.file(name); twice || c.fields.Has(name) {
		return repeated(name)
	}
	limit := a.fileLimit(field)
	content := &fileReader{name: name, limit: limit, part: bodyReader{source: part, limited: limit > 0, limit: limit, left: limit}}
	buffered := bufio.NewReader(content)
	if part.FileName() == "" {
		if _, err := buffered.Peek(1); err == io.EOF {
			return nil // a form whose user chose no file
		}
	}
	_, repeatable := c.request.Header["Request-Id"]
	value, err := field.sink(ctx, incomingFile{buffered, fileName(part.FileName()), mediaType(part.Header.Get("Content-Type")), repeatable})
	if err == nil {
		c.files = append(c.files, storedFile{name, field, value})
		_, err = io.Copy(io.Discard, buffered) // what the sink did not want
	}
	switch {
	case content.fault != nil:
		return content.fault
	case err != nil:
		if _, told := asModel(err); told {
			return err
		}
		return fmt.Errorf("%w: %w", errSink, err)
	}
	return nil
}

// fileReader reads a file up to its limit. It keeps what went wrong, because a
// sink may wrap that beyond recognition.
type fileReader struct {
	part  bodyReader
	name  string
	limit int64
	fault error
}

func (f *fileReader) Read(p []byte) (int, error) {
	n, err := f.part.Read(p)
	switch {
	case err == nil, err == io.EOF:
		return n, err
	case errors.Is(err, errPastLimit):
		f.fault = fileTooLarge(f.name, f.limit)
	default:
		f.fault = err
	}
	return n, f.fault
}

func fileTooLarge(name string, limit int64) error {
	return &model.Error{Kind: model.TooLarge, Code: codeFileTooLarge, Field: name,
		Message: "The file is larger than " + bytesText(limit) + "."}
}

// discardFiles removes what the sinks kept for this call. An endpoint that has no
// use for an upload, such as that of a repeated request, may call it too.
func (c *call) discardFiles(ctx context.Context) {
	files := c.files
	c.files = nil
	for _, file := range files {
		if file.field.discard != nil {
			file.field.discard(context.WithoutCancel(ctx), file.value)
		}
	}
}

// encodedByBrowsers are the characters of a file name that browsers write so.
var encodedByBrowsers = strings.NewReplacer("%22", `"`, "%0D", "", "%0A", "")

// fileName returns a name under which a file can be offered for download: the
// last element of what was sent, without control characters and marks that turn
// the direction of writing (which disguise an ending), of at most 255 bytes, of which
// the last are its ending.
func fileName(sent string) string {
	sent = encodedByBrowsers.Replace(strings.ToValidUTF8(sent, ""))
	if i := strings.LastIndexAny(sent, `/\`); i >= 0 {
		sent = sent[i+1:]
	}
	sent = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, sent)
	sent = strings.TrimSpace(sent)
	const longest, longestEnding = 255, 32
	if len(sent) > longest {
		ending := path.Ext(sent)
		if len(ending) > longestEnding {
			ending = ""
		}
		end := longest - len(ending)
		for !utf8.RuneStart(sent[end]) {
			end--
		}
		sent = sent[:end] + ending
	}
	if strings.Trim(sent, ".") == "" {
		return "attachment"
	}
	return sent
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

package api

import (
	"bufio"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"sync"
	"unicode/utf8"

	"signet/internal/model"
)

// maxPartHead bounds the headers of a part together with the bytes that are read
// ahead of them.
const maxPartHead = 16 << 10

// multipartLimit is the most that a body can hold within the limits of its
// pieces; 0 is no limit. A route without files takes a multipart body as it
// takes a form.
func (a *API) multipartLimit(r *route) int64 {
	limit := a.limits.BodyBytes
	if len(r.files) == 0 || limit == 0 {
		return limit
	}
	for _, file := range r.files {
		size := a.fileLimit(file)
		if size == 0 {
			return 0
		}
		limit += size
	}
	return limit + int64(a.limits.Parts)*maxPartHead
}

func (a *API) fileLimit(file fileField) int64 {
	if file.limit > 0 {
		return file.limit
	}
	return a.limits.AttachmentBytes
}

const (
	// readAhead is how many bytes of a long body are read at once: the package that
	// finds its parts reads four thousand at a time, and asking the system for these
	// was a quarter of what an upload cost.
	readAhead = 128 << 10
	// longBody is from how many bytes on a body is a long one.
	longBody = 16 << 10
)

var aheads = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, readAhead) }}

// readMultipart reads a multipart body part by part: texts into the call's
// fields, files into their sinks. What the sinks kept is in c.files even when
// the body turns out faulty, so that the adapter can discard it.
func (a *API) readMultipart(ctx context.Context, c *call, body *bodyReader, boundary string) error {
	if boundary == "" || len(boundary) > 70 { // RFC 2046, section 5.1.1
		return refuseBoundary(body)
	}
	head := &headReader{from: body}
	if length := c.request.ContentLength; length < 0 || length > longBody {
		ahead := aheads.Get().(*bufio.Reader)
		ahead.Reset(body)
		defer func() {
			ahead.Reset(nil)
			aheads.Put(ahead)
		}()
		head.from = ahead
	}
	reader := multipart.NewReader(head, boundary)
	texts := textBudget{left: a.limits.BodyBytes, limited: a.limits.BodyBytes > 0}
	for parts := 0; ; parts++ {
		head.left = maxPartHead
		part, err := reader.NextPart()
		switch {
		case err == io.EOF || err != nil && body.count == 0 && body.err == io.EOF:
			return nil
		case err != nil:
			return partFault(err, body, "")
		case parts == a.limits.Parts:
			return model.Invalidf(codeBodyInvalid, "", "The body has more than %d parts.", a.limits.Parts)
		}
		head.left = -1
		c.sentBody = true
		if err := a.readPart(ctx, c, part, &texts); err != nil {
			return partFault(err, body, shownName(part.FormName()))
		}
	}
}

// refuseBoundary refuses a multipart body whose parts cannot be told apart; an
// empty one has none.
func refuseBoundary(body *bodyReader) error {
	if n, _ := io.CopyN(io.Discard, body, 1); n == 0 && body.err == io.EOF {
		return nil
	}
	return malformedPart("", "The Content-Type of a multipart body needs a boundary of 1 to 70 characters.")
}

// readPart reads one part into the call.
func (a *API) readPart(ctx context.Context, c *call, part *multipart.Part, texts *textBudget) error {
	name := part.FormName()
	if name == "" {
		return malformedPart("", "A part has no name.")
	}
	if !utf8.ValidString(name) {
		return model.Invalidf(codeTextInvalid, "", "The name of a part is not valid UTF-8.")
	}
	// Quoted-printable is decoded by the reader, which takes the header away.
	switch strings.ToLower(part.Header.Get("Content-Transfer-Encoding")) {
	case "", "7bit", "8bit", "binary":
	default:
		return malformedPart(name, "The part has a transfer encoding that cannot be read.")
	}
	_, params, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	_, named := params["filename"]
	if file, ok := c.endpoint.files[name]; ok && (named || !file.orText) {
		return a.storeFile(ctx, c, part, name, file)
	}
	if _, stored := c.file(name); stored {
		return repeated(name)
	}
	value, err := texts.read(name, part)
	if err != nil {
		return err
	}
	var flaw *model.Error
	if !utf8.ValidString(value) {
		flaw = model.Invalidf(codeTextInvalid, shownName(name), "The text is not valid UTF-8.")
		if !named {
			return flaw
		}
		// A file under a name that may be no field at all: a fault only where an
		// endpoint wants the field.
		value = ""
	}
	if c.fields.full() {
		return tooManyFields(c.fields.most)
	}
	c.fields.putText(name, value, flaw)
	return nil
}

// textBudget is what the texts of a multipart body may still hold together.
type textBudget struct {
	left    int64
	limited bool
}

// read reads a text part, whose name counts too.
func (t *textBudget) read(name string, part io.Reader) (string, error) {
	buffer := bodyBuffers.Get().(*bodyBuffer)
	defer buffer.release()
	t.left -= int64(len(name))
	if t.limited {
		part = &bodyReader{source: part, limited: true, limit: t.left, left: max(t.left, 0)}
	}
	text, err := buffer.readAll(part)
	t.left -= int64(len(text))
	if errors.Is(err, errPastLimit) || t.limited && t.left < 0 {
		return "", &model.Error{Kind: model.TooLarge, Code: codeBodyTooLarge, Field: shownName(name),
			Message: "The texts of the body are larger together than the limit."}
	}
	return string(text), err
}

// headReader bounds what is read while a part's head is looked for: the package
// that parses it would hold some megabytes.
type headReader struct {
	from io.Reader
	left int // bytes; -1: no bound
}

var errLongHead = errors.New("head of a part is too long")

func (h *headReader) Read(p []byte) (int, error) {
	if h.left < 0 {
		return h.from.Read(p)
	}
	if h.left == 0 {
		return 0, errLongHead
	}
	n, err := h.from.Read(p[:min(len(p), h.left)])
	h.left -= n
	return n, err
}

// partFault is what to answer where a part could not be read: what was decided
// about it, else what befell the body, else that it is malformed.
func partFault(err error, body *bodyReader, field string) error {
	_, told := asModel(err)
	switch {
	case told:
		return err
	case errors.Is(body.err, errPastLimit):
		return bodyTooLarge(body.limit)
	case body.err != nil && body.err != io.EOF:
		return bodyFault(body.err, body.limit)
	case errors.Is(err, errSink):
		return err
	case errors.Is(err, errLongHead):
		return malformedPart(field, "The head of a part is too long.")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return bodyFault(err, body.limit)
	}
	return malformedPart(field, "The multipart body is malformed.")
}

func malformedPart(name, message string) error {
	return model.Invalidf(codeBodyInvalid, shownName(name), "%s", message)
}

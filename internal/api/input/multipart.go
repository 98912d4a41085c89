package input

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"unicode/utf8"

	"signet/internal/model"
)

// maxPartHead bounds the headers of a part together with the bytes that are read
// ahead of them.
const maxPartHead = 16 << 10

// multipartLimit is the most that a body can hold within the limits of its
// pieces; 0 is no limit. An endpoint without files takes a multipart body as it
// takes a form.
func (reader *Reader[T]) multipartLimit() int64 {
	limit := reader.Limits.BodyBytes
	if len(reader.Files) == 0 || limit == 0 {
		return limit
	}
	for _, file := range reader.Files {
		size := reader.fileLimit(file)
		if size == 0 {
			return 0
		}
		limit += size
	}
	return limit + int64(reader.Limits.Parts)*maxPartHead
}

func (reader *Reader[T]) fileLimit(file FileField[T]) int64 {
	return cmp.Or(file.Limit, reader.Limits.FileBytes)
}

const (
	// readAhead is how many bytes of a long body are read at once, where there is memory
	// for it: the package that finds its parts reads four thousand at a time, and asking
	// the system for these was a quarter of the cost of an upload.
	readAhead = 128 << 10
	// longBody is from how many bytes on a body is a long one.
	longBody = 16 << 10
)

var aheads = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, readAhead) }}

// readMultipart reads a multipart body part by part: texts into fields, files into
// their sinks.
func (reader *Reader[T]) readMultipart(
	ctx context.Context, r *http.Request, body *source, boundary string, into *Body[T],
) error {
	if boundary == "" || len(boundary) > 70 { // RFC 2046, section 5.1.1
		return refuseBoundary(body)
	}
	head := &headReader{from: body}
	if length := r.ContentLength; (length < 0 || length > longBody) && into.hold(readAhead) == nil {
		ahead := aheads.Get().(*bufio.Reader)
		ahead.Reset(body)
		defer func() {
			ahead.Reset(nil)
			aheads.Put(ahead)
		}()
		head.from = ahead
	}
	_, repeatable := r.Header["Request-Id"]
	parts := partReader[T]{Reader: reader, into: into, texts: reader.Limits.BodyBytes, named: reader.Limits.BodyBytes,
		repeatable: repeatable}
	source := multipart.NewReader(head, boundary)
	for n := 0; ; n++ {
		head.left = maxPartHead
		part, err := source.NextPart()
		switch {
		case err == io.EOF || err != nil && body.count == 0 && body.err == io.EOF:
			return nil
		case err != nil:
			return partFault(err, body, "")
		case n == reader.Limits.Parts:
			return model.Invalidf(CodeBodyInvalid, "", "The body has more than %d parts.", reader.Limits.Parts)
		}
		head.left = -1
		into.Sent = true
		if err := parts.read(ctx, part); err != nil {
			return partFault(err, body, shownName(part.FormName()))
		}
	}
}

func (b *Body[T]) hold(bytes int) error {
	if b.Hold == nil {
		return nil
	}
	return b.Hold(bytes)
}

// refuseBoundary refuses a multipart body whose parts cannot be told apart; an
// empty one has none.
func refuseBoundary(body *source) error {
	if n, _ := io.CopyN(io.Discard, body, 1); n == 0 && body.err == io.EOF {
		return nil
	}
	return malformedPart("", "The Content-Type of a multipart body needs a boundary of 1 to 70 characters.")
}

// partReader reads the parts of one body.
type partReader[T any] struct {
	*Reader[T]
	into       *Body[T]
	texts      int64 // bytes that the texts may still hold together, if that is limited
	named      int64 // the same of files that are read as texts
	repeatable bool
	charset    *charset // of parts that declare none
}

// read reads one part.
func (p *partReader[T]) read(ctx context.Context, part *multipart.Part) error {
	name := part.FormName()
	if name == "" {
		return malformedPart("", "A part has no name.")
	}
	if !utf8.ValidString(name) {
		return model.Invalidf(CodeTextInvalid, "", "The name of a part is not valid UTF-8.")
	}
	// Quoted-printable is decoded by the package, which takes the header away.
	switch strings.ToLower(part.Header.Get("Content-Transfer-Encoding")) {
	case "", "7bit", "8bit", "binary":
	default:
		return malformedPart(name, "The part has a transfer encoding that cannot be read.")
	}
	sent, named := sentName(part.Header.Get("Content-Disposition"))
	if file, ok := p.Files[name]; ok && (named || !file.OrText) {
		return p.keepFile(ctx, part, name, sent, file)
	}
	if _, kept := p.into.File(name); kept {
		return repeated(name)
	}
	room := &p.texts
	if named {
		room = &p.named
	}
	value, err := p.readText(name, part, room)
	flaw, _ := errors.AsType[*model.Error](err)
	switch {
	case err == nil:
		value, flaw = p.decodePart(name, value, part.Header.Get("Content-Type"))
	case named && flaw != nil && flaw.Code == CodeBodyTooLarge:
		if _, err := io.Copy(io.Discard, part); err != nil {
			return err
		}
	default:
		return err
	}
	if flaw != nil && !named {
		return flaw
	}
	// Else it is a file under a name that may be no field at all: a fault only where an endpoint
	// wants the field.
	if p.into.full() {
		return tooManyFields(p.into.most)
	}
	p.into.putText(name, value, flaw)
	return nil
}

// decodePart returns the text of a part in UTF-8, or what is wrong with it. Its charset is its own,
// else that of a part `_charset_` before it (RFC 7578, section 4.6).
func (p *partReader[T]) decodePart(name, value, contentType string) (string, *model.Error) {
	from := p.charset
	if _, params, err := mime.ParseMediaType(contentType); err == nil && params["charset"] != "" {
		var fault *model.Error
		if from, fault = charsetNamed(params["charset"], name); fault != nil {
			return "", fault
		}
	}
	value = decode(value, from)
	if !utf8.ValidString(value) {
		return "", model.Invalidf(CodeTextInvalid, shownName(name), "The text is not valid UTF-8.")
	}
	if name != charsetField {
		return value, nil
	}
	var fault *model.Error
	p.charset, fault = charsetNamed(value, name)
	return value, fault
}

// readText reads a text part, whose name counts too, into the room that is left.
func (p *partReader[T]) readText(name string, part io.Reader, room *int64) (string, error) {
	isLimited := p.Limits.BodyBytes > 0
	buffer := buffers.Get().(*buffer)
	defer buffer.release()
	*room -= int64(len(name))
	if isLimited {
		part = &source{from: part, limited: true, limit: *room, left: max(*room, 0)}
	}
	text, err := buffer.readAll(part, p.into.hold)
	*room -= int64(len(text))
	if errors.Is(err, errPastLimit) || isLimited && *room < 0 {
		return "", &model.Error{Kind: model.TooLarge, Code: CodeBodyTooLarge, Field: shownName(name),
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
func partFault(err error, body *source, field string) error {
	_, told := errors.AsType[*model.Error](err)
	switch {
	case told:
		return err
	case errors.Is(body.err, errPastLimit):
		return bodyTooLarge(body.limit)
	case body.err != nil && body.err != io.EOF:
		return bodyFault(body.err, body.limit)
	case errors.Is(err, errKeep):
		return err
	case errors.Is(err, errLongHead):
		return malformedPart(field, "The head of a part is too long.")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return bodyFault(err, body.limit)
	}
	return malformedPart(field, "The multipart body is malformed.")
}

func malformedPart(name, message string) error {
	return model.Invalidf(CodeBodyInvalid, shownName(name), "%s", message)
}

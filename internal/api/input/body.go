package input

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"signet/internal/model"
)

// Limits bound what a request may carry; 0 is no limit.
type Limits struct {
	BodyBytes int64 // of a JSON or form body, and of the texts of a multipart body together
	FileBytes int64 // of a file whose field has no limit of its own
	Fields    int   // names and values of a body or a query
	Parts     int   // of a multipart body
}

// Patience is the time that a client has for a small body where nobody says.
const Patience = 30 * time.Second

// Reader reads the bodies of one endpoint's requests. T is what the endpoint gets of
// a file. It does not change once made, and is safe for concurrent use.
type Reader[T any] struct {
	Limits   Limits
	Patience time.Duration // that a client has for a small body; 0: no end
	// Always reads the body of a GET or DELETE too, which is ignored otherwise.
	Always bool
	// Document keeps the body as the one JSON document that it is, which may also come as application/scim+json,
	// and takes no other types.
	Document bool
	Files    map[string]FileField[T] // the fields that are files in a multipart body
}

// Body is what a body said.
type Body[T any] struct {
	Fields
	Document map[string]any // the whole, where the reader keeps that; nil: there was none
	Sent     bool           // there was one, and it was not blank
	Bytes    int64          // that were read
	// Hold asks for memory for so many bytes more, before they are kept; its error is
	// what to answer. nil: there is enough.
	Hold func(bytes int) error
	// Crowded reports whether that memory is getting short: a text that comes slowly is given
	// less time then. nil: it is not.
	Crowded func() bool
	// Admit is asked before a file is kept; its error is what to answer. nil: each is.
	Admit func() error
	// Refuse tells, by the fields that came before a file, with which error the endpoint
	// refuses the request whatever comes after it; nil: with none. The file is then read
	// and not kept, and the error is in Refused, to be answered unless the rest of the body
	// is wrong as well.
	Refuse  func() error
	Refused error
	files   []keptFile[T]
}

// The content types that a request may have, and what is none of them.
const (
	typeJSON      = "application/json"
	typeForm      = "application/x-www-form-urlencoded"
	typeMultipart = "multipart/form-data"
	typeSCIM      = "application/scim+json" // RFC 7644, section 8.1
	typeOther     = ""
)

// contentType returns which of the content types a request has, and its parameters: the boundary
// of a multipart body, the charset of another. A coded body (Content-Encoding) is of no type that
// can be read, nor is one of two types.
func contentType(h http.Header) (kind string, params map[string]string) {
	if isCoded(h) || len(h["Content-Type"]) > 1 {
		return typeOther, nil
	}
	given := h.Get("Content-Type")
	if given == typeJSON {
		return typeJSON, nil
	}
	kind, _, _ = strings.Cut(given, ";")
	switch kind = strings.ToLower(strings.TrimSpace(kind)); kind {
	case typeMultipart, typeJSON, typeForm, typeSCIM:
		if _, found, err := mime.ParseMediaType(given); err == nil {
			params = found
		}
		return kind, params
	}
	return typeOther, nil
}

// Read reads the body of a request: what is too large is refused first, then what is
// of another type, then what is malformed. A body that turns out empty has no
// fields, whatever its type. The answer's writer sets the deadline of the connection;
// nil sets none. Files that were kept are in the body even when Read fails.
func (reader *Reader[T]) Read(ctx context.Context, w http.ResponseWriter, r *http.Request, into *Body[T]) error {
	into.most = reader.Limits.Fields
	if !reader.Always && !carriesBody(r.Method) || r.ContentLength == 0 {
		return nil
	}
	kind, params := contentType(r.Header)
	if text := kind == typeSCIM || kind == typeJSON; reader.Document && !text || !reader.Document && kind == typeSCIM {
		kind = typeOther
	}
	limit := reader.Limits.BodyBytes
	if kind == typeMultipart {
		limit = reader.multipartLimit()
	}
	if limit > 0 && r.ContentLength > limit {
		return reader.announcedTooLarge(kind, limit)
	}
	source := limited(r.Body, limit)
	defer func() { into.Bytes = source.count }()
	if reader.Patience > 0 && w != nil {
		if kind != typeMultipart { // whose file takes no memory
			source.crowded = into.Crowded
		}
		source.hurry(http.NewResponseController(w), reader.Patience)
		defer source.release()
	}
	switch kind {
	case typeMultipart:
		return reader.readMultipart(ctx, r, source, params["boundary"], into)
	case typeOther:
		return refuseType(r, source, unsupported(r.Header, reader.Document))
	}
	from, unknown := charsetNamed(params["charset"], "")
	if unknown != nil {
		return refuseType(r, source, unknown)
	}
	buffer := buffers.Get().(*buffer)
	defer buffer.release()
	text, err := buffer.readAll(source, into.hold)
	if err != nil {
		return bodyFault(err, limit)
	}
	into.Sent = len(bytes.TrimSpace(text)) > 0
	fault := reader.parse(kind, text, from, into)
	if fault != nil {
		return fault
	}
	return reader.wantFiles(&into.Fields)
}

// parse reads the text of a body that is JSON or a form.
func (reader *Reader[T]) parse(kind string, text []byte, from *charset, into *Body[T]) (fault *model.Error) {
	if kind == typeForm {
		return parseForm(string(text), from, &into.Fields)
	}
	if from != nil {
		text = []byte(decode(string(text), from))
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // some systems put a mark of the byte order in front of all text
	if !reader.Document {
		return parseJSON(text, &into.Fields)
	}
	into.Document, fault = parseDocument(text)
	return fault
}

// refuseType refuses a body of another type, after it has made sure that there
// is one: with a chunked encoding only reading tells that, and whether it is too
// large besides.
func refuseType(r *http.Request, body *source, refusal error) error {
	most := int64(1)
	if r.ContentLength < 0 && body.limited {
		most = body.left + 1
	}
	switch n, err := io.CopyN(io.Discard, body, most); {
	case n == 0 && err == io.EOF:
		return nil
	case n > 0 && !errors.Is(err, errPastLimit):
		return refusal
	default:
		return bodyFault(err, body.limit)
	}
}

// carriesBody reports whether requests of a method have a body to read even
// where the endpoint does not say so.
func carriesBody(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodDelete
}

// wantFiles refuses text in place of a file.
func (reader *Reader[T]) wantFiles(f *Fields) error {
	for name, file := range reader.Files {
		if !file.OrText && f.Has(name) {
			return model.Invalidf(CodeFieldInvalid, name, "The field is a file: send it as a part of multipart/form-data.")
		}
	}
	return nil
}

// announcedTooLarge refuses a body by the length that its head tells. Where it
// can hold one file, that is what makes it so long.
func (reader *Reader[T]) announcedTooLarge(kind string, limit int64) error {
	if kind == typeMultipart && len(reader.Files) == 1 {
		for name, file := range reader.Files {
			return fileTooLarge(name, reader.fileLimit(file))
		}
	}
	return bodyTooLarge(limit)
}

func bodyTooLarge(limit int64) error {
	return &model.Error{Kind: model.TooLarge, Code: CodeBodyTooLarge,
		Message: "The body is larger than " + sizeText(limit) + "."}
}

func unsupported(h http.Header, document bool) error {
	message := "The body has to be application/json, application/x-www-form-urlencoded or multipart/form-data."
	if document {
		message = "The body has to be application/scim+json or application/json."
	}
	if isCoded(h) {
		message = "The body has to come as it is, without a Content-Encoding."
	}
	return &model.Error{Kind: model.UnsupportedType, Code: CodeTypeUnsupported, Message: message}
}

// isCoded reports whether a body is compressed, or coded otherwise.
func isCoded(h http.Header) bool {
	coding := h.Get("Content-Encoding")
	return coding != "" && !strings.EqualFold(coding, "identity")
}

// bodyFault is what to answer where a body could not be read to its end. Unless it is
// too large, or memory too short, that is the client's doing, and of no interest to the
// log.
func bodyFault(err error, limit int64) error {
	if errors.Is(err, errPastLimit) {
		return bodyTooLarge(limit)
	}
	if _, told := errors.AsType[*model.Error](err); told {
		return err
	}
	return &model.Error{Kind: model.Invalid, Code: CodeBodyIncomplete, Message: "The body ended early.", Cause: err}
}

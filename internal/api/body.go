package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"signet/internal/model"
)

// The content types that a request may have, and what is none of them.
const (
	jsonType      = "application/json"
	formType      = "application/x-www-form-urlencoded"
	multipartType = "multipart/form-data"
	otherType     = ""
)

// contentType returns which of the content types a request has, and a
// multipart's boundary. Parameters such as a charset change nothing. A coded
// body (Content-Encoding) is of no type that can be read, nor is one of two types.
func contentType(h http.Header) (kind, boundary string) {
	if isCoded(h) || len(h["Content-Type"]) > 1 {
		return otherType, ""
	}
	given := h.Get("Content-Type")
	if given == jsonType {
		return jsonType, ""
	}
	kind, _, _ = strings.Cut(given, ";")
	switch kind = strings.ToLower(strings.TrimSpace(kind)); kind {
	case multipartType:
		if _, params, err := mime.ParseMediaType(given); err == nil {
			boundary = params["boundary"]
		}
		return multipartType, boundary
	case jsonType, formType:
		return kind, ""
	}
	return otherType, ""
}

// readBody reads the body into the call's fields and files: what is too large is
// refused first, then what is of another type, then what is malformed. A body
// that turns out empty has no fields, whatever its type.
func (a *API) readBody(ctx context.Context, c *call) error {
	r, route := c.request, &c.endpoint.route
	if route.method == http.MethodDelete {
		c.fields.beside = c.besideBody
	}
	if !route.fields && !carriesBody(c.endpoint.method) || r.ContentLength == 0 {
		return nil
	}
	kind, boundary := contentType(r.Header)
	limit := a.limits.BodyBytes
	if kind == multipartType {
		limit = a.multipartLimit(route)
	}
	if limit > 0 && r.ContentLength > limit {
		return a.announcedTooLarge(route, kind, limit)
	}
	body := a.openBody(c, limit)
	defer body.release()
	switch kind {
	case multipartType:
		return a.readMultipart(ctx, c, body, boundary)
	case otherType:
		return refuseType(r, body)
	}
	buffer := bodyBuffers.Get().(*bodyBuffer)
	defer buffer.release()
	text, err := buffer.readAll(body)
	if err != nil {
		return bodyFault(err, limit)
	}
	c.sentBody = len(bytes.TrimSpace(text)) > 0
	var fault *model.Error
	if kind == jsonType {
		// Some systems put a mark of the byte order in front of all text.
		fault = parseJSON(strings.TrimPrefix(string(text), "\ufeff"), &c.fields)
	} else {
		fault = parseForm(string(text), &c.fields)
	}
	if fault != nil {
		return fault
	}
	return wantFiles(route, &c.fields)
}

// refuseType refuses a body of another type, after it has made sure that there
// is one: with a chunked encoding only reading tells that, and whether it is too
// large besides.
func refuseType(r *http.Request, body *bodyReader) error {
	most := int64(1)
	if r.ContentLength < 0 && body.limited {
		most = body.left + 1
	}
	switch n, err := io.CopyN(io.Discard, body, most); {
	case n == 0 && err == io.EOF:
		return nil
	case n > 0 && !errors.Is(err, errPastLimit):
		return unsupported(r.Header)
	default:
		return bodyFault(err, body.limit)
	}
}

// carriesBody reports whether requests of a method have a body to read even
// where the route does not say so.
func carriesBody(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodDelete
}

// wantFiles refuses text in place of a file.
func wantFiles(route *route, f *fields) error {
	for name, file := range route.files {
		if !file.orText && f.Has(name) {
			return model.Invalidf(codeFieldInvalid, name, "The field is a file: send it as a part of multipart/form-data.")
		}
	}
	return nil
}

// announcedTooLarge refuses a body by the length that its head tells. Where it
// can hold one file, that is what makes it so long.
func (a *API) announcedTooLarge(route *route, kind string, limit int64) error {
	if kind == multipartType && len(route.files) == 1 {
		for name, file := range route.files {
			return fileTooLarge(name, a.fileLimit(file))
		}
	}
	return bodyTooLarge(limit)
}

func bodyTooLarge(limit int64) error {
	return &model.Error{Kind: model.TooLarge, Code: codeBodyTooLarge,
		Message: "The body is larger than " + bytesText(limit) + "."}
}

func unsupported(h http.Header) error {
	message := "The body has to be application/json, application/x-www-form-urlencoded or multipart/form-data."
	if isCoded(h) {
		message = "The body has to come as it is, without a Content-Encoding."
	}
	return &model.Error{Kind: model.UnsupportedType, Code: codeTypeUnsupported, Message: message}
}

// isCoded reports whether a body is compressed, or coded otherwise.
func isCoded(h http.Header) bool {
	coding := h.Get("Content-Encoding")
	return coding != "" && !strings.EqualFold(coding, "identity")
}

// bodyFault is what to answer where a body could not be read to its end. Unless
// it is too large that is the client's doing, and of no interest to the log.
func bodyFault(err error, limit int64) error {
	if errors.Is(err, errPastLimit) {
		return bodyTooLarge(limit)
	}
	return &model.Error{Kind: model.Invalid, Code: codeBodyIncomplete, Message: "The body ended early.", Cause: err}
}

// errPastLimit is what a bodyReader returns for the byte after the last one
// allowed.
var errPastLimit = errors.New("body is past its limit")

// bodyReader reads a request's body up to a limit, and gives up on a client that
// takes far too long to send it.
type bodyReader struct {
	source  io.Reader
	limited bool
	limit   int64
	left    int64 // bytes until the limit
	count   int64 // bytes read
	err     error // what ended the reading, io.EOF included

	conn     *http.ResponseController // nil: no deadline
	started  time.Time
	patience time.Duration
	renewed  int64 // count when the deadline was set
}

const (
	// bodyPatience is the time that a client has for a small body.
	bodyPatience = 30 * time.Second
	// patienceByByte is what each byte received adds to it: a large body may take
	// its time, at a thousand bytes a second or more.
	patienceByByte = time.Millisecond
	// renewEvery is how many bytes move the deadline.
	renewEvery = 16 << 10
)

// openBody starts to read the body of a call; 0 is no limit.
func (a *API) openBody(c *call, limit int64) *bodyReader {
	b := &bodyReader{source: c.request.Body, limited: limit > 0, limit: limit, left: limit}
	if a.bodyPatience > 0 {
		// Deadlines of connections are of the system's clock, so the injected one
		// cannot serve here.
		b.conn, b.started, b.patience = http.NewResponseController(c.writer.ResponseWriter), time.Now(), a.bodyPatience
		b.renew()
	}
	return b
}

func (b *bodyReader) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.limited && int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	if b.conn != nil && b.count-b.renewed >= renewEvery {
		b.renew()
	}
	n, err := b.source.Read(p)
	if b.limited && int64(n) > b.left {
		n, err = int(b.left), errPastLimit
	}
	b.left -= int64(n)
	b.count += int64(n)
	b.err = err
	return n, err
}

// renew moves the deadline to where what was received so far allows. A writer
// without a connection below it, as in a test, has none.
func (b *bodyReader) renew() {
	b.renewed = b.count
	_ = b.conn.SetReadDeadline(b.started.Add(b.patience + time.Duration(b.count)*patienceByByte))
}

// release lifts the deadline: net/http goes on watching the connection while the
// call runs, and would take a deadline that passes for the client's leaving.
func (b *bodyReader) release() {
	if b.conn != nil {
		_ = b.conn.SetReadDeadline(time.Time{})
	}
}

// bodyBuffer is reused memory for bodies.
type bodyBuffer struct{ bytes []byte }

var bodyBuffers = sync.Pool{New: func() any { return &bodyBuffer{bytes: make([]byte, 4<<10)} }}

// keptBuffer is the largest buffer that is kept for the next call: a few large
// bodies must not make every buffer large for good.
const keptBuffer = 64 << 10

func (b *bodyBuffer) release() {
	if len(b.bytes) <= keptBuffer {
		bodyBuffers.Put(b)
	}
}

// readAll reads to the end. The result is valid until release.
func (b *bodyBuffer) readAll(r io.Reader) ([]byte, error) {
	n := 0
	for {
		if n == len(b.bytes) {
			b.bytes = append(b.bytes, make([]byte, len(b.bytes))...)
		}
		m, err := r.Read(b.bytes[n:])
		n += m
		if err == io.EOF {
			return b.bytes[:n], nil
		}
		if err != nil {
			return b.bytes[:n], err
		}
	}
}

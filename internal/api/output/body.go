package output

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"signet/internal/api/wire"
)

// Body is the text of an answer while it is made, in memory that is used again.
type Body struct {
	bytes.Buffer
	json *json.Encoder
}

var bodies = sync.Pool{New: func() any {
	b := new(Body)
	b.json = json.NewEncoder(&b.Buffer)
	b.json.SetEscapeHTML(false)
	return b
}}

// NewBody returns an empty body, which its user releases.
func NewBody() *Body { return bodies.Get().(*Body) }

// Release gives the memory of a body back.
func (b *Body) Release() {
	if b.Cap() <= KeptBuffer {
		b.Reset()
		bodies.Put(b)
	}
}

// Settle gives back the memory of a large text that it grew beyond: a client may take long.
func (b *Body) Settle() {
	if n := b.Len(); n > KeptBuffer && b.Cap() > n+n/8 {
		b.Buffer = *bytes.NewBuffer(bytes.Clone(b.Bytes()))
	}
}

// Encode appends a value as JSON.
func (b *Body) Encode(v any) error {
	if by, ok := v.(wire.Text); ok {
		b.Grow(by.Usual)
		text, err := by.Append(b.AvailableBuffer())
		b.Write(text) // where it is already, if it had room
		return err
	}
	err := b.json.Encode(v)
	b.Truncate(max(b.Len()-1, 0)) // the line end
	return err
}

// ReplyBegin is what the envelope of every success begins with. A brace ends it.
const ReplyBegin = `{"status":"success","reply":`

// EncodeReply appends a value in its envelope.
func (b *Body) EncodeReply(v any) error {
	b.WriteString(ReplyBegin)
	if err := b.Encode(v); err != nil {
		return err
	}
	b.WriteByte('}')
	return nil
}

// KeptBuffer is the largest buffer that is kept for the next call, in bytes: a few
// large answers must not make each buffer large for good.
const KeptBuffer = 64 << 10

// compressFrom is the size in bytes past which a body is compressed for clients
// that ask for it.
const compressFrom = 1 << 10

// Send writes a JSON body. Whether it arrives is not known here, and nothing that
// the caller could do about it.
func Send(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	sendAs(w, r, status, jsonContent, body)
}

// SendAs is Send of a text of another type.
func SendAs(w http.ResponseWriter, r *http.Request, status int, contentType string, body []byte) {
	sendAs(w, r, status, []string{contentType}, body)
}

func sendAs(w http.ResponseWriter, r *http.Request, status int, contentType []string, body []byte) {
	h := w.Header()
	h["Content-Type"] = contentType
	if len(body) > compressFrom {
		h["Vary"] = append(h["Vary"], "Accept-Encoding")
		if acceptsGzip(r.Header["Accept-Encoding"]) {
			sendGzip(w, h, status, body)
			return
		}
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

var jsonContent = []string{"application/json"}

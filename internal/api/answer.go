package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"signet/internal/api/guard"
	"signet/internal/api/wire"
)

// answer is what an endpoint says to a call that it carried out.
type answer struct {
	status  int // 0: the endpoint has written its answer itself
	reply   any
	encoded *encoder // the reply, envelope and all, in place of it
	headers []header
	stream  bool
}

// header is one header of an answer. The name goes out as it is spelt.
type header struct{ name, value string }

// noContent is success without data: 204, with what there is to say in headers.
func noContent(headers ...header) answer {
	return answer{status: http.StatusNoContent, headers: headers}
}

// reply is success with data: 200 and the envelope around v, which
// encoding/json writes.
func reply(v any, headers ...header) answer {
	return answer{status: http.StatusOK, reply: v, headers: headers}
}

// notModified is 304: a repeated Request-ID, or an ETag that matches.
func notModified(headers ...header) answer {
	return answer{status: http.StatusNotModified, headers: headers}
}

// written tells that the endpoint has written its answer to the call's writer,
// an attachment's bytes for example.
func written() answer { return answer{} }

// streamed tells the same of an event stream or a WebSocket, whose duration says
// nothing of the server's speed and is not measured.
func streamed() answer { return answer{stream: true} }

// write sends what an endpoint answered. An error means that nothing was sent.
func (a *API) write(c *call, out answer) error {
	c.streamed = out.stream
	if out.status == 0 {
		return nil
	}
	h := c.writer.Header()
	for _, header := range out.headers {
		h[header.name] = []string{header.value}
	}
	if out.status != http.StatusOK {
		c.writer.WriteHeader(out.status)
		return nil
	}
	e := out.encoded
	if e == nil {
		e = encoders.Get().(*encoder)
	}
	defer e.release()
	if out.encoded == nil {
		err := e.encodeReply(out.reply)
		out.reply = nil // a slow client would keep it, too
		if err != nil {
			return err
		}
	}
	if c.onlyReads() && c.answer == (guard.Held{}) { // a poll took it as it read
		c.answer = a.answers.Hold(c.actor.Key.Counter)
		if err := c.answer.Take(e.buffer.Len()); err != nil {
			return err
		}
	}
	if c.actor != nil {
		a.charge(c, costOfAnswer(e.buffer.Len()))
	}
	e.settle()
	c.large.Leave()
	send(&c.writer, c.request, out.status, e.buffer.Bytes())
	return nil
}

// What answers may take that are on their way to clients which read them slowly: of all
// together, and the part of one key. bodyParts are those of limits.body_memory_bytes.
const (
	answerMemory = 32 << 20
	answerParts  = 4
	bodyParts    = 8
)

// largeAnswers is how many large answers are made at a time.
const largeAnswers = 2

// onlyReads reports whether nothing is lost with the answer, which can be asked for again.
func (c *call) onlyReads() bool {
	e := c.endpoint
	reads := e.reads || e.method == http.MethodGet && (e.changes == nil || !e.changes(c))
	return c.actor != nil && reads
}

// encoder is reused memory for bodies.
type encoder struct {
	buffer bytes.Buffer
	json   *json.Encoder
}

var encoders = sync.Pool{New: func() any {
	e := new(encoder)
	e.json = json.NewEncoder(&e.buffer)
	e.json.SetEscapeHTML(false)
	return e
}}

func (e *encoder) release() {
	if e.buffer.Cap() <= keptBuffer {
		e.buffer.Reset()
		encoders.Put(e)
	}
}

// settle gives back the memory of a large text that it grew beyond: a client may take long.
func (e *encoder) settle() {
	if n := e.buffer.Len(); n > keptBuffer && e.buffer.Cap() > n+n/8 {
		e.buffer = *bytes.NewBuffer(bytes.Clone(e.buffer.Bytes()))
	}
}

func (e *encoder) encode(v any) error {
	if by, ok := v.(wire.Text); ok {
		e.buffer.Grow(by.Usual)
		text, err := by.Append(e.buffer.AvailableBuffer())
		e.buffer.Write(text) // where it is already, if it had room
		return err
	}
	err := e.json.Encode(v)
	e.buffer.Truncate(max(e.buffer.Len()-1, 0)) // the line end
	return err
}

const replyBegin = `{"status":"success","reply":`

func (e *encoder) encodeReply(v any) error {
	e.buffer.WriteString(replyBegin)
	if err := e.encode(v); err != nil {
		return err
	}
	e.buffer.WriteByte('}')
	return nil
}

// keptBuffer is the largest buffer that is kept for the next call, in bytes: a few
// large answers must not make each buffer large for good.
const keptBuffer = 64 << 10

// compressFrom is the size in bytes past which a body is compressed for clients
// that ask for it.
const compressFrom = 1 << 10

// send writes a JSON body. Whether it arrives is not known here, and nothing that
// the caller could do about it.
func send(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = jsonContent
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

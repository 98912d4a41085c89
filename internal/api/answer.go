package api

import (
	"net/http"

	"signet/internal/api/guard"
	"signet/internal/api/output"
)

// answer is what an endpoint says to a call that it carried out.
type answer struct {
	status  int // 0: the endpoint has written its answer itself
	reply   any
	encoded *output.Body // the reply, envelope and all, in place of it
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
		e = output.NewBody()
	}
	defer e.Release()
	if out.encoded == nil {
		err := e.EncodeReply(out.reply)
		out.reply = nil // a slow client would keep it, too
		if err != nil {
			return err
		}
	}
	if c.onlyReads() && c.answer == (guard.Held{}) { // a poll took it as it read
		c.answer = a.answers.Hold(c.actor.Key.Counter)
		if err := c.answer.Take(e.Len()); err != nil {
			return err
		}
	}
	if c.actor != nil {
		a.charge(c, costOfAnswer(e.Len()))
	}
	e.Settle()
	c.large.Leave()
	output.Send(&c.writer, c.request, out.status, e.Bytes())
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

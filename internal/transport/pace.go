package transport

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	// restTimeout is for the rest of a body once its handler has returned. net/http
	// reads it, so that a client that writes first and reads later finds its answer.
	restTimeout = 5 * time.Second
	// writePiece is how many bytes of an answer get a time limit of their own, so
	// that a large answer survives a connection that is merely slow.
	writePiece = 32 << 10
	// lastPiece is up to how many bytes the rest is written at once, with more time
	// in proportion: a poll of 50 messages has so many, and a second write was a
	// tenth of its cost.
	lastPiece = writePiece + writePiece/2
)

// beforeAnswer is how long the first piece of an answer may take. It includes the
// time for a body, because net/http reads the rest of a body before it writes the
// first byte.
func (t Timeouts) beforeAnswer() time.Duration { return t.Body + t.Write }

// pace ends a connection when its client stands still, without limiting how long a
// request may take: a stream lasts for ever, and a download on a bad link for hours,
// as long as bytes move. A single time limit for a whole request
// (http.Server.ReadTimeout, WriteTimeout) could not tell these from a client that has
// gone.
func (t Timeouts) pace(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &pacedWriter{ResponseWriter: w, control: *http.NewResponseController(w), patience: t.Write,
			multiplexed: r.ProtoMajor > 1, request: r}
		out.rest() // of HTTP/2, where a request may last longer than WriteTimeout before its first write
		hasBody := r.ContentLength != 0
		var body *watchedBody
		if hasBody {
			out.patience = t.beforeAnswer()
			out.expectBody(t.Body)
			if r.Header["Expect"] != nil {
				body = &watchedBody{ReadCloser: r.Body}
				r = r.WithContext(r.Context()) // this copy may have another body
				r.Body = body
			}
		}
		next.ServeHTTP(out, r)
		if out.hijacked {
			return
		}
		if hasBody {
			out.expectBody(min(restTimeout, t.Body))
		}
		if body != nil && !body.ended {
			lingerAfter(w)
		}
		out.prolong() // what is buffered, or an answer without a body, is written only now
	})
}

// watchedBody notes whether it was read to its end.
type watchedBody struct {
	io.ReadCloser
	ended bool
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.ended = b.ended || err == io.EOF
	return n, err
}

// lingerAfter makes net/http close the connection in two steps, so that a client
// that still sends finds its answer before it finds the connection reset.
// net/http does it by itself where a body was left unread, but not after an
// "Expect: 100-continue" (closedRequestBodyEarly does not know that kind of
// body), which is what clients with a large file send. A body past the limit of a
// MaxBytesReader is the way to ask for it.
func lingerAfter(w http.ResponseWriter) {
	limited := http.MaxBytesReader(w, io.NopCloser(strings.NewReader("more")), 0)
	_, _ = limited.Read(make([]byte, 1)) // fails, as it is to
}

// pacedWriter moves the deadline of its connection with each write, unless the
// handler sets deadlines itself.
type pacedWriter struct {
	http.ResponseWriter
	control     http.ResponseController
	patience    time.Duration // for each piece
	multiplexed bool          // HTTP/2: see rest
	request     *http.Request // of which nothing is asked but its connection
	announced   bool          // the head is there, with the length of a body of which nothing is
	own         bool          // the handler sees to the deadlines
	hijacked    bool          // the connection is no longer the server's
}

// Errors of the deadlines are those of connections that have none, such as a
// recorder in a test. They are served like any other.

func (w *pacedWriter) expectBody(within time.Duration) {
	_ = w.control.SetReadDeadline(time.Now().Add(within))
}

func (w *pacedWriter) prolong() { w.prolongFor(writePiece) }

func (w *pacedWriter) prolongFor(bytes int) {
	if !w.own {
		patience := w.patience * time.Duration(max(bytes, writePiece)) / writePiece
		_ = w.control.SetWriteDeadline(time.Now().Add(patience))
	}
}

// rest lifts the deadline between writes. In HTTP/1 a deadline that passes then does
// no harm, and is set again before the next write; in HTTP/2 it ends the stream.
func (w *pacedWriter) rest() {
	if w.multiplexed {
		_ = w.control.SetWriteDeadline(time.Time{})
	}
}

func (w *pacedWriter) Write(p []byte) (n int, err error) {
	for {
		piece := p
		if len(p) > lastPiece {
			piece = p[:writePiece]
		}
		w.prolongFor(len(piece))
		m, err := w.pass(piece)
		n += m
		if p = p[len(piece):]; err != nil || len(p) == 0 {
			if !w.own {
				w.rest()
			}
			return n, err
		}
	}
}

// pass passes a piece on. Where it is the first one of its answer, and the connection is
// there for this answer alone, the head goes with it in one write.
func (w *pacedWriter) pass(piece []byte) (int, error) {
	first := w.announced
	w.announced = false
	if !first || len(piece) < joinFrom || w.multiplexed {
		return w.ResponseWriter.Write(piece)
	}
	c := connectionOf(w.request.Context())
	if c == nil {
		return w.ResponseWriter.Write(piece)
	}
	c.join()
	n, err := w.ResponseWriter.Write(piece)
	if err == nil {
		err = w.control.Flush() // the rest, where it is so short that net/http keeps it
	}
	return n, errors.Join(err, c.part())
}

func (w *pacedWriter) WriteHeader(status int) {
	w.announced = len(w.Header()["Content-Length"]) > 0
	w.prolong()
	w.ResponseWriter.WriteHeader(status)
	if !w.own {
		w.rest()
	}
}

// SetWriteDeadline is found by http.ResponseController.
func (w *pacedWriter) SetWriteDeadline(deadline time.Time) error {
	w.own = true
	return w.control.SetWriteDeadline(deadline)
}

// FlushError is found by http.ResponseController, Flush by all else. It ends
// what a handler writes within a deadline of its own.
func (w *pacedWriter) FlushError() error {
	w.prolong()
	defer w.rest()
	return w.control.Flush()
}

// Flush sends what is buffered.
func (w *pacedWriter) Flush() { _ = w.FlushError() }

// Hijack hands the connection over, without deadlines.
func (w *pacedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.own, w.hijacked = true, true
	return w.control.Hijack()
}

// Unwrap is for http.ResponseController.
func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

package openapitest

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// Middleware compares what a handler gets and answers. Flushing, taking the
// connection over, deadlines and copying from files work as without it. An
// answer that a panic cuts off is not compared.
func (v *Validator) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{request: r}
		r, x.sent = captureBody(r)
		rec := &recorder{ResponseWriter: w, validator: v, exchange: x}
		next.ServeHTTP(rec, r)
		if x.status == 0 {
			rec.begin(http.StatusOK)
		}
		v.check(x)
	})
}

// recorder passes an answer on, and keeps the part that will be compared.
type recorder struct {
	http.ResponseWriter
	validator *Validator
	exchange  *exchange
	kept      bool
	stream    *stream // of an event stream
}

// begin notes the head of the answer.
func (w *recorder) begin(status int) {
	x := w.exchange
	if x.status != 0 {
		return
	}
	x.status, x.header = status, w.Header().Clone()
	w.kept = keeps(x.header)
	if isEventStream(x.header) {
		w.stream = w.validator.newStream(x)
	}
}

// WriteHeader writes the head. What is only on the way (103, say) is none yet.
func (w *recorder) WriteHeader(status int) {
	if status >= http.StatusOK || status == http.StatusSwitchingProtocols {
		w.begin(status)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	w.begin(http.StatusOK)
	n, err := w.ResponseWriter.Write(p)
	w.note(p[:n], err)
	return n, err
}

// note keeps what was written. HEAD has no body, but its handler may write one,
// which is then compared all the same. Where the client is gone, how much got to
// it says nothing.
func (w *recorder) note(p []byte, err error) {
	x := w.exchange
	if w.kept {
		x.body = append(x.body, p...)
	}
	if w.stream != nil {
		w.stream.write(p)
	}
	if err != nil {
		x.length = -1
	} else if x.length >= 0 {
		x.length += int64(len(p))
	}
}

// ReadFrom copies a file as fast as the server can, where nothing of it is kept.
func (w *recorder) ReadFrom(r io.Reader) (int64, error) {
	w.begin(http.StatusOK)
	if w.kept || w.stream != nil {
		return io.Copy(struct{ io.Writer }{w}, r)
	}
	n, err := io.Copy(w.ResponseWriter, r)
	if err != nil {
		w.exchange.length = -1
	} else if w.exchange.length >= 0 {
		w.exchange.length += n
	}
	return n, err
}

// Flush sends what was written so far.
func (w *recorder) Flush() { _ = w.FlushError() }

// FlushError is Flush for http.ResponseController.
func (w *recorder) FlushError() error {
	w.begin(http.StatusOK)
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Hijack hands the connection over. What goes over it then is not seen here, unless
// it goes on with an event stream.
func (w *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil && w.stream != nil {
		conn = &streamConn{conn, w.stream}
	}
	if err == nil && w.exchange.status == 0 {
		w.exchange.hijacked = true
		w.begin(http.StatusSwitchingProtocols)
	}
	return conn, buffered, err
}

// Unwrap gives http.ResponseController the writer below.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// streamConn is a connection over which the rest of an event stream goes.
type streamConn struct {
	net.Conn
	stream *stream
}

func (c *streamConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.stream.write(p[:n])
	return n, err
}

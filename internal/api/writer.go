package api

import (
	"bufio"
	"errors"
	"net"
	"net/http"
)

// responseWriter passes an answer on and remembers its status. It can do what
// net/http's own can: flush, and be taken over (WebSocket).
type responseWriter struct {
	http.ResponseWriter
	status int  // 0 until the head was written
	failed bool // the connection does not take any more
	bytes  int64
}

// WriteHeader writes the head of the answer; only the first final status counts.
func (w *responseWriter) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	if status >= http.StatusOK || status == http.StatusSwitchingProtocols {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *responseWriter) Write(p []byte) (int, error) {
	w.begin()
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	// A body that is longer than announced, or that the status does not allow, is
	// a defect of the endpoint and not the client's leaving.
	w.failed = w.failed || err != nil && !errors.Is(err, http.ErrContentLength) && !errors.Is(err, http.ErrBodyNotAllowed)
	return n, err
}

func (w *responseWriter) begin() {
	if w.status == 0 {
		w.status = http.StatusOK
	}
}

// Flush sends what was written so far.
func (w *responseWriter) Flush() {
	w.begin()
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Hijack hands the connection over, to a WebSocket or an event stream.
func (w *responseWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil && w.status == 0 {
		w.status = http.StatusSwitchingProtocols
	}
	return conn, buffered, err
}

// Unwrap gives http.ResponseController the writer below.
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

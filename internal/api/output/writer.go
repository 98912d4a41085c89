package output

import (
	"bufio"
	"errors"
	"net"
	"net/http"
)

// Writer passes an answer on and remembers its status. It can do what
// net/http's own can: flush, and be taken over (WebSocket).
type Writer struct {
	http.ResponseWriter
	Status int   // 0 until the head was written
	Failed bool  // the connection does not take any more
	Bytes  int64 // of the body
}

// WriteHeader writes the head of the answer; only the first final status counts.
func (w *Writer) WriteHeader(status int) {
	if w.Status != 0 {
		return
	}
	if status >= http.StatusOK || status == http.StatusSwitchingProtocols {
		w.Status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *Writer) Write(p []byte) (int, error) {
	w.begin()
	n, err := w.ResponseWriter.Write(p)
	w.Bytes += int64(n)
	// A body that is longer than announced, or that the status does not allow, is
	// a defect of the endpoint and not the client's leaving.
	w.Failed = w.Failed || err != nil && !errors.Is(err, http.ErrContentLength) && !errors.Is(err, http.ErrBodyNotAllowed)
	return n, err
}

func (w *Writer) begin() {
	if w.Status == 0 {
		w.Status = http.StatusOK
	}
}

// Flush sends what was written so far.
func (w *Writer) Flush() {
	w.begin()
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Hijack hands the connection over, to a WebSocket or an event stream.
func (w *Writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil && w.Status == 0 {
		w.Status = http.StatusSwitchingProtocols
	}
	return conn, buffered, err
}

// Unwrap gives http.ResponseController the writer below.
func (w *Writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

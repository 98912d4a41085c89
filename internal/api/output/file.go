package output

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// File is what a client may read whole, or a range of.
type File struct {
	Content     io.ReadSeeker
	Tag         string // names these very bytes, which never change under it
	Type        string
	Disposition string
}

// ServeFile writes a file whole, in a range, or not at all where the client has
// it. Whatever it claims to be, a browser is not to run it. Where refused is a status, 412
// or 416, nothing is written: the answer is the caller's. Bytes that cannot be read are an
// error, if nothing of the answer is out yet; else the connection is broken off,
// as by any error after an answer has begun.
func ServeFile(to *Writer, r *http.Request, file File) (refused int, err error) {
	h := to.Header()
	h.Set("Content-Type", file.Type)
	h.Set("Content-Disposition", file.Disposition)
	h.Set("Content-Security-Policy", strictPolicy+"; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin") // no page of others shows it, or measures it
	h.Set("ETag", `"`+file.Tag+`"`)
	boundRange(r.Header)
	w := fileWriter{Writer: to}
	from := fileSource{ReadSeeker: file.Content}
	http.ServeContent(&w, r, "", time.Time{}, &from)
	switch {
	case w.held == http.StatusPreconditionFailed:
		h["Cache-Control"] = noStore
		return w.held, nil
	case w.held == http.StatusRequestedRangeNotSatisfiable:
		h["Cache-Control"] = noStore // which ServeContent takes away
		if h.Get("Content-Range") == "" {
			size, err := file.Content.Seek(0, io.SeekEnd)
			if err != nil {
				return 0, err
			}
			h.Set("Content-Range", fmt.Sprintf("bytes */%d", size))
		}
		return w.held, nil
	case from.fault != nil:
		h["Cache-Control"] = noStore
		h.Del("Content-Range")
		return 0, from.fault
	}
	w.release()
	return 0, nil
}

// boundRange changes what ServeContent must not see of a request for ranges. Other units
// than bytes are ignored, which ServeContent refuses, and in place of several ranges the
// whole file is served (RFC 9110, section 14.2): each costs the opening of a sealed segment
// of 64 KiB, and a head has room for thousands.
func boundRange(h http.Header) {
	if asked := h["Range"]; len(asked) > 1 || len(asked) == 1 && !oneRange(asked[0]) {
		h.Del("Range")
	}
	if asked := h.Get("Range"); strings.HasPrefix(asked, "bytes=-") && strings.Trim(asked[len("bytes=-"):], "0 ") == "" {
		// The last 0 bytes are none, which ServeContent takes for a range.
		h.Set("Range", "bytes=none")
	}
}

// oneRange reports whether a Range header asks for bytes, and for one range of them.
func oneRange(header string) bool {
	return strings.HasPrefix(header, "bytes=") && !strings.Contains(header, ",")
}

// fileSource keeps what went wrong with reading, which ServeContent does not tell.
type fileSource struct {
	io.ReadSeeker
	fault error
}

func (s *fileSource) Read(p []byte) (int, error) {
	n, err := s.ReadSeeker.Read(p)
	if err != nil && err != io.EOF {
		s.fault = err
	}
	return n, err
}

// fileWriter holds the head of an answer back until there are bytes for it: so the
// first ones can fail to come with an answer of their own, and the plain text with
// which net/http refuses a range is replaced.
type fileWriter struct {
	*Writer
	held int // the status of the head that is held back
}

// WriteHeader holds the head back.
func (w *fileWriter) WriteHeader(status int) {
	if w.held == 0 {
		w.held = status
	}
}

// Write writes the head, if need be, and what follows it; it drops the text of a
// refusal.
func (w *fileWriter) Write(p []byte) (int, error) {
	if w.held == http.StatusRequestedRangeNotSatisfiable {
		return len(p), nil
	}
	w.release()
	return w.Writer.Write(p)
}

// filePiece is how many bytes of a file are read at once: no fewer than a segment of a
// sealed one has, which is then opened right into the buffer.
const filePiece = 64 << 10

var fileBuffers = sync.Pool{New: func() any { return new([filePiece]byte) }}

// ReadFrom copies all that r holds.
func (w *fileWriter) ReadFrom(r io.Reader) (int64, error) {
	buffer := fileBuffers.Get().(*[filePiece]byte)
	defer fileBuffers.Put(buffer)
	return io.CopyBuffer(struct{ io.Writer }{w}, r, buffer[:])
}

// release writes the head.
func (w *fileWriter) release() {
	if w.held != 0 {
		w.Writer.WriteHeader(w.held)
	}
}

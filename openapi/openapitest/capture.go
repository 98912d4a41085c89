package openapitest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync"
)

// capturedBytes is how much of a request's body is kept. A larger one, which can
// only be a file's, is not compared.
const capturedBytes = 1 << 20

// capture keeps what is read of a request's body, while it is read. A client's
// transport may go on reading when the answer is there already.
type capture struct {
	io.ReadCloser
	expected int64 // Content-Length; -1: not known

	mu       sync.Mutex // guards what follows
	kept     []byte
	count    int64
	complete bool
}

// captureBody returns a request whose body is captured, or the request itself
// where it has none.
func captureBody(r *http.Request) (*http.Request, *capture) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 && len(r.TransferEncoding) == 0 {
		return r, nil
	}
	c := &capture{ReadCloser: r.Body, expected: r.ContentLength}
	copied := r.WithContext(r.Context())
	copied.Body = c
	return copied, c
}

func (c *capture) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count += int64(n)
	c.kept = append(c.kept, p[:min(n, capturedBytes-len(c.kept))]...)
	c.complete = c.complete || err == io.EOF || c.count == c.expected
	return n, err
}

// whole returns the body if it was read to its end and is all there.
func (c *capture) whole() ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.kept), c.complete && c.count == int64(len(c.kept))
}

// keeps reports whether the body of an answer of this type is kept to be
// compared. The others are files and streams.
func keeps(header http.Header) bool {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return kind == "application/json" || kind == "text/plain"
}

func isEventStream(header http.Header) bool {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return kind == "text/event-stream"
}

// decompress undoes the coding of a body.
func decompress(coding string, body []byte) ([]byte, error) {
	switch coding {
	case "":
		return body, nil
	case "gzip":
		r, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, fmt.Errorf("decompress it: %w", err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("decompress it: %w", err)
		}
		return text, nil
	default:
		return nil, fmt.Errorf("it has the unknown coding %q", coding)
	}
}

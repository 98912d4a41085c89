package output

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// largeReads counts reads, and those with less room than a sealed segment has text.
type largeReads struct {
	io.ReadSeeker
	count, small int
}

func (l *largeReads) Read(p []byte) (int, error) {
	n, err := l.ReadSeeker.Read(p)
	l.count++
	if n == len(p) && n < 65520 {
		l.small++
	}
	return n, err
}

// A file is read with room for whole segments, and only as far as it was asked for.
func TestAFileIsReadInLargePieces(t *testing.T) {
	content := strings.Repeat("0123456789abcdef", 1<<16)
	serve := func(asked string) (*httptest.ResponseRecorder, *largeReads) {
		r := httptest.NewRequest("GET", "/", nil)
		if asked != "" {
			r.Header.Set("Range", asked)
		}
		recorder := httptest.NewRecorder()
		recorder.Header().Set("Content-Type", "application/octet-stream")
		from := &largeReads{ReadSeeker: strings.NewReader(content)}
		http.ServeContent(&fileWriter{Writer: &Writer{ResponseWriter: recorder}}, r, "", time.Time{}, from)
		return recorder, from
	}
	w, from := serve("")
	if w.Code != http.StatusOK || w.Body.String() != content {
		t.Fatalf("status %d, %d bytes of %d", w.Code, w.Body.Len(), len(content))
	}
	if most := len(content)>>16 + 1; from.count > most || from.small > 0 {
		t.Errorf("%d reads, %d of them small, want %d large ones at the most", from.count, from.small, most)
	}
	w, from = serve("bytes=100000-100999")
	if w.Code != http.StatusPartialContent || !bytes.Equal(w.Body.Bytes(), []byte(content[100000:101000])) {
		t.Fatalf("status %d, %d bytes", w.Code, w.Body.Len())
	}
	if from.count > 1 {
		t.Errorf("%d reads for 1000 bytes", from.count)
	}
}

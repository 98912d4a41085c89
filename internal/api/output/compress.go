package output

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// acceptsGzip reports whether a client asks for gzip (RFC 9110, section 12.5.3):
// by its name, or by `*` if it does not speak of gzip, and not with a weight of 0.
func acceptsGzip(accept []string) bool {
	wanted := false
	for _, line := range accept {
		for element := range strings.SplitSeq(line, ",") {
			coding, weight, _ := strings.Cut(element, ";")
			coding = strings.TrimSpace(coding)
			switch {
			case strings.EqualFold(coding, "gzip"), strings.EqualFold(coding, "x-gzip"):
				return !zeroWeight(weight)
			case coding == "*":
				wanted = !zeroWeight(weight)
			}
		}
	}
	return wanted
}

// zeroWeight reports whether a weight such as `q=0.5` is none at all. What is no
// weight counts as one, because an uncompressed answer is never wrong.
func zeroWeight(parameter string) bool {
	name, value, given := strings.Cut(strings.TrimSpace(parameter), "=")
	if !given {
		return strings.TrimSpace(name) != ""
	}
	weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return !strings.EqualFold(strings.TrimSpace(name), "q") || err != nil || weight <= 0 || weight > 1
}

// compressor is reused memory for compressed bodies.
type compressor struct {
	buffer bytes.Buffer
	gzip   *gzip.Writer
}

var compressors = sync.Pool{New: func() any {
	p := new(compressor)
	p.gzip, _ = gzip.NewWriterLevel(&p.buffer, gzip.BestSpeed) // a level that exists
	return p
}}

// sendGzip writes a body compressed.
func sendGzip(w http.ResponseWriter, h http.Header, status int, body []byte) {
	p := compressors.Get().(*compressor)
	defer func() {
		if p.buffer.Cap() <= KeptBuffer {
			compressors.Put(p)
		}
	}()
	p.buffer.Reset()
	p.gzip.Reset(&p.buffer)
	_, _ = p.gzip.Write(body) // into memory: cannot fail
	_ = p.gzip.Close()
	h["Content-Encoding"] = gzipCoding
	h["Content-Length"] = []string{strconv.Itoa(p.buffer.Len())}
	w.WriteHeader(status)
	_, _ = w.Write(p.buffer.Bytes())
}

var gzipCoding = []string{"gzip"}

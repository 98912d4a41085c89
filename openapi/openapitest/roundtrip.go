package openapitest

import (
	"bytes"
	"io"
	"net/http"
)

// RoundTripper compares what a client sends and gets through next (nil: the
// default transport).
func (v *Validator) RoundTripper(next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return &roundTripper{v, next}
}

type roundTripper struct {
	validator *Validator
	next      http.RoundTripper
}

// RoundTrip makes the exchange. Streams, files and upgraded connections go
// through as they come.
func (t *roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	x := &exchange{request: r, length: -1}
	r, x.sent = captureBody(r)
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	x.status, x.header = resp.StatusCode, resp.Header.Clone()
	switch {
	case resp.StatusCode == http.StatusSwitchingProtocols:
		t.validator.check(x)
	case isEventStream(resp.Header):
		t.validator.check(x)
		resp.Body = &streamBody{ReadCloser: resp.Body, stream: t.validator.newStream(x)}
	case keeps(resp.Header), resp.ContentLength == 0:
		x.body, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close() // it was read
		resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(x.body), failing{err}))
		if err == nil { // else the client is to find out
			x.length = int64(len(x.body))
			t.validator.check(x)
		}
	default:
		x.length = resp.ContentLength
		t.validator.check(x)
	}
	return resp, nil
}

// CloseIdleConnections is called by the method of the same name of http.Client.
func (t *roundTripper) CloseIdleConnections() {
	if closer, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// failing ends a body with the error that reading it met, if any.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

// streamBody compares a stream of events as it is read.
type streamBody struct {
	io.ReadCloser
	stream *stream
}

func (b *streamBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.stream.write(p[:n])
	return n, err
}

package apptest

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Stream is an open stream of server-sent events.
type Stream struct {
	Status int
	Header http.Header

	t     testing.TB
	lines chan string // closed at its end
	close func()
}

// MustOpen sends a request whose answer is a stream. The stream ends with the
// test at the latest.
func (s *Server) MustOpen(t testing.TB, h *http.Client, r Request) *Stream {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	response := s.mustDo(t, h, r.make(t, ctx, s.URL))
	st := &Stream{Status: response.StatusCode, Header: response.Header, t: t, lines: make(chan string, 1024)}
	ended := make(chan struct{})
	st.close = func() {
		cancel()
		_ = response.Body.Close()
		<-ended
	}
	t.Cleanup(st.close)
	go func() {
		defer close(ended)
		defer close(st.lines)
		for text := bufio.NewReader(response.Body); ; {
			line, err := text.ReadString('\n')
			if err != nil {
				return
			}
			select {
			case st.lines <- strings.TrimSuffix(line, "\n"):
			case <-ctx.Done():
				return
			}
		}
	}()
	return st
}

// Line waits for the next line; ok is false at the end of the stream.
func (st *Stream) Line() (line string, ok bool) {
	st.t.Helper()
	select {
	case line, ok = <-st.lines:
		return line, ok
	case <-time.After(Patience):
		st.t.Fatal("nothing comes on the stream")
		return "", false
	}
}

// Close ends the stream.
func (st *Stream) Close() { st.close() }

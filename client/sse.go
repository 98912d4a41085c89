package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// maxFrame is how many bytes one message of a stream may have. The longest
// message that the server takes is far below it.
const maxFrame = 4 << 20

// errFrameTooLong is a message that no server of the interface would send.
var errFrameTooLong = errors.New("a message of the stream is too long")

// sseFrame is one message of an event stream.
type sseFrame struct {
	event string
	data  []byte // valid until the next frame is read
	id    string
	hasID bool          // this very message had an id line
	retry time.Duration // the last one named so far; -1: none
}

// sseReader reads an event stream as the HTML standard defines it: lines ended
// by CR, LF or both, comments, several data lines in one message.
type sseReader struct {
	r       *bufio.Reader
	skipLF  bool // the last line ended with CR: a LF that follows belongs to it
	started bool
	buf     []byte // the current line
	data    []byte // the current message's data
	retry   time.Duration
}

func newSSEReader(r io.Reader) *sseReader {
	return &sseReader{r: bufio.NewReaderSize(r, 16<<10), retry: -1}
}

// next returns the next message with data. An unfinished message at the end of
// the stream is dropped, as the standard says.
func (s *sseReader) next() (sseFrame, error) {
	f := sseFrame{}
	s.data = s.data[:0]
	lines := 0
	for {
		line, err := s.line()
		if err != nil {
			return sseFrame{}, err
		}
		if len(line) == 0 {
			if lines == 0 {
				f = sseFrame{} // an event without data is none
				continue
			}
			f.data, f.retry = s.data[:len(s.data)-1], s.retry
			return f, nil
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			lines++
			if len(s.data)+len(value) > maxFrame {
				return sseFrame{}, tooLong()
			}
			s.data = append(append(s.data, value...), '\n')
		case "event":
			f.event = string(value)
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				f.id, f.hasID = string(value), true
			}
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				s.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
}

func tooLong() error {
	return fmt.Errorf("%w: %w (more than %d bytes)", ErrProtocol, errFrameTooLong, maxFrame)
}

// line returns the next line without its end, valid until the next call. It
// returns as soon as the line's end is there: waiting for what follows a CR
// would hold a message back until the next one.
func (s *sseReader) line() ([]byte, error) {
	s.buf = s.buf[:0]
	for {
		if _, err := s.r.Peek(1); err != nil {
			return nil, err
		}
		chunk, _ := s.r.Peek(s.r.Buffered()) // buffered bytes are there
		if s.skipLF {
			s.skipLF = false
			if chunk[0] == '\n' {
				_, _ = s.r.Discard(1)
				continue
			}
		}
		end := bytes.IndexAny(chunk, "\r\n")
		if end < 0 {
			s.buf = append(s.buf, chunk...)
			_, _ = s.r.Discard(len(chunk))
			if len(s.buf) > maxFrame {
				return nil, tooLong()
			}
			continue
		}
		s.buf = append(s.buf, chunk[:end]...)
		s.skipLF = chunk[end] == '\r'
		_, _ = s.r.Discard(end + 1)
		if len(s.buf) > maxFrame {
			return nil, tooLong()
		}
		if !s.started {
			s.started = true
			return bytes.TrimPrefix(s.buf, []byte("\xef\xbb\xbf")), nil
		}
		return s.buf, nil
	}
}

// sseSource is a connection of server-sent events.
type sseSource struct {
	answer *exchange
	frames *sseReader
}

func (s *stream) openSSE(ctx context.Context) (source, error) {
	r := s.request().set("Accept", "text/event-stream").set("Accept-Encoding", "identity").set("Cache-Control", "no-cache")
	answer, err := s.c.send(ctx, r, &payload{})
	if err != nil {
		return nil, err
	}
	if kind, _, _ := strings.Cut(answer.resp.Header.Get("Content-Type"),
		";"); strings.TrimSpace(kind) != "text/event-stream" {
		_ = answer.Close() // it is of no use
		return nil, fmt.Errorf("%s: %w: a stream of %q", r, ErrProtocol, kind)
	}
	answer.dog.rest()
	return &sseSource{answer: answer, frames: newSSEReader(answer)}, nil
}

func (s *sseSource) next() (frame, error) {
	f, err := s.frames.next()
	if err != nil {
		return frame{}, err
	}
	return frame{data: f.data, id: f.id, retry: f.retry}, nil
}

func (s *sseSource) close() { _ = s.answer.Close() }

package input

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// errPastLimit is what a source returns for the byte after the last one allowed.
var errPastLimit = errors.New("body is past its limit")

// source reads a body, or a part of one, up to a limit, and gives up on a client that
// takes far too long to send it, or sends nothing for long.
type source struct {
	from    io.Reader
	limited bool
	limit   int64
	left    int64 // bytes until the limit
	count   int64 // bytes read
	err     error // what ended the reading, io.EOF included

	conn     *http.ResponseController // nil: no deadline
	started  time.Time
	patience time.Duration
	renewed  time.Time   // when the deadline was set
	crowded  func() bool // nil: it never is
}

const (
	// patienceByByte is what each byte received adds to the time that a client has: a
	// large body may take its time, at a thousand bytes a second or more.
	patienceByByte = time.Millisecond
	// crowdedPart is what patienceByByte is divided by where others wait for the memory.
	crowdedPart = 8
	// renewEvery is how long after a deadline was set what comes moves it.
	renewEvery = time.Second
)

// limited returns a source of up to so many bytes; 0 is no limit.
func limited(from io.Reader, limit int64) *source {
	return &source{from: from, limited: limit > 0, limit: limit, left: limit}
}

// hurry gives the client a deadline. It is of the system's clock, as the deadlines of
// connections are.
func (s *source) hurry(conn *http.ResponseController, patience time.Duration) {
	s.conn, s.started, s.patience = conn, time.Now(), patience
	s.renew(s.started)
}

func (s *source) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.limited && int64(len(p)) > s.left+1 {
		p = p[:s.left+1]
	}
	if s.conn != nil {
		if now := time.Now(); now.Sub(s.renewed) >= min(renewEvery, s.patience/2) {
			s.renew(now)
		}
	}
	n, err := s.from.Read(p)
	if s.limited && int64(n) > s.left {
		n, err = int(s.left), errPastLimit
	}
	s.left -= int64(n)
	s.count += int64(n)
	s.err = err
	return n, err
}

// renew moves the deadline to where what was received so far allows, and no further than a
// client may be silent: what came fast buys no hours (contract, section 1). A writer without a
// connection below it, as in a test, has none.
func (s *source) renew(now time.Time) {
	s.renewed = now
	earned := time.Duration(s.count) * patienceByByte
	if s.crowded != nil && s.crowded() {
		earned /= crowdedPart
	}
	byBytes := s.started.Add(s.patience + earned)
	silence := now.Add(s.patience)
	if byBytes.Before(silence) {
		silence = byBytes
	}
	_ = s.conn.SetReadDeadline(silence)
}

// release lifts the deadline: net/http goes on watching the connection while the
// call runs, and would take a deadline that passes for the client's leaving.
func (s *source) release() { _ = s.conn.SetReadDeadline(time.Time{}) }

// buffer is reused memory for bodies.
type buffer struct{ bytes []byte }

var buffers = sync.Pool{New: func() any { return &buffer{bytes: make([]byte, 4<<10)} }}

// keptBuffer is the largest buffer that is kept for the next call, in bytes: the next
// body may be one that hardly comes.
const keptBuffer = 8 << 10

func (b *buffer) release() {
	if len(b.bytes) <= keptBuffer {
		buffers.Put(b)
	}
}

// readAll reads to the end, and asks hold for what it takes of memory: for what has come, and
// for what the buffer grows to before it does. That is never more than twice what has come. The
// result is valid until release.
func (b *buffer) readAll(r io.Reader, hold func(bytes int) error) ([]byte, error) {
	n, held := 0, 0
	holdUpTo := func(size int) error {
		more := size - held
		if more <= 0 {
			return nil
		}
		held = size
		return hold(more)
	}
	for {
		if n == len(b.bytes) {
			if refusal := holdUpTo(2 * n); refusal != nil {
				return nil, refusal
			}
			b.bytes = append(b.bytes, make([]byte, n)...)
		}
		m, err := r.Read(b.bytes[n:])
		n += m
		if refusal := holdUpTo(n); refusal != nil {
			return nil, refusal
		}
		if err == io.EOF {
			return b.bytes[:n], nil
		}
		if err != nil {
			return b.bytes[:n], err
		}
	}
}

// sizeText writes a number of bytes for people.
func sizeText(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return strconv.FormatInt(n>>20, 10) + " MiB"
	case n >= 1<<10 && n%(1<<10) == 0:
		return strconv.FormatInt(n>>10, 10) + " KiB"
	}
	return strconv.FormatInt(n, 10) + " bytes"
}

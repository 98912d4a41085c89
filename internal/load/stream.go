package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// listening is a person's open event stream.
type listening struct {
	c    *connection
	r    *bufio.Reader
	line []byte // a line that is longer than the reader's buffer
}

// lineBuffer is the buffer of each stream: little, because there may be very many.
const lineBuffer = 2 << 10

// listen opens a stream as server-sent events, without what is in the queue. It
// returns when the server has said that the stream is there.
func (s *stage) listen(ctx context.Context, who *person) (*listening, error) {
	l := &listening{c: newConnection(lineBuffer)}
	r := newRequest(who, http.MethodGet, s.url("events", "features=no-offline-messages"), "").withHeader("Accept",
		"text/event-stream")
	err := l.c.exchange(ctx, r, func(body io.Reader) error {
		l.r = bufio.NewReaderSize(body, lineBuffer)
		_, err := l.next() // a comment, which goes out at once
		return errors.Join(err, l.c.conn.SetDeadline(time.Time{}))
	})
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// next returns the next line, which is valid until the next call.
func (l *listening) next() ([]byte, error) {
	line, more, err := l.r.ReadLine()
	if err != nil || !more {
		return line, err
	}
	l.line = append(l.line[:0], line...)
	for more {
		if line, more, err = l.r.ReadLine(); err != nil {
			return nil, err
		}
		l.line = append(l.line, line...)
	}
	return l.line, nil
}

// close ends the stream.
func (l *listening) close() {
	l.c.close()
}

// listenAll opens a stream of each of these people. A failure closes those that
// were opened.
func (s *stage) listenAll(ctx context.Context, people []*person, opened func(*listening)) ([]*listening, error) {
	all := make([]*listening, len(people))
	err := together(ctx, len(people), setupAtOnce, func(_ context.Context, i int) (err error) {
		// The stream outlives this loop, and so its context.
		if all[i], err = s.listen(ctx, people[i]); err == nil && opened != nil {
			opened(all[i])
		}
		return err
	})
	if err != nil {
		closeAll(all)
		return nil, err
	}
	return all, nil
}

func closeAll(all []*listening) {
	for _, l := range all {
		if l != nil {
			l.close()
		}
	}
}

// A message of the deliver scenario begins with its mark: which worker sent it,
// and which of its messages it is.
const (
	markPrefix = "signet-bench:"
	markLength = len(markPrefix) + 8 + 1 + 16
)

func mark(worker int, number uint64) string {
	return fmt.Sprintf("%s%08x:%016x", markPrefix, worker, number)
}

// findMark reads a mark out of an event.
func findMark(line []byte) (worker int, number uint64, found bool) {
	at := bytes.Index(line, []byte(markPrefix))
	if at < 0 || len(line) < at+markLength {
		return 0, 0, false
	}
	text := line[at+len(markPrefix) : at+markLength]
	w, ok := hexadecimal(text[:8])
	n, ok2 := hexadecimal(text[9:])
	return int(w), n, ok && ok2 && text[8] == ':'
}

func hexadecimal(digits []byte) (n uint64, ok bool) {
	for _, d := range digits {
		switch {
		case d >= '0' && d <= '9':
			n = n<<4 | uint64(d-'0')
		case d >= 'a' && d <= 'f':
			n = n<<4 | uint64(d-'a'+10)
		default:
			return 0, false
		}
	}
	return n, true
}

package output

import "net/http"

// List is a reply that has no pages and may be long: it is written as it is read, so that no
// more of it is in memory than a piece (contract, section 1).
type List struct {
	body    *Body
	to      *Writer
	again   func() error // whether the caller may go on, after each piece
	entries int
	written int // bytes
}

// listPiece is how many bytes of a list are kept until they are written. One that is shorter
// is an answer as any other.
const listPiece = 256 << 10

// NewList begins a reply: with the envelope, and what is in it before the first entry. Once a
// piece is written, again says whether to go on: a client that takes an answer slowly may take
// minutes.
func NewList(to *Writer, begin string, again func() error) *List {
	l := &List{body: NewBody(), to: to, again: again}
	l.body.WriteString(ReplyBegin + begin)
	return l
}

// Add adds an entry.
func (l *List) Add(v any) error {
	if l.entries++; l.entries > 1 {
		l.body.WriteByte(',')
	}
	if err := l.body.Encode(v); err != nil {
		return err
	}
	if l.body.Len() < listPiece {
		return nil
	}
	return l.write()
}

// write writes what is kept.
func (l *List) write() error {
	if l.written == 0 {
		l.to.Header()["Content-Type"] = jsonContent
		l.to.WriteHeader(http.StatusOK)
	}
	n, err := l.to.Write(l.body.Bytes())
	l.written += n
	l.body.Reset()
	if err == nil {
		err = l.again()
	}
	return err
}

// End ends a list, with what comes after the last entry, unless an entry could not be added. It
// returns one that was short whole, for its caller to send, or else how many bytes were written.
func (l *List) End(end string, err error) (short *Body, written int, _ error) {
	if err != nil {
		l.body.Release()
		return nil, 0, err
	}
	l.body.WriteString(end + "}")
	if l.written == 0 {
		return l.body, 0, nil
	}
	defer l.body.Release()
	if err := l.write(); err != nil {
		return nil, 0, err
	}
	return nil, l.written, nil
}

// Chunked calls fn with parts of n entries. A part is twice as long as the last one where that
// wrote little, so that no part of a long answer takes much memory, and a short one is read in few.
func (l *List) Chunked(n int, fn func(from, to int) error) error {
	for from, size := 0, firstChunk; from < n; {
		to, before := min(from+size, n), l.written+l.body.Len()
		if err := fn(from, to); err != nil {
			return err
		}
		if l.written+l.body.Len()-before < listPiece/2 {
			size *= 2
		}
		from = to
	}
	return nil
}

// firstChunk is how many entries are read first.
const firstChunk = 8

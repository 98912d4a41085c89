package api

import (
	"context"
	"net/http"
)

// list is an answer that has no pages and may be long: it is written as it is read, so that no
// more of it is in memory than a piece (contract, section 1).
type list struct {
	api   *API
	call  *call
	ctx   context.Context
	e     *encoder
	n     int // entries
	bytes int // that were written
}

// listPiece is how many bytes of a list are kept until they are written. One that is shorter
// is an answer as any other.
const listPiece = 256 << 10

// list begins an answer: with the envelope, and what is in it before the first entry.
func (a *API) list(ctx context.Context, c *call, begin string) *list {
	l := &list{api: a, call: c, ctx: ctx, e: encoders.Get().(*encoder)}
	l.e.buffer.WriteString(replyBegin + begin)
	return l
}

// add adds an entry.
func (l *list) add(v any) error {
	if l.n++; l.n > 1 {
		l.e.buffer.WriteByte(',')
	}
	if err := l.e.encode(v); err != nil {
		return err
	}
	if l.e.buffer.Len() < listPiece {
		return nil
	}
	return l.write()
}

// write writes what is kept, and asks whether the caller may go on: a client that takes an
// answer slowly may take minutes.
func (l *list) write() error {
	if l.bytes == 0 {
		l.call.writer.Header()["Content-Type"] = jsonContent
		l.call.writer.WriteHeader(http.StatusOK)
	}
	n, err := l.call.writer.Write(l.e.buffer.Bytes())
	l.bytes += n
	l.e.buffer.Reset()
	if err == nil {
		_, err = l.api.authenticator.Current(l.ctx, l.call.actor)
	}
	return err
}

// end ends the answer, with what comes after the last entry.
func (l *list) end(end string, err error) (answer, error) {
	if err != nil {
		l.e.release()
		return answer{}, err
	}
	l.e.buffer.WriteString(end + "}")
	if l.bytes == 0 {
		return answer{status: http.StatusOK, encoded: l.e}, nil
	}
	defer l.e.release()
	if err := l.write(); err != nil {
		return answer{}, err
	}
	l.api.charge(l.call, costOfAnswer(l.bytes))
	return written(), nil
}

// chunked calls fn with parts of n entries. A part is twice as long as the last one where that
// wrote little, so that no part of a long answer takes much memory, and a short one is read in few.
func (l *list) chunked(n int, fn func(from, to int) error) error {
	for from, size := 0, firstChunk; from < n; {
		to, before := min(from+size, n), l.bytes+l.e.buffer.Len()
		if err := fn(from, to); err != nil {
			return err
		}
		if l.bytes+l.e.buffer.Len()-before < listPiece/2 {
			size *= 2
		}
		from = to
	}
	return nil
}

// firstChunk is how many entries are read first.
const firstChunk = 8

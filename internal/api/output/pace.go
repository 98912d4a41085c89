package output

import (
	"errors"
	"time"
)

const (
	// slowestReader is how many bytes a second the reader of an archive takes at least.
	slowestReader = 64 << 10
	// readerPatience is for how long it may take less. What it took faster before does not count.
	// The system wakes a writer when a third of its buffer, of some MiB, is free.
	readerPatience = time.Minute
)

// pacedWriter ends an archive that its reader takes too slowly: it holds one of few places.
// What counts is the time in which the server waits for the reader, not that in which the
// archive is made.
type pacedWriter struct {
	out    *Writer
	clock  func() time.Time
	behind time.Duration // how much later this is there than at the least speed
}

var errSlowReader = errors.New("the reader of an archive is too slow")

func (w *pacedWriter) Write(p []byte) (int, error) {
	begun := w.clock()
	n, err := w.out.Write(p)
	took := w.clock().Sub(begun)
	w.behind = max(0, w.behind+took-time.Duration(n)*time.Second/slowestReader)
	if err == nil && w.behind > readerPatience {
		w.out.Failed, err = true, errSlowReader // as if it had left
	}
	return n, err
}

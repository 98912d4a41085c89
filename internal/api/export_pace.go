package api

import (
	"errors"
	"time"
)

const (
	// slowestExport is how many bytes a second the reader of an archive takes at least.
	slowestExport = 64 << 10
	// exportPatience is for how long it may take less. What it took faster before does not count.
	// The system wakes a writer when a third of its buffer, of some MiB, is free.
	exportPatience = time.Minute
)

// exportWriter ends an archive that its reader takes too slowly: it holds one of few places.
// What counts is the time in which the server waits for the reader, not that in which the
// archive is made.
type exportWriter struct {
	out    *responseWriter
	clock  func() time.Time
	behind time.Duration // how much later this is there than at the least speed
}

var errSlowReader = errors.New("the reader of an archive is too slow")

func (w *exportWriter) Write(p []byte) (int, error) {
	begun := w.clock()
	n, err := w.out.Write(p)
	took := w.clock().Sub(begun)
	w.behind = max(0, w.behind+took-time.Duration(n)*time.Second/slowestExport)
	if err == nil && w.behind > exportPatience {
		w.out.failed, err = true, errSlowReader // as if it had left
	}
	return n, err
}

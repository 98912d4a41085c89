package blob

import (
	"io"
	"sync"
)

const (
	// gatherSize is how many bytes are read at once: as many as a sealed segment has,
	// which is then sealed right into the buffer.
	gatherSize = 64 << 10
	// writeSize is how many bytes are written at once. The system keeps them in pages
	// that belong together. Large pages are cheaper if the system has them. But a
	// virtual machine that gives free memory back to its host has to ask for large
	// ones again, at twice the cost of everything else.
	writeSize = 32 << 10
	// writeBackSize is how many bytes are written before the system is told to begin
	// putting them on the disk, so that less is left to wait for at the end.
	writeBackSize = 1 << 20
)

var gatherBuffers = sync.Pool{New: func() any { return new([gatherSize]byte) }}

// writeAll writes all that r holds, and calls beginWriteBack for every writeBackSize
// bytes that are written. An error of the reader comes back as it is.
func writeAll(w io.Writer, r *source, beginWriteBack func(from, size int64)) (size int64, err error) {
	buffer := gatherBuffers.Get().(*[gatherSize]byte)
	defer gatherBuffers.Put(buffer)
	begun := int64(0)
	for {
		n, ended := io.ReadFull(r, buffer[:])
		if r.err != nil {
			return size, r.err
		}
		for rest := buffer[:n]; len(rest) > 0; {
			written, err := w.Write(rest[:min(writeSize, len(rest))])
			size += int64(written)
			if err != nil {
				return size, err
			}
			rest = rest[written:]
		}
		if ended != nil {
			return size, nil
		}
		if size-begun >= writeBackSize {
			beginWriteBack(begun, size-begun)
			begun = size
		}
	}
}

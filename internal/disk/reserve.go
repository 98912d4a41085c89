package disk

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"sync"
)

// lastPart is which part of the reserve is kept for a start: one sixteenth.
const lastPart = 16

// Reserve is a file that takes room while there is some, so that it can be given up
// when there is none.
type Reserve struct {
	path string
	size int64 // when it is whole

	mu sync.Mutex // guards the file
}

// NewReserve returns the reserve in a file, of which nothing is made yet.
func NewReserve(path string, size int64) *Reserve { return &Reserve{path: path, size: size} }

// held is how large the file is.
func (r *Reserve) held() int64 {
	info, err := os.Stat(r.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Held is how many bytes the reserve has.
func (r *Reserve) Held() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held()
}

// fill makes the file as large as it is to be.
func (r *Reserve) fill(size int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held() >= size {
		return nil
	}
	f, err := os.OpenFile(r.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	err = errors.Join(allocate(f, size), f.Close())
	if err != nil {
		err = errors.Join(err, os.Remove(r.path)) // what there was of it is room again
	}
	return err
}

// giveUp halves the file, or gives up all of it, and reports whether that made room.
// The last part stays but for a start, which needs little, and without which nothing
// can be read.
func (r *Reserve) giveUp(all bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	held := r.held()
	switch {
	case held == 0:
		return false
	case all:
		return os.Remove(r.path) == nil
	case held <= r.size/lastPart:
		return false
	}
	return os.Truncate(r.path, max(held/2, r.size/lastPart)) == nil
}

// write takes blocks by writing: of bytes that no file system makes smaller.
func write(f *os.File, size int64) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	if _, err := io.CopyN(io.NewOffsetWriter(f, 0), rand.Reader, size); err != nil {
		return err
	}
	return f.Sync()
}

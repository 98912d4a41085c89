package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"signet/internal/durable"
)

// files are the database's files, opened beside SQLite's own handles, for the
// scrubber and to see how long the write-ahead log is. They are opened once and
// closed after all connections: closing a file drops every lock that the
// process holds on it (POSIX), SQLite's too.
type files struct {
	path     string
	db       *os.File // the database
	log      *os.File // the write-ahead log, "-wal"
	index    *os.File // the shared memory that says which part of the log counts, "-shm"
	pageSize int
}

// openFiles opens the database file, and makes an empty one where there is
// none, so that it, and with it the files beside it, are the owner's alone.
func openFiles(path string) (*files, error) {
	db, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if db, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err == nil {
			err = durable.SyncDirectory(filepath.Dir(path))
		}
	}
	f := &files{path: path, db: db}
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// openLog opens the files that the first connection has made.
func (f *files) openLog(pageSize int) (err error) {
	f.pageSize = pageSize
	if f.log, err = os.Open(f.path + "-wal"); err != nil {
		return err
	}
	f.index, err = os.OpenFile(f.path+"-shm", os.O_RDWR, 0) // to lock it
	return err
}

func (f *files) close() error {
	var errs []error
	for _, file := range []*os.File{f.index, f.log, f.db} {
		if file != nil {
			errs = append(errs, file.Close())
		}
	}
	return errors.Join(errs...)
}

// The layout of the log's index (https://sqlite.org/walformat.html, section 2):
// blocks of page numbers, one for each frame, each followed by a hash table; the
// first begins with the index's header.
const (
	indexHeader  = 136
	indexCopy    = 48 // bytes of each of its two copies of what readers need
	backfilledAt = 96 // in the header
	indexBlock   = 32 << 10
	blockNumbers = 4096
)

// The layout of the log itself (https://sqlite.org/fileformat2.html, section 4.1).
const (
	logHeader   = 32
	frameHeader = 24
)

// logState is what the header of the log's index says.
type logState struct {
	frames     int    // pages in the log that count
	backfilled int    // how many of them, from the start, are in the database file too
	pages      uint32 // size of the database
	salt       uint64 // changes each time the log starts again from its beginning
	commits    uint32 // counts transactions, of all processes, since the log's index was made
}

// since is how many pages were written to the log after it was in an earlier state. Another
// process may have been at the header while it was read: then it is none, and never less.
func (s logState) since(earlier logState) int {
	if s.salt != earlier.salt {
		return s.frames
	}
	return max(0, s.frames-earlier.frames)
}

// within reports whether the log had all these pages in another state too.
func (s logState) within(other logState) bool {
	return s.salt == other.salt && s.frames <= other.frames
}

func (f *files) logState() (logState, error) {
	var header [indexHeader]byte
	if _, err := f.index.ReadAt(header[:], 0); err != nil {
		return logState{}, unavailable(fmt.Errorf("read the log's index: %w", err))
	}
	return parseIndexHeader(&header), nil
}

func parseIndexHeader(header *[indexHeader]byte) logState {
	return logState{
		frames:     int(binary.NativeEndian.Uint32(header[16:])),
		pages:      binary.NativeEndian.Uint32(header[20:]),
		salt:       binary.NativeEndian.Uint64(header[32:]),
		backfilled: int(binary.NativeEndian.Uint32(header[backfilledAt:])),
		commits:    binary.NativeEndian.Uint32(header[8:]),
	}
}

// steadyTries is how often steadyState looks at the header before it gives up.
const steadyTries = 100

// steadyState is logState that is of one moment, also while another process is at the header:
// there are two copies of it, which SQLite writes one after the other.
func (f *files) steadyState() (logState, error) {
	var header [indexHeader]byte
	for range steadyTries {
		if _, err := f.index.ReadAt(header[:], 0); err != nil {
			return logState{}, unavailable(fmt.Errorf("read the log's index: %w", err))
		}
		if bytes.Equal(header[:indexCopy], header[indexCopy:2*indexCopy]) {
			return parseIndexHeader(&header), nil
		}
		runtime.Gosched()
	}
	return logState{}, unavailable(errors.New("the log's index is never at rest"))
}

// logCommits counts the transactions that the first frames of the log hold.
func (f *files) logCommits(frames int) (n uint32, err error) {
	var header [frameHeader]byte
	for i := range frames {
		at := int64(logHeader) + int64(i)*int64(frameHeader+f.pageSize)
		if _, err := f.log.ReadAt(header[:], at); err != nil {
			return 0, unavailable(fmt.Errorf("read the log: %w", err))
		}
		if binary.BigEndian.Uint32(header[4:]) != 0 { // the size of the database, in the last frame of a transaction
			n++
		}
	}
	return n, nil
}

// logPages appends the numbers of the pages that the frames after the first
// `from`, up to and with the one numbered `to`, hold.
func (f *files) logPages(pages []uint32, from, to int) ([]uint32, error) {
	var numbers [4 * blockNumbers]byte
	for from < to {
		// Counted as if the header, too, were page numbers, all blocks are alike.
		slot := from + indexHeader/4
		n := min(to-from, blockNumbers-slot%blockNumbers)
		offset := int64(slot/blockNumbers)*indexBlock + int64(slot%blockNumbers)*4
		if _, err := f.index.ReadAt(numbers[:4*n], offset); err != nil {
			return pages, unavailable(fmt.Errorf("read the log's index: %w", err))
		}
		for i := range n {
			pages = append(pages, binary.NativeEndian.Uint32(numbers[4*i:]))
		}
		from += n
	}
	return pages, nil
}

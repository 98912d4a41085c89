package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	// scrubLimit is the size of a database, in pages, up to which the first byte
	// of a page tells whether it is of a B-tree. In a larger one, an overflow or
	// free-list page, which starts with the number of another page, can look
	// alike, and nothing is scrubbed.
	scrubLimit = 2 << 24

	// scrubRun is how many neighbouring pages are read at once.
	scrubRun = 64
)

// scrub zeroes the unused space of up to n of the pages that were written to
// the database file since they were last scrubbed.
//
// secure_delete zeroes a cell when it is deleted and a page when it is freed.
// But when SQLite balances a B-tree, it moves cells to other pages, and leaves
// their images in the gap between the cell pointers and the cells of the page
// that it rebuilt: a message that is deleted later would survive there. SQLite never
// reads the gap, and a write to it that is cut short harms nothing, so that it can be
// zeroed in the file itself while nothing else writes that page. Only checkpoints do:
// this process makes none meanwhile, and the lock keeps others from making one.
func (w *writer) scrub(n int) (err error) {
	w.settle() // it would write over a newer image of the page
	cp := &w.checkpoints
	cp.pages = cp.unscrubbed.take(cp.pages[:0], n)
	defer func() {
		if err != nil { // they are as they were, or partly clean
			for _, page := range cp.pages {
				cp.unscrubbed.add(page)
			}
		}
	}()
	state, err := w.files.logState()
	if err != nil || state.pages >= scrubLimit {
		return err
	}
	unlock, err := lockCheckpoints(w.files.index)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	for i := 0; i < len(cp.pages); {
		run := 1
		for run < scrubRun && i+run < len(cp.pages) && cp.pages[i+run] == cp.pages[i]+uint32(run) {
			run++
		}
		zeroed, err := w.files.zeroGaps(cp.pages[i], run, &cp.buffer)
		if err != nil {
			return unavailable(err)
		}
		w.stats.scrubbed.Add(uint64(zeroed))
		i += run
	}
	return nil
}

// zeroGaps zeroes the gaps of n pages in a row, and returns how many of them had
// something there. buffer is the caller's to keep.
func (f *files) zeroGaps(first uint32, n int, buffer *[]byte) (zeroed int, err error) {
	if *buffer == nil {
		*buffer = make([]byte, scrubRun*f.pageSize)
	}
	start := int64(first-1) * int64(f.pageSize)
	read, err := f.db.ReadAt((*buffer)[:n*f.pageSize], start)
	if err != nil && !errors.Is(err, io.EOF) { // the file may have become shorter
		return 0, fmt.Errorf("scrub page %d: %w", first, err)
	}
	for i := range read / f.pageSize {
		offset := i * f.pageSize
		from, to := gap((*buffer)[offset:offset+f.pageSize], first+uint32(i))
		rest := (*buffer)[offset+from : offset+to]
		if len(bytes.Trim(rest, "\x00")) == 0 {
			continue
		}
		clear(rest)
		if _, err := f.db.WriteAt(rest, start+int64(offset+from)); err != nil {
			return zeroed, fmt.Errorf("scrub page %d: %w", first+uint32(i), err)
		}
		zeroed++
	}
	return zeroed, nil
}

// gap returns the bounds of the unallocated space of a B-tree page
// (https://sqlite.org/fileformat2.html, section 1.6), or an empty one for a
// page that is of no B-tree.
func gap(page []byte, number uint32) (start, end int) {
	header := 0
	if number == 1 {
		header = 100 // the file's own
	}
	start = header + 8
	switch page[header] {
	case 2, 5: // interior pages
		start += 4
	case 10, 13: // leaves
	default:
		return 0, 0
	}
	start += 2 * int(binary.BigEndian.Uint16(page[header+3:]))
	end = int(binary.BigEndian.Uint16(page[header+5:]))
	if end == 0 {
		end = 1 << 16
	}
	if start > end || end > len(page) {
		return 0, 0
	}
	return start, end
}

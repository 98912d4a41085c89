package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// errIndirect says that pages are to be read by SQLite.
var errIndirect = errors.New("a page is not where it was looked for")

// direct reads pages from the log and the database file themselves, in the transaction that is open, of
// which s is the state. SQLite takes several times as long for each, and this is what a Feed does to all
// that is ever written. It answers errIndirect where a page is not where it should be.
//
// What it reads stays as it is while the transaction is open. Where the database file has all of the log,
// nothing writes to the file: a checkpoint of later frames waits for those that read. Else the log does not
// start again, for the same reason, and a checkpoint copies only pages that are read from the log here.
func (f *Feed) direct(numbers []uint32, s logState) ([]Page, error) {
	found, err := f.find(numbers, s)
	if err != nil {
		return nil, err
	}
	const slot = frameHeader + pageSize
	if need := len(numbers) * slot; cap(f.buffer) < need {
		f.buffer = make([]byte, need)
	}
	pages := make([]Page, 0, len(numbers))
	for i, number := range numbers {
		if number > s.pages { // the database has become smaller
			continue
		}
		frame := f.buffer[:cap(f.buffer)][i*slot : (i+1)*slot]
		image := frame[frameHeader:]
		if at := found[number]; at > 0 {
			err = f.readFrame(frame, at, number, s.salt)
		} else {
			_, err = f.e.files.db.ReadAt(image, int64(number-1)*pageSize)
		}
		if errors.Is(err, io.EOF) {
			return nil, errIndirect
		}
		if err != nil {
			return nil, unavailable(fmt.Errorf("read page %d: %w", number, err))
		}
		if s.pages < scrubLimit {
			from, to := gap(image, number)
			clear(image[from:to])
		}
		pages = append(pages, Page{number, image})
	}
	return pages, nil
}

// find returns in which frame of the log pages are as they were written last, counted from 1. The others are
// in the database file.
func (f *Feed) find(numbers []uint32, s logState) (found map[uint32]int, err error) {
	if s.backfilled >= s.frames {
		return nil, nil
	}
	if f.frames, err = f.e.files.logPages(f.frames[:0], 0, s.frames); err != nil {
		return nil, err
	}
	found = make(map[uint32]int, len(numbers))
	for _, number := range numbers {
		found[number] = 0
	}
	// What was written last is at the end.
	for i, missing := len(f.frames)-1, len(found); i >= 0 && missing > 0; i-- {
		if at, wanted := found[f.frames[i]]; wanted && at == 0 {
			found[f.frames[i]] = i + 1
			missing--
		}
	}
	return found, nil
}

// readFrame reads a frame of the log with its header, which says what it is.
func (f *Feed) readFrame(frame []byte, at int, number uint32, salt uint64) error {
	if _, err := f.e.files.log.ReadAt(frame, logHeader+int64(at-1)*int64(len(frame))); err != nil {
		return err
	}
	if binary.BigEndian.Uint32(frame) != number || binary.NativeEndian.Uint64(frame[8:]) != salt {
		return errIndirect
	}
	return nil
}

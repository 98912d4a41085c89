package sqlite

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"signet/internal/durable"
)

// pageLog is the file with the pages of one commit of a Replica:
//
//	8 bytes   pageLogMark
//	8 bytes   random
//
// then for each page, and at last, with the number 0, for the commit:
//
//	4 bytes   number of the page
//	4 bytes   length n of what follows; of a commit 8 bytes its number, 4 bytes the size of the
//	          database in pages, and the note
//	n bytes
//	4 bytes   CRC-32C of all bytes of the file up to here
//
// A log that does not end with a commit whose checksum is right counts as nothing.
type pageLog struct {
	file  *os.File
	out   *bufio.Writer
	sum   uint32
	at    int64
	pages map[uint32]int64 // where the bytes of each begin; the last one counts
	state ReplicaState     // once it is committed
}

const (
	pageLogMark  = "SgntLog1"
	pageLogStart = len(pageLogMark) + 8
	commitHead   = 12

	// mostNote is how long a note may be.
	mostNote = 64 << 10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// createPageLog begins a log in the place of the one that is there.
func createPageLog(path string) (_ *pageLog, err error) {
	_, missing := os.Lstat(path)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, unavailable(err)
	}
	l := &pageLog{file: file, out: bufio.NewWriterSize(file, 64<<10), pages: map[uint32]int64{}}
	if errors.Is(missing, fs.ErrNotExist) {
		err = durable.SyncDirectory(filepath.Dir(path))
	}
	start := make([]byte, pageLogStart)
	copy(start, pageLogMark)
	_, _ = rand.Read(start[len(pageLogMark):]) // never fails: it ends the program instead
	if err = errors.Join(err, l.write(start)); err != nil {
		return nil, errors.Join(unavailable(err), file.Close())
	}
	return l, nil
}

func (l *pageLog) write(parts ...[]byte) error {
	for _, part := range parts {
		if _, err := l.out.Write(part); err != nil {
			return unavailable(fmt.Errorf("write the log of the copy: %w", err))
		}
		l.sum = crc32.Update(l.sum, castagnoli, part)
		l.at += int64(len(part))
	}
	return nil
}

// record writes what belongs to a number, and the checksum.
func (l *pageLog) record(number uint32, parts ...[]byte) error {
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, number), uint32(n))
	if err := l.write(append([][]byte{head}, parts...)...); err != nil {
		return err
	}
	return l.write(binary.BigEndian.AppendUint32(nil, l.sum))
}

// add writes a page.
func (l *pageLog) add(p Page) error {
	at := l.at + 8
	if err := l.record(p.Number, p.Image); err != nil {
		return err
	}
	l.pages[p.Number] = at
	return nil
}

// commit ends the log, and brings it to the disk.
func (l *pageLog) commit(state ReplicaState) error {
	if len(state.Note) > mostNote {
		return fmt.Errorf("a note of %d bytes is too long", len(state.Note))
	}
	head := binary.BigEndian.AppendUint64(nil, state.Number)
	head = binary.BigEndian.AppendUint32(head, state.Pages)
	if err := l.record(0, head, state.Note); err != nil {
		return err
	}
	if err := errors.Join(l.out.Flush(), l.file.Sync()); err != nil {
		return unavailable(fmt.Errorf("write the log of the copy: %w", err))
	}
	l.state = state
	return nil
}

func (l *pageLog) close() error { return l.file.Close() }

// errTorn says that a log does not count.
var errTorn = errors.New("the log is not whole")

// readPageLog reads a log; nil where there is none that counts.
func readPageLog(path string) (*pageLog, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unavailable(err)
	}
	l := &pageLog{file: file, pages: map[uint32]int64{}}
	err = l.scan(bufio.NewReaderSize(file, 64<<10))
	if err == nil {
		return l, nil
	}
	fault := file.Close()
	if errors.Is(err, errTorn) {
		err = nil
	}
	return nil, errors.Join(err, fault)
}

// scan reads all records and checks their sums.
func (l *pageLog) scan(in io.Reader) error {
	start, err := l.take(in, pageLogStart)
	if err == nil && string(start[:len(pageLogMark)]) != pageLogMark {
		err = errTorn
	}
	for err == nil {
		var head, body []byte
		if head, err = l.take(in, 8); err != nil {
			break
		}
		number, n := binary.BigEndian.Uint32(head), binary.BigEndian.Uint32(head[4:])
		if number > 0 && n != pageSize || number == 0 && (n < commitHead || n > commitHead+mostNote) {
			return errTorn
		}
		at := l.at
		if body, err = l.take(in, int(n)); err != nil {
			break
		}
		want := l.sum
		var sum []byte
		if sum, err = l.take(in, 4); err != nil {
			break
		}
		if binary.BigEndian.Uint32(sum) != want {
			return errTorn
		}
		if number == 0 {
			l.state = ReplicaState{Number: binary.BigEndian.Uint64(body), Pages: binary.BigEndian.Uint32(body[8:]),
				Note: body[commitHead:]}
			return nil
		}
		l.pages[number] = at
	}
	return err
}

// take reads n bytes.
func (l *pageLog) take(in io.Reader, n int) ([]byte, error) {
	bytes := make([]byte, n)
	if _, err := io.ReadFull(in, bytes); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errTorn
	} else if err != nil {
		return nil, unavailable(err)
	}
	l.sum = crc32.Update(l.sum, castagnoli, bytes)
	l.at += int64(n)
	return bytes, nil
}

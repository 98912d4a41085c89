package seal

import (
	"errors"
	"fmt"
	"io"
)

// Blob reads a sealed blob, from any place in it. It is not for concurrent use.
type Blob struct {
	from   io.ReadSeeker
	at     int64 // where from stands
	cipher *segmentCipher
	size   int64

	place   int64  // where the reader stands
	segment int64  // the one that text holds; -1: none
	text    []byte // the plaintext of segment, in the buffer
	buffer  *[segmentSize + 1]byte
}

var _ io.ReadSeeker = (*Blob)(nil)

// OpenBlob opens the sealed form of a blob of this size (in bytes), of which
// from has stored bytes. It reads the first segment, so that what belongs elsewhere
// or is cut short is noticed at once: then, and whenever a segment does not open, the
// error is ErrBroken. Errors of from come back wrapped.
func OpenBlob(key, bound []byte, from io.ReadSeeker, stored, size int64) (*Blob, error) {
	if size < 0 || size > stored || stored != SealedSize(size) {
		return nil, fmt.Errorf("%w: it has %d bytes, and %d are wanted", ErrBroken, stored, SealedSize(size))
	}
	b := &Blob{from: from, size: size, segment: -1, buffer: buffers.Get().(*[segmentSize + 1]byte)}
	if err := b.open(key, bound); err != nil {
		b.Release()
		return nil, err
	}
	return b, nil
}

func (b *Blob) open(key, bound []byte) (err error) {
	var header [headerSize]byte
	if err := b.fetch(header[:], 0); err != nil {
		return err
	}
	if header[0] != headerSize {
		return fmt.Errorf("%w: it does not begin as a sealed blob does", ErrBroken)
	}
	if b.cipher, err = newSegmentCipher(key, bound, &header); err != nil {
		return fmt.Errorf("open a blob: %w", err)
	}
	return b.load(0)
}

// Release gives back what the reader works with. It is not used any more then.
func (b *Blob) Release() {
	if b.buffer != nil {
		buffers.Put(b.buffer)
		b.buffer, b.text, b.segment, b.size = nil, nil, -1, 0
	}
}

// Size is that of the blob, in bytes.
func (b *Blob) Size() int64 { return b.size }

// Seek implements io.Seeker.
func (b *Blob) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += b.place
	case io.SeekEnd:
		offset += b.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning of a blob")
	}
	b.place = offset
	return offset, nil
}

// Read implements io.Reader. It returns only bytes that are authentic. A whole
// segment for which p has room is opened right into p, whose former content there is
// lost if the segment does not open.
func (b *Blob) Read(p []byte) (int, error) {
	if b.place >= b.size {
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	segment, start := int64(0), int64(0)
	if b.place >= firstTexts {
		segment = 1 + (b.place-firstTexts)/segmentTexts
		start = firstTexts + (segment-1)*segmentTexts
	}
	if segment != b.segment {
		if b.place == start && len(p) >= b.texts(segment) {
			b.segment = -1 // its buffer is for the sealed form
			text, err := b.openSegment(p[:0], segment)
			b.place += int64(len(text))
			return len(text), err
		}
		if err := b.load(segment); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.text[b.place-start:])
	b.place += int64(n)
	return n, nil
}

// load opens a segment in the buffer.
func (b *Blob) load(segment int64) (err error) {
	b.segment = -1
	if b.text, err = b.openSegment(nil, segment); err == nil {
		b.segment = segment
	}
	return err
}

// openSegment fetches a segment into the buffer and opens it: into the memory of to,
// which has room for it, or in the buffer where that is nil.
func (b *Blob) openSegment(to []byte, segment int64) ([]byte, error) {
	begin, end := b.bounds(segment)
	sealed := b.buffer[:end-begin]
	if err := b.fetch(sealed, begin); err != nil {
		return nil, err
	}
	if to == nil {
		to = sealed[:0]
	}
	text, err := b.cipher.aead.Open(to, b.cipher.of(segment, segment == segments(b.size)-1), sealed, nil)
	if err != nil {
		return nil, ErrBroken
	}
	return text, nil
}

// bounds returns where a sealed segment begins and ends.
func (b *Blob) bounds(segment int64) (begin, end int64) {
	begin, end = segment*segmentSize, min((segment+1)*segmentSize, SealedSize(b.size))
	if segment == 0 {
		begin = headerSize
	}
	return begin, end
}

// texts returns how many bytes of the blob a segment holds.
func (b *Blob) texts(segment int64) int {
	begin, end := b.bounds(segment)
	return int(end - begin - tagSize)
}

// fetch reads stored bytes from a place.
func (b *Blob) fetch(p []byte, at int64) error {
	if b.at != at {
		if _, err := b.from.Seek(at, io.SeekStart); err != nil {
			return fmt.Errorf("read a sealed blob: %w", err)
		}
	}
	n, err := io.ReadFull(b.from, p)
	b.at = at + int64(n)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends early", ErrBroken)
	}
	if err != nil {
		b.at = -1
		return fmt.Errorf("read a sealed blob: %w", err)
	}
	return nil
}

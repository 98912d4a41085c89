package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

// BlobKeySize is how long the key of a blob is, in bytes.
const BlobKeySize = 32

// NewBlobKey makes the key of a blob.
func NewBlobKey() []byte { return newKey() }

// The form is that of Tink's AES256-GCM-HKDF (https://developers.google.com/tink/streaming-aead),
// with which the tests compare it. It is written here because Tink's own can only be
// read from its beginning, and allocates what it works with anew each time.
//
// A segment is so small that a few bytes in the middle of a blob cost little, and so
// large that its tag costs nothing.
const (
	segmentSize  = 64 << 10
	tagSize      = 16
	saltSize     = 32
	noncePrefix  = 7
	headerSize   = 1 + saltSize + noncePrefix
	segmentTexts = segmentSize - tagSize // bytes of the blob in a segment
	firstTexts   = segmentTexts - headerSize
)

// buffers are for segments, and one byte more. A server has as many in use as files
// pass through it.
var buffers = sync.Pool{New: func() any { return new([segmentSize + 1]byte) }}

// segmentCipher seals and opens the segments of a blob.
type segmentCipher struct {
	aead  cipher.AEAD
	nonce [12]byte // its beginning is the blob's
}

// newSegmentCipher makes the cipher of a blob from its key and its header.
func newSegmentCipher(key, bound []byte, header *[headerSize]byte) (*segmentCipher, error) {
	secret, err := hkdf.Key(sha256.New, key, header[1:1+saltSize], string(bound), BlobKeySize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	c := new(segmentCipher)
	copy(c.nonce[:], header[1+saltSize:])
	c.aead, err = cipher.NewGCM(block)
	return c, err
}

// of returns the nonce of a segment.
func (c *segmentCipher) of(segment int64, last bool) []byte {
	nonce := c.nonce
	binary.BigEndian.PutUint32(nonce[noncePrefix:], uint32(segment))
	if last {
		nonce[len(nonce)-1] = 1
	}
	return nonce[:]
}

// SealBlob returns a reader of the sealed form of what r holds, under the blob's key,
// bound to bound. It holds up to two segments in memory, and one if the caller reads
// with room for whole segments, which are then sealed right into the caller's buffer.
// An error of r comes back as it is.
func SealBlob(key, bound []byte, r io.Reader) (io.Reader, error) {
	var header [headerSize]byte
	header[0] = headerSize
	_, _ = rand.Read(header[1:]) // never fails: it ends the program instead
	c, err := newSegmentCipher(key, bound, &header)
	if err != nil {
		return nil, fmt.Errorf("seal a blob: %w", err)
	}
	return &blobSealer{from: r, cipher: c, header: header, text: buffers.Get().(*[segmentSize + 1]byte)}, nil
}

// blobSealer seals what it reads, one segment ahead.
type blobSealer struct {
	from    io.Reader
	cipher  *segmentCipher
	header  [headerSize]byte
	text    *[segmentSize + 1]byte // the bytes read of the next segment; nil: there is none
	n       int
	segment int64
	err     error

	sealed *[segmentSize + 1]byte // nil until a segment is wanted in pieces
	ready  []byte                 // of sealed, not asked for yet
}

// Read implements io.Reader.
func (s *blobSealer) Read(p []byte) (n int, err error) {
	for len(s.ready) == 0 && s.err == nil && len(p)-n >= segmentSize {
		var sealed []byte
		sealed, s.err = s.next(p[n:n])
		n += len(sealed)
	}
	if n > 0 || len(p) == 0 {
		return n, nil
	}
	if len(s.ready) == 0 && s.err == nil {
		if s.sealed == nil {
			s.sealed = buffers.Get().(*[segmentSize + 1]byte)
		}
		s.ready, s.err = s.next(s.sealed[:0])
	}
	if len(s.ready) == 0 {
		s.release()
		return 0, s.err
	}
	n = copy(p, s.ready)
	s.ready = s.ready[n:]
	return n, nil
}

// next appends a sealed segment, behind the header if it is the first. Whether it is
// the last one only shows when it is full and nothing follows: the error is io.EOF
// then. Of a reader that was cut short nothing is sealed as its end.
func (s *blobSealer) next(to []byte) ([]byte, error) {
	full := segmentTexts
	if s.segment == 0 {
		full = firstTexts
	}
	last := false
	for s.n <= full && !last {
		n, err := s.from.Read(s.text[s.n : full+1])
		s.n += n
		if last = err == io.EOF; err != nil && !last { // EOF is compared as io.Copy does
			return nil, err
		}
	}
	last = last && s.n <= full
	size := min(s.n, full)
	if s.segment == 0 {
		to = append(to, s.header[:]...)
	}
	to = s.cipher.aead.Seal(to, s.cipher.of(s.segment, last), s.text[:size], nil)
	s.n = copy(s.text[:], s.text[size:s.n])
	s.segment++
	if last {
		return to, io.EOF
	}
	return to, nil
}

// release gives the buffers back.
func (s *blobSealer) release() {
	if s.text != nil {
		buffers.Put(s.text)
		s.text = nil
	}
	if s.sealed != nil {
		buffers.Put(s.sealed)
		s.sealed = nil
	}
}

// SealedSize returns how many bytes the sealed form of a blob has.
func SealedSize(size int64) int64 { return headerSize + size + tagSize*segments(size) }

// segments returns how many segments a blob of this size has; an empty one has one.
func segments(size int64) int64 {
	return 1 + max(0, size-firstTexts+segmentTexts-1)/segmentTexts
}

package seal

import (
	"bytes"
	"fmt"
	"io"

	"github.com/tink-crypto/tink-go/v2/streamingaead/subtle"
)

// BlobKeySize is how long the key of a blob is, in bytes.
const BlobKeySize = 32

// NewBlobKey makes the key of a blob.
func NewBlobKey() []byte { return newKey() }

// The parameters of Tink's AES256-GCM-HKDF. A segment is so small that a few bytes
// in the middle of a blob cost little, and so large that its tag costs nothing.
const (
	segmentSize  = 64 << 10
	tagSize      = 16
	saltSize     = 32
	noncePrefix  = 7
	headerSize   = 1 + saltSize + noncePrefix
	segmentTexts = segmentSize - tagSize // bytes of the blob in a segment
	firstTexts   = segmentTexts - headerSize
)

// SealBlob returns a reader of the sealed form of what r holds, under the blob's key,
// tied to what bound says. It holds a few segments in memory. An error of r comes
// back as it is.
func SealBlob(key, bound []byte, r io.Reader) (io.Reader, error) {
	sealer, err := subtle.NewAESGCMHKDF(key, "SHA256", BlobKeySize, segmentSize, 0)
	if err != nil {
		return nil, fmt.Errorf("seal a blob: %w", err)
	}
	s := &blobSealer{from: r, chunk: make([]byte, segmentSize)}
	if s.to, err = sealer.NewEncryptingWriter(&s.sealed, bound); err != nil {
		return nil, fmt.Errorf("seal a blob: %w", err)
	}
	return s, nil
}

// blobSealer turns Tink's writer round: what is written to it is read from here.
type blobSealer struct {
	from   io.Reader
	to     io.WriteCloser
	sealed bytes.Buffer // of what was read, not asked for yet
	chunk  []byte
	ended  bool
}

// Read implements io.Reader.
func (s *blobSealer) Read(p []byte) (int, error) {
	for s.sealed.Len() == 0 && !s.ended {
		n, err := s.from.Read(s.chunk)
		if _, err := s.to.Write(s.chunk[:n]); err != nil {
			return 0, fmt.Errorf("seal a blob: %w", err)
		}
		if err == io.EOF {
			s.ended = true
			if err := s.to.Close(); err != nil {
				return 0, fmt.Errorf("seal a blob: %w", err)
			}
		} else if err != nil {
			return 0, err
		}
	}
	return s.sealed.Read(p)
}

// SealedSize returns how many bytes the sealed form of a blob has.
func SealedSize(size int64) int64 { return headerSize + size + tagSize*segments(size) }

// segments returns how many segments a blob of this size has; an empty one has one.
func segments(size int64) int64 {
	return 1 + max(0, size-firstTexts+segmentTexts-1)/segmentTexts
}

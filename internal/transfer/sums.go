package transfer

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"

	"signet/internal/durable"
)

// sums is SHA256SUMS while it is written: a line for each file, in a file of its own,
// because there can be millions.
type sums struct {
	*durable.File
	w    *bufio.Writer
	size int64
	hash hash.Hash
}

func createSums(path string) (*sums, error) {
	f, err := durable.Create(path)
	if err != nil {
		return nil, err
	}
	return &sums{File: f, w: bufio.NewWriter(f), hash: sha256.New()}, nil
}

func (s *sums) add(digest []byte, name string) error {
	line := sumLine(digest, name)
	s.size += int64(len(line))
	s.hash.Write([]byte(line))
	_, err := s.w.WriteString(line)
	return err
}

// finish makes the file durable, closes it, and returns its size and its own digest.
func (s *sums) finish() (size int64, digest string, err error) {
	err = errors.Join(s.w.Flush(), s.Close())
	return s.size, hex.EncodeToString(s.hash.Sum(nil)), err
}

// sumLine is a line in the form of sha256sum.
func sumLine(digest []byte, name string) string {
	return hex.EncodeToString(digest) + "  " + name + "\n"
}

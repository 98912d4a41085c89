package transfer

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"os"
)

// sums is SHA256SUMS while it is written: a line for each file, in a file of its own,
// because there can be millions.
type sums struct {
	*os.File
	w    *bufio.Writer
	size int64
	hash hash.Hash
}

func createSums(path string) (*sums, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
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
	err = errors.Join(s.w.Flush(), s.Sync(), s.Close())
	return s.size, hex.EncodeToString(s.hash.Sum(nil)), err
}

// Close closes the file. It may be called twice.
func (s *sums) Close() error {
	if err := s.File.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// sumLine is a line in the form of sha256sum.
func sumLine(digest []byte, name string) string {
	return hex.EncodeToString(digest) + "  " + name + "\n"
}

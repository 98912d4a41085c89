package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/minio/minio-go/v7"

	"signet/internal/model"
)

const (
	// partSize is the least that S3 takes for a part, so that memory is least too.
	partSize = 5 << 20
	// maxParts is how many parts S3 takes; with partSize, a blob has 48.8 GiB at most.
	maxParts = 10_000
	// bufferTimeout is how long an upload waits for memory.
	bufferTimeout = 10 * time.Second
)

// buffers bounds the memory of uploads: each holds one part from its first byte to
// its last, because S3 wants to know the size of a part before it comes.
type buffers struct {
	free chan []byte // nil until it is used for the first time
}

func newBuffers(n int) buffers {
	b := buffers{free: make(chan []byte, n)}
	for range n {
		b.free <- nil
	}
	return b
}

// take waits for a buffer of partSize bytes.
func (b *buffers) take(ctx context.Context) ([]byte, error) {
	select {
	case buffer := <-b.free:
		if buffer == nil {
			buffer = make([]byte, partSize)
		}
		return buffer, nil
	case <-time.After(bufferTimeout):
		return nil, fmt.Errorf("%w: more than %d uploads at a time", ErrUnavailable, cap(b.free))
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (b *buffers) give(buffer []byte) { b.free <- buffer }

// Put implements Store. What fits into one part is sent as one object; the rest in
// parts, which S3 puts together at the end.
func (s *S3) Put(ctx context.Context, id model.BlobID, r io.Reader) (int64, error) {
	buffer, err := s.buffers.take(ctx)
	if err != nil {
		return 0, fmt.Errorf("keep blob: %w", err)
	}
	defer s.buffers.give(buffer)
	u := &upload{store: s, ctx: ctx, key: s.key(id)}
	if err = u.send(&source{ctx: ctx, r: r}, buffer); err != nil {
		u.undo()
		return 0, err
	}
	return u.size, nil
}

// upload is one call of Put.
type upload struct {
	store *S3
	ctx   context.Context // of the call
	key   string
	name  string // of the upload in parts; empty before there are any
	parts []minio.CompletePart
	size  int64
	sent  bool // the object may be there
}

// send reads the source to its end, a part at a time.
func (u *upload) send(r *source, buffer []byte) error {
	for {
		n, err := io.ReadFull(r, buffer)
		if r.err != nil {
			return fmt.Errorf("keep blob: %w", r.err)
		}
		last := err != nil // the end, within or right before this part
		part := buffer[:n]
		u.size += int64(n)
		switch {
		case last && u.name == "":
			return u.put(part)
		case n > 0:
			if err := u.putPart(part); err != nil {
				return err
			}
		}
		if last {
			return u.complete()
		}
	}
}

// put sends all in one object.
func (u *upload) put(content []byte) error {
	u.sent = true
	return u.do("keep blob", transferTimeout, func(ctx context.Context) error {
		return u.store.put(ctx, u.key, content, "")
	})
}

func (u *upload) putPart(content []byte) error {
	s := u.store
	if len(u.parts) == maxParts {
		return fmt.Errorf("keep blob: %w: more than %d parts", ErrTooLarge, maxParts)
	}
	if u.name == "" {
		err := u.do("begin an upload", requestTimeout, func(ctx context.Context) (err error) {
			u.name, err = s.client.NewMultipartUpload(ctx, s.bucket, u.key, minio.PutObjectOptions{})
			return err
		})
		if err != nil {
			return err
		}
	}
	return u.do("keep a part of a blob", transferTimeout, func(ctx context.Context) error {
		part, err := s.client.PutObjectPart(ctx, s.bucket, u.key, u.name, len(u.parts)+1, bytes.NewReader(content),
			int64(len(content)), minio.PutObjectPartOptions{Sha256Hex: digest(content), DisableContentSha256: true})
		if err == nil {
			u.parts = append(u.parts, minio.CompletePart{PartNumber: part.PartNumber, ETag: part.ETag})
		}
		return err
	})
}

func (u *upload) complete() error {
	s := u.store
	u.sent = true
	return u.do("finish an upload", transferTimeout, func(ctx context.Context) error {
		_, err := s.client.CompleteMultipartUpload(ctx, s.bucket, u.key, u.name, u.parts, minio.PutObjectOptions{})
		return err
	})
}

func (u *upload) do(doing string, limit time.Duration, request func(context.Context) error) error {
	err := u.store.translated(u.ctx, doing, u.store.within(u.ctx, limit, request))
	if errors.Is(err, ErrNotFound) {
		// The upload itself is gone: another program removed it.
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

// undo removes what there is of an upload that failed. Where the server cannot be
// reached, that is left to the sweep (List), as after a crash.
func (u *upload) undo() {
	s := u.store
	ctx, cancel := context.WithTimeout(context.WithoutCancel(u.ctx), cleanupTimeout)
	defer cancel()
	if u.name != "" {
		_ = s.client.AbortMultipartUpload(ctx, s.bucket, u.key, u.name)
	}
	if u.sent {
		_ = s.client.RemoveObject(ctx, s.bucket, u.key, minio.RemoveObjectOptions{})
	}
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

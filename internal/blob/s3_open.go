package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/minio/minio-go/v7"

	"signet/internal/model"
)

// firstRange is how much the first request of a reader asks for. It is not
// everything, because a reader of a part stops soon, and a connection with more bytes
// on the way cannot be used again.
const firstRange = 1 << 20

// Open implements Store.
func (s *S3) Open(ctx context.Context, id model.BlobID) (Blob, error) {
	b := &object{store: s, ctx: ctx, key: s.key(id)}
	err := s.within(ctx, requestTimeout, func(ctx context.Context) error {
		info, err := s.client.StatObject(ctx, s.bucket, b.key, minio.StatObjectOptions{})
		b.size = info.Size
		return err
	})
	if err != nil {
		return nil, s.translated(ctx, "open blob", err)
	}
	return b, nil
}

// object is an open blob. Requests are made when something is read: one for the
// first range, another for the rest, a new one after each change of place.
type object struct {
	store  *S3
	ctx    context.Context // of Open
	key    string
	size   int64
	offset int64 // of the next byte to be read

	body   io.ReadCloser // the answer to the last request; nil where there is none
	at, to int64         // the part of the blob that body has yet to bring
	closed bool
}

func (b *object) Size() int64 { return b.size }

// Seek moves to another place. What was asked for is kept until something else is
// read, because seeking to and fro is how readers find the size.
func (b *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += b.offset
	case io.SeekEnd:
		offset += b.size
	default:
		return 0, errors.New("seek: unknown whence")
	}
	if offset < 0 {
		return 0, errors.New("seek: before the beginning of the blob")
	}
	b.offset = offset
	return offset, nil
}

// Read reads from the server. A connection that breaks is made again, a few times
// for each that brought nothing.
func (b *object) Read(p []byte) (int, error) {
	if b.closed {
		return 0, fs.ErrClosed
	}
	if b.offset >= b.size {
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	var err error
	for range tries {
		if b.body == nil || b.at != b.offset || b.at == b.to {
			if err = b.request(); err != nil {
				return 0, b.store.translated(b.ctx, "read blob", err)
			}
		}
		var n int
		n, err = b.body.Read(p[:min(int64(len(p)), b.to-b.at)])
		b.at += int64(n)
		b.offset += int64(n)
		if n > 0 {
			return n, nil // an error comes again
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			b.drop()
		}
		if b.ctx.Err() != nil {
			break
		}
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return 0, b.store.translated(b.ctx, "read blob", err)
}

// request asks for what follows the offset: the first range where the reader has
// just come there, else all the rest.
func (b *object) request() error {
	to := b.size
	if b.body == nil || b.at != b.offset {
		to = min(to, b.offset+firstRange)
	}
	b.drop()
	options := minio.GetObjectOptions{}
	if err := options.SetRange(b.offset, to-1); err != nil {
		return err
	}
	// The time is bounded by the connection's, for a reader may be slow.
	body, info, _, err := b.store.client.GetObject(b.ctx, b.store.bucket, b.key, options)
	if err != nil {
		return err
	}
	if info.Size != to-b.offset {
		return errors.Join(fmt.Errorf("the server sends %d bytes where %d were asked for", info.Size, to-b.offset),
			body.Close())
	}
	b.body, b.at, b.to = body, b.offset, to
	return nil
}

// drop gives up what was asked for.
func (b *object) drop() {
	if b.body != nil {
		_ = b.body.Close() // nothing that was read depends on it
		b.body = nil
	}
}

// Close ends reading. It may be called twice.
func (b *object) Close() error {
	b.closed = true
	b.drop()
	return nil
}

// Package blob keeps the bytes of attachments and avatars, whole or not at all.
//
// It owns where they lie and how they get there: streamed, never whole in
// memory. It does not know what they are, who may see them, or who refers to
// them: the store does, and a blob that nothing refers to is swept.
package blob

import (
	"context"
	"errors"
	"io"
	"time"

	"signet/internal/model"
)

// The errors of a Store that a caller can act on.
var (
	ErrNotFound    = errors.New("there is no such blob")
	ErrUnavailable = errors.New("the blob store is unavailable") // no room, no connection: try later
)

// Store keeps blobs under identifiers that its callers make. A blob is never
// changed. It is safe for concurrent use.
type Store interface {
	// Put keeps what r holds and returns its size in bytes. When it returns, the
	// bytes are on disk. After an error, r's own included, nothing is left.
	Put(ctx context.Context, id model.BlobID, r io.Reader) (size int64, err error)

	// Open returns a blob for reading, from any place in it. The caller closes it.
	// One that was opened can be read to its end even if it is deleted meanwhile.
	Open(ctx context.Context, id model.BlobID) (Blob, error)

	// Delete removes a blob; one that is not there is fine.
	Delete(ctx context.Context, id model.BlobID) error

	// List calls fn for every blob with the time when it was kept, in no order,
	// until fn returns an error, which List returns.
	List(ctx context.Context, fn func(id model.BlobID, kept time.Time) error) error

	// Close releases what the store holds. It may be called twice.
	Close() error
}

// Blob is an open blob.
type Blob interface {
	io.ReadSeekCloser
	Size() int64
}

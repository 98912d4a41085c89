// Package blob keeps the bytes of attachments and avatars, whole or not at all.
//
// It owns where they lie (a directory, or a bucket of an S3 server) and how they
// get there: streamed, never whole in memory. It does not know what they are, who
// may see them, or who refers to them: the store does, and a blob that nothing
// refers to is swept. blobtest.Run is the contract of a Store in executable form.
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
	ErrTooLarge    = errors.New("the blob is larger than the store can keep")
)

// Store keeps blobs under identifiers that its callers make. A blob is never
// changed. It is safe for concurrent use.
type Store interface {
	// Put keeps what r holds and returns its size in bytes. When it returns, the
	// bytes are on disk. After an error, r's own included, nothing is left; where the
	// store is out of reach by then, what is left goes with a later List.
	Put(ctx context.Context, id model.BlobID, r io.Reader) (size int64, err error)

	// Open returns a blob for reading, from any place in it, until ctx ends. The
	// caller closes it. One that is deleted meanwhile can be read to its end, or
	// reading it fails with ErrNotFound: what was read so far is right in any case.
	Open(ctx context.Context, id model.BlobID) (Blob, error)

	// Delete removes a blob; one that is not there is fine.
	Delete(ctx context.Context, id model.BlobID) error

	// List calls fn for every blob with the time when it was kept, in no order,
	// until fn returns an error, which List returns. It also removes what unfinished
	// calls of Put left long ago.
	List(ctx context.Context, fn func(id model.BlobID, kept time.Time) error) error

	// Begin makes the store's place where it is missing, and marks it as one.
	Begin(ctx context.Context) error

	// Begun reports whether that was done: an empty place of the same name is told from
	// the store by it (Present).
	Begun(ctx context.Context) (bool, error)

	// Owner returns whose the place is: the zero Mark where it has no owner.
	Owner(ctx context.Context) (model.Mark, error)

	// SetOwner notes whose it is.
	SetOwner(ctx context.Context, m model.Mark) error

	// String says where the place is, without a secret.
	String() string

	// Check returns nil when blobs could be kept and read now.
	Check(ctx context.Context) error

	// Close releases what the store holds. It may be called twice.
	Close() error
}

// Blob is an open blob.
type Blob interface {
	io.ReadSeekCloser
	Size() int64
}

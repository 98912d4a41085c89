// Package blob keeps the bytes of attachments and avatars, whole or not at all.
//
// It owns where they lie (a directory, or a bucket of an S3 server) and how they
// get there: streamed, never whole in memory. It does not know what they are, who
// may see them, or who refers to them: the store does, and a blob that nothing
// refers to is swept. Its tests play one contract of a Store against both.
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
	// bytes are on disk. After an error, r's own included, nothing is left. If the
	// store is out of reach by then, a later List removes the rest.
	Put(ctx context.Context, id model.BlobID, r io.Reader) (size int64, err error)

	// Open returns a blob for reading, from any place in it, until ctx ends. The
	// caller closes it. If the blob is deleted meanwhile, it can be read to its end,
	// or reading fails with ErrNotFound; what was read so far is right in any case.
	Open(ctx context.Context, id model.BlobID) (Blob, error)

	// Delete removes a blob. A blob that is not there is no error.
	Delete(ctx context.Context, id model.BlobID) error

	// List calls fn for every blob with the time when it was kept, in no order, until
	// fn returns an error, which List returns. It also removes the remains of calls
	// of Put that broke off long ago.
	List(ctx context.Context, fn func(id model.BlobID, kept time.Time) error) error

	// Begin makes the store's place if it is missing, and puts the mark there.
	Begin(ctx context.Context) error

	// Begun reports whether the mark is there. By it Present tells the store from an
	// empty place of the same name.
	Begun(ctx context.Context) (bool, error)

	// Owner returns the mark of the place's owner: the zero Mark if it has none.
	Owner(ctx context.Context) (model.Mark, error)

	// SetOwner replaces the owner's mark.
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

package sweep

import (
	"context"
	"errors"
	"fmt"

	"signet/internal/blob"
	"signet/internal/model"
)

// files deletes files, one after the other, and goes on after one that cannot be deleted.
type files struct {
	blobs blob.Store
	left  int   // those that could not be deleted
	first error // why the first of them could not
	away  bool  // their place is, or is not ours: no other can be deleted either
}

// delete reports whether a file is gone.
func (f *files) delete(ctx context.Context, id model.BlobID) bool {
	err := f.blobs.Delete(ctx, id)
	if err == nil || errors.Is(err, blob.ErrNotFound) {
		return true
	}
	if f.left++; f.first == nil {
		f.first = err
	}
	// That the place is away may be said of one file in it only.
	f.away = ctx.Err() != nil || errors.Is(err, blob.ErrNotOurs) ||
		errors.Is(err, blob.ErrUnavailable) && f.blobs.Check(ctx) != nil
	return false
}

// fault says what could not be deleted; nil where all could.
func (f *files) fault() error {
	if f.left > 1 && !f.away {
		return fmt.Errorf("%d files could not be deleted, the first of them: %w", f.left, f.first)
	}
	return f.first
}

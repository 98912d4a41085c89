package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"signet/internal/model"
)

// MarkName is the name of what Begin puts into a store: a file in the directory, an
// object behind the bucket's prefix. It does not begin with a dot, so that programs
// which copy all files of a directory take it along.
const MarkName = "signet.mark"

// markText is for people who find the file.
const markText = "Signet keeps attachments here. Without this file it takes the place for another one.\n"

// Present is a store that is used only while its place is the one that was begun. A
// place that was not is another one: the mount point of a volume that is not mounted, or
// a bucket that was made anew. There nothing is kept, nothing counts as missing, and
// nothing as deleted: the answer is ErrUnavailable.
type Present struct {
	Store
	onAway func()
}

// WhilePresent returns a store as a server uses it. onAway is called each time that the
// store is found to be away; it must not wait.
func WhilePresent(s Store, onAway func()) *Present { return &Present{s, onAway} }

// there returns nil while the place is the one that was begun.
func (p *Present) there(ctx context.Context) error {
	begun, err := p.Begun(ctx)
	if err == nil && !begun {
		err = fmt.Errorf("%w: its place is empty, or another one (there is no %s)", ErrUnavailable, MarkName)
	}
	return err
}

// told calls onAway for an error that says so, and returns it.
func (p *Present) told(err error) error {
	if errors.Is(err, ErrUnavailable) {
		p.onAway()
	}
	return err
}

// Put implements Store.
func (p *Present) Put(ctx context.Context, id model.BlobID, r io.Reader) (int64, error) {
	if err := p.there(ctx); err != nil {
		return 0, p.told(fmt.Errorf("keep blob: %w", err))
	}
	size, err := p.Store.Put(ctx, id, r)
	return size, p.told(err)
}

// Open implements Store. A blob is missing only where the place is there.
func (p *Present) Open(ctx context.Context, id model.BlobID) (Blob, error) {
	b, err := p.Store.Open(ctx, id)
	if errors.Is(err, ErrNotFound) {
		if away := p.there(ctx); away != nil {
			err = fmt.Errorf("open blob: %w", away)
		}
	}
	return b, p.told(err)
}

// Delete implements Store. A blob that is not there is gone only where the place is.
func (p *Present) Delete(ctx context.Context, id model.BlobID) error {
	err := p.Store.Delete(ctx, id)
	if err == nil {
		err = p.there(ctx)
	}
	return p.told(err)
}

// List implements Store. A list is whole only where the place is there at its end.
func (p *Present) List(ctx context.Context, fn func(id model.BlobID, kept time.Time) error) error {
	err := p.there(ctx)
	if err == nil {
		err = p.Store.List(ctx, fn)
	}
	if err == nil {
		err = p.there(ctx)
	}
	return p.told(err)
}

// Check implements Store.
func (p *Present) Check(ctx context.Context) error {
	if err := p.Store.Check(ctx); err != nil {
		return err
	}
	return p.there(ctx)
}

// Owner implements Store.
func (p *Present) Owner(ctx context.Context) (model.Mark, error) {
	if err := p.there(ctx); err != nil {
		return model.Mark{}, p.told(err)
	}
	return p.Store.Owner(ctx)
}

// SetOwner implements Store.
func (p *Present) SetOwner(ctx context.Context, m model.Mark) error {
	err := p.there(ctx)
	if err == nil {
		err = p.Store.SetOwner(ctx, m)
	}
	return p.told(err)
}

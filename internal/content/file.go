package content

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"signet/internal/blob"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
)

// NewFileKey makes the key of one attachment, which goes into the content of its message.
func (v *Vault) NewFileKey() []byte {
	if v.Unsealed {
		return nil
	}
	return seal.NewBlobKey()
}

// PutFile keeps the bytes of an attachment, sealed where it has a key. An error of the
// reader, such as its limit, comes back as it is, and leaves nothing.
func (v *Vault) PutFile(ctx context.Context, a *model.Attachment, r io.Reader) error {
	if a.Key != nil {
		var err error
		if r, err = seal.SealBlob(a.Key, blobBinding(a.Blob), r); err != nil {
			return err
		}
	}
	_, err := v.Blobs.Put(ctx, a.Blob, r)
	return fileFault(err)
}

// OpenFile opens bytes that the store refers to, as they are kept. They may have been
// erased since it said so, and they may be lost. The caller closes them.
func (v *Vault) OpenFile(ctx context.Context, id model.BlobID) (blob.Blob, error) {
	file, err := v.Blobs.Open(ctx, id)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, v.missingFile(ctx, id, err)
	}
	if err != nil {
		return nil, fileFault(err)
	}
	return openFile{file}, nil
}

// OpenAttachment opens the bytes of an attachment. A part of them that is not what was
// sealed gives an error when it is read. The caller closes them.
func (v *Vault) OpenAttachment(ctx context.Context, a *model.Attachment) (blob.Blob, error) {
	file, err := v.OpenFile(ctx, a.Blob)
	if err != nil || a.Key == nil {
		return file, err
	}
	opened, err := seal.OpenBlob(a.Key, blobBinding(a.Blob), file, file.Size(), a.Size)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open attachment %s: %w", a.Blob, fileFault(err)), file.Close())
	}
	return sealedFile{opened, file}, nil
}

// DiscardFile removes bytes to which nothing refers; else it leaves them.
func (v *Vault) DiscardFile(ctx context.Context, id model.BlobID) error {
	referred, err := v.referred(ctx, id)
	if err != nil || referred {
		return err
	}
	return v.Blobs.Delete(ctx, id)
}

func (v *Vault) referred(ctx context.Context, id model.BlobID) (bool, error) {
	return store.Read(ctx, v.Store, func(tx *store.Tx) (bool, error) { return tx.BlobInUse(id) })
}

// missingFile tells why a file is not there to which the store referred a moment ago: it
// was recalled since, or it is lost, which the operator has to know.
func (v *Vault) missingFile(ctx context.Context, id model.BlobID, err error) error {
	referred, fault := v.referred(ctx, id)
	switch {
	case fault != nil:
		return fault
	case !referred:
		return model.Missing()
	}
	v.Counts.FilesLost.Add(1)
	return &model.Error{Kind: model.Lost, Code: "attachment_lost",
		Message: "The file is missing on the server; asking again does not help.",
		Cause: fmt.Errorf("file %s is missing, and a message or a picture refers to it: look for it in a backup, "+
			"or where the files were before: %w", id, err)}
}

// openFile is a file whose faults are what a caller may be told.
type openFile struct{ blob.Blob }

func (f openFile) Read(p []byte) (int, error) {
	n, err := f.Blob.Read(p)
	return n, fileFault(err)
}

// sealedFile is an open sealed file with the stored one below it.
type sealedFile struct {
	*seal.Blob
	stored blob.Blob
}

// Close implements io.Closer.
func (f sealedFile) Close() error {
	f.Release()
	return f.stored.Close()
}

// fileFault turns what went wrong with a file into what a caller may be told.
func fileFault(err error) error {
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return model.Missing()
	case errors.Is(err, blob.ErrTooLarge):
		return &model.Error{Kind: model.TooLarge, Code: "file_too_large",
			Message: "The file is larger than the server can keep."}
	case errors.Is(err, blob.ErrUnavailable):
		return &model.Error{Kind: model.Unavailable, Code: "attachments_unavailable", RetryAfter: time.Second, Cause: err,
			Message: "Files cannot be kept or read at the moment, please try again."}
	default:
		return err
	}
}

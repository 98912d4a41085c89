package service

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"signet/internal/blob"
	"signet/internal/disk"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
)

// Upload is a file whose bytes are in the blob store and which nothing refers to
// yet: it is sent, or discarded, or swept a day later.
type Upload struct {
	model.Attachment
	Digest []byte // SHA-256 of the bytes, where it was asked for

	inDoubt bool // whether it was sent: the store could not say
}

// doubt notes a failure after which something may refer to the upload all the same.
func (u *Upload) doubt(err error) {
	if u != nil && errors.Is(err, store.ErrUnavailable) {
		u.inDoubt = true
	}
}

// Upload streams a file into the blob store, sealed with a key of its own, which
// goes into the message. Only that of a message with a Request-ID needs a digest,
// with which a repeat is compared; taking it is a quarter of the work. An error of
// the reader, such as its limit, comes back as it is, and leaves nothing.
func (s *Service) Upload(ctx context.Context, name, contentType string, digest bool, r io.Reader) (*Upload, error) {
	return s.upload(ctx, model.Attachment{Blob: newID(), Name: name, ContentType: contentType, Key: s.newBlobKey()}, digest, r)
}

// UploadAvatar does so for the picture of an account or group. It is not sealed:
// everybody who shares an organization with an account sees it.
func (s *Service) UploadAvatar(ctx context.Context, name, contentType string, r io.Reader) (*Upload, error) {
	return s.upload(ctx, model.Attachment{Blob: newID(), Name: name, ContentType: contentType}, false, r)
}

func (s *Service) newBlobKey() []byte {
	if s.unsealed {
		return nil
	}
	return seal.NewBlobKey()
}

func (s *Service) upload(ctx context.Context, a model.Attachment, digest bool, r io.Reader) (*Upload, error) {
	if !s.room.ForFiles() {
		return nil, &model.Error{Kind: model.Unavailable, Code: "attachments_unavailable", RetryAfter: disk.RetryAfter, Message: "No files are taken at the moment, please try again."}
	}
	read := &countedReader{r: r}
	if digest {
		read.digest = sha256.New()
	}
	r = read
	if a.Key != nil {
		var err error
		if r, err = seal.SealBlob(a.Key, blobBinding(a.Blob), read); err != nil {
			return nil, err
		}
	}
	if _, err := s.blobs.Put(ctx, a.Blob, r); err != nil {
		return nil, blobFault(err)
	}
	a.Size = read.size
	u := &Upload{Attachment: a}
	if digest {
		u.Digest = read.digest.Sum(nil)
	}
	return u, nil
}

// countedReader takes the size of what is read, and its digest if there is one.
type countedReader struct {
	r      io.Reader
	size   int64
	digest hash.Hash
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.size += int64(n)
	if c.digest != nil {
		c.digest.Write(p[:n])
	}
	return n, err
}

// openBlob opens bytes that the store refers to. They may have been erased since it
// said so, and they may be lost.
func (s *Service) openBlob(ctx context.Context, id model.BlobID) (blob.Blob, error) {
	content, err := s.blobs.Open(ctx, id)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, s.missingBlob(ctx, id, err)
	}
	if err != nil {
		return nil, blobFault(err)
	}
	return openedBlob{content}, nil
}

// openedBlob is a blob whose faults are what a caller may be told.
type openedBlob struct{ blob.Blob }

func (b openedBlob) Read(p []byte) (int, error) {
	n, err := b.Blob.Read(p)
	return n, blobFault(err)
}

// openAttachment opens the bytes of an attachment. A place of them that is not what
// was sealed gives an error when it is read.
func (s *Service) openAttachment(ctx context.Context, a *model.Attachment) (blob.Blob, error) {
	stored, err := s.openBlob(ctx, a.Blob)
	if err != nil || a.Key == nil {
		return stored, err
	}
	opened, err := seal.OpenBlob(a.Key, blobBinding(a.Blob), stored, stored.Size(), a.Size)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open attachment %s: %w", a.Blob, blobFault(err)), stored.Close())
	}
	return sealedBlob{opened, stored}, nil
}

// sealedBlob is an open sealed blob with the stored one below it.
type sealedBlob struct {
	*seal.Blob
	stored blob.Blob
}

// Close implements io.Closer.
func (b sealedBlob) Close() error {
	b.Release()
	return b.stored.Close()
}

// blobFault turns what went wrong with a blob into what a caller may be told.
func blobFault(err error) error {
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return model.Missing()
	case errors.Is(err, blob.ErrTooLarge):
		return &model.Error{Kind: model.TooLarge, Code: "file_too_large", Message: "The file is larger than the server can keep."}
	case errors.Is(err, blob.ErrUnavailable):
		return &model.Error{Kind: model.Unavailable, Code: "attachments_unavailable", RetryAfter: time.Second, Cause: err,
			Message: "Files cannot be kept or read at the moment, please try again."}
	default:
		return err
	}
}

// Discard erases an upload that is not going to be sent, unless it was sent. Where
// the store could not say whether it was, that is left to the sweep.
func (s *Service) Discard(ctx context.Context, u *Upload) {
	if u.inDoubt {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	var held bool
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		held, err = tx.BlobHeld(u.Blob)
		return err
	})
	if err == nil && !held {
		err = s.blobs.Delete(ctx, u.Blob)
	}
	if err != nil && !errors.Is(err, store.ErrClosed) {
		s.log.Warn("an upload that was not sent stays until the sweep", "blob", u.Blob.String(), "error", err)
	}
}

package service

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"time"

	"signet/internal/content"
	"signet/internal/disk"
	"signet/internal/model"
	"signet/internal/store"
)

// RefusesUpload asks, before a file is kept, whether the message that it is for would be
// refused: the day's messages are used up, or there is no such recipient. It returns the
// error of the refusal. Fields of the command that are empty may not be known yet.
func (s *Service) RefusesUpload(ctx context.Context, actor *model.Actor, c SendCommand) error {
	d := &draft{recipient: c.Recipient, sender: c.SenderOrganization, receiver: c.RecipientOrganization,
		request: c.RequestID, fingerprint: make([]byte, sha256.Size)} // a repeat is not told from another message yet
	now := s.now()
	err := s.store.View(ctx, func(tx *store.Tx) error {
		switch {
		case c.Recipient != "":
			_, _, err := s.findDestination(tx, actor, d, now)
			return err
		case c.RequestID == "": // else it may be a repeat, which is not counted
			return s.withinDailyLimit(tx, actor, now)
		}
		return nil
	}, store.Short)
	if !isRefusal(err) {
		return nil // a store that is away is met again
	}
	return err
}

// Upload streams a file into the blob store, sealed with a key of its own, which goes
// into the message. A digest is taken for a message with a Request-ID only, to compare a
// repeat with: it is a quarter of the work. An error of the reader, such as its limit,
// comes back as it is, and leaves nothing.
func (s *Service) Upload(ctx context.Context, name, contentType string, digest bool,
	r io.Reader) (*content.Upload, error) {
	return s.upload(ctx, model.Attachment{Blob: newID(), Name: name, ContentType: contentType, Key: s.vault.NewFileKey()},
		digest, r)
}

// UploadAvatar streams the picture of an account or group into the blob store, not sealed:
// everybody who shares an organization with an account sees it.
func (s *Service) UploadAvatar(ctx context.Context, name, contentType string, r io.Reader) (*content.Upload, error) {
	return s.upload(ctx, model.Attachment{Blob: newID(), Name: name, ContentType: contentType}, false, r)
}

func (s *Service) upload(ctx context.Context, a model.Attachment, digest bool, r io.Reader) (*content.Upload, error) {
	if !s.room.ForFiles() {
		return nil, &model.Error{Kind: model.Unavailable, Code: "attachments_unavailable", RetryAfter: disk.RetryAfter,
			Message: "No files are taken at the moment, please try again."}
	}
	read := &countedReader{r: r}
	if digest {
		read.digest = sha256.New()
	}
	if err := s.vault.PutFile(ctx, &a, read); err != nil {
		return nil, err
	}
	a.Size = read.size
	u := &content.Upload{Attachment: a}
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

// Discard erases an upload that is not going to be sent, unless it was sent. Where
// the store could not say whether it was, that is left to the sweep.
func (s *Service) Discard(ctx context.Context, u *content.Upload) {
	if u.InDoubt() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := s.vault.DiscardFile(ctx, u.Blob); err != nil && !errors.Is(err, store.ErrClosed) {
		s.log.WarnContext(ctx, "an upload that was not sent stays until the sweep", "blob", u.Blob.String(), "error", err)
	}
}

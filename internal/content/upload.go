package content

import (
	"errors"

	"signet/internal/model"
	"signet/internal/store"
)

// Upload is a file whose bytes are in the blob store and which nothing refers to
// yet: it is sent, or discarded, or swept a day later.
type Upload struct {
	model.Attachment
	Digest []byte // SHA-256 of the bytes, where it was asked for

	inDoubt bool // whether it was sent: the store could not say
}

// Doubt notes a failure after which something may refer to the upload all the same.
func (u *Upload) Doubt(err error) {
	if u != nil && errors.Is(err, store.ErrUnavailable) {
		u.inDoubt = true
	}
}

// InDoubt reports whether something may refer to the upload, which the store could not say.
func (u *Upload) InDoubt() bool { return u.inDoubt }

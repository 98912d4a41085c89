package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
)

// What is sealed is bound to the organization, the table, the row and the column, so
// that it opens there only.

func messageBinding(row *store.MessageRow) []byte {
	return seal.Bind(string(row.Organization), "messages", string(row.ID[:]), "content")
}

func metadataBinding(organization model.OrganizationID, entity model.EntityID) []byte {
	return seal.Bind(string(organization), "metadata", string(entity[:]), "content")
}

func requestBinding(account model.AccountID, request string) []byte {
	return seal.Bind("", "requests", string(account[:])+request, "fingerprint")
}

func blobBinding(id model.BlobID) []byte {
	return seal.Bind("", "blobs", string(id[:]))
}

// messageKey names the key of a message: that of its organization and of the day on
// which it expires, or was sent where it never does.
func messageKey(row *store.MessageRow) seal.Name {
	return dayKey(row.Organization, row.KeyDay())
}

func dayKey(organization model.OrganizationID, day store.KeyDay) seal.Name {
	if day.Lasting {
		return seal.Name{Scope: string(organization), Period: seal.From(day.Start())}
	}
	return seal.Name{Scope: string(organization), Period: seal.Until(day.Start())}
}

// metadataKey names the key of an organization's metadata.
func metadataKey(organization model.OrganizationID) seal.Name {
	return seal.Name{Scope: string(organization), Period: seal.Always}
}

// requestKey names the key of what was sent under a Request-ID at a time. It is of no
// organization, and ends with what it seals.
func requestKey(now time.Time) seal.Name {
	return seal.Name{Period: seal.Until(now.Add(repeatWindow))}
}

// errAgain ends a transaction that what was sealed for it does not fit any more: it is
// sealed and tried again.
var errAgain = errors.New("what was sealed does not fit any more")

// held are the keys with which something was sealed that is not stored yet. They are
// not destroyed before release.
type held []*seal.Lease

// seal seals a text and keeps the key.
func (h *held) seal(ctx context.Context, s *Service, name seal.Name, text, bound []byte) ([]byte, error) {
	if s.unsealed {
		return text, nil
	}
	lease, err := s.ring.Use(ctx, name)
	if err != nil {
		return nil, keyFault(err)
	}
	*h = append(*h, lease)
	return lease.Seal(text, bound)
}

// fresh answers errAgain where too much time has passed for storing what was sealed.
// Transactions begin with it.
func (h held) fresh() error {
	for _, lease := range h {
		if !lease.Fresh() {
			return errAgain
		}
	}
	return nil
}

// release lets go of the keys after a transaction that ended with err.
func (h *held) release(err error) {
	for _, lease := range *h {
		if errors.Is(err, store.ErrUnavailable) { // it may have taken effect, or may yet
			lease.ReleaseInDoubt()
		} else {
			lease.Release()
		}
	}
	*h = nil
}

// keyFault turns the error of a ring that is away into that of a store that is.
func keyFault(err error) error {
	if errors.Is(err, seal.ErrUnavailable) {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return err
}

// updateSealed runs a transaction that stores what prepare sealed, until it fits.
// update is one of the store's.
func (s *Service) updateSealed(ctx context.Context, update func(context.Context, func(*store.Tx) error) error,
	prepare func(*held) error, write func(*store.Tx) error) error {
	for {
		var keys held
		err := prepare(&keys)
		if err == nil {
			err = update(ctx, func(tx *store.Tx) error {
				if err := keys.fresh(); err != nil {
					return err
				}
				return write(tx)
			})
		}
		keys.release(err)
		if !errors.Is(err, errAgain) {
			return err
		}
	}
}

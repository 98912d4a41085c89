// Package content keeps what people wrote: the text, data and attachment of a message,
// metadata, and what tells repeated requests apart. It gives each its stored form,
// seals that under the key of its organization and day, and opens it again.
//
// It owns the stored forms, the names of the keys, and what a sealed text is bound to.
// It does not know who may read what: its callers have asked that before.
package content

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"signet/internal/blob"
	"signet/internal/seal"
	"signet/internal/store"
)

// Vault seals and opens. It is safe for concurrent use; the caller closes the store, the
// ring and the blobs.
type Vault struct {
	Store *store.Store
	Ring  *seal.Ring
	Blobs blob.Store

	// Unsealed stores content as it is. Nothing that a user can set reaches it: it is
	// for tests that look for content in files, and for what sealing costs.
	Unsealed bool

	Counts Counts
}

// Counts are the faults that a vault has met since it was made.
type Counts struct {
	FilesLost   atomic.Int64 // times that a file was asked for that is not where it was kept
	Unopened    atomic.Int64 // times that a row did not open, though its key is there
	UnopenedKey atomic.Int64 // times that one did not because its key is gone
}

// open opens what is stored. What is not sealed does not open either: somebody who has
// no key put it there.
func (v *Vault) open(ctx context.Context, stored, bound []byte) ([]byte, error) {
	if v.Unsealed {
		return stored, nil
	}
	text, err := v.Ring.Open(ctx, stored, bound)
	switch {
	case err == nil:
		return text, nil
	case errors.Is(err, seal.ErrKeyGone):
		v.Counts.UnopenedKey.Add(1)
	case Unreadable(err):
		v.Counts.Unopened.Add(1)
	}
	return nil, ringFault(err)
}

// Unreadable reports whether an error says that content will never open again.
func Unreadable(err error) bool {
	return errors.Is(err, seal.ErrKeyGone) || errors.Is(err, seal.ErrBroken)
}

// ringFault turns the error of a ring that is away into that of a store that is.
func ringFault(err error) error {
	if errors.Is(err, seal.ErrUnavailable) {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return err
}

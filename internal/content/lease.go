package content

import (
	"context"
	"errors"

	"signet/internal/seal"
	"signet/internal/store"
)

// ErrAgain ends a transaction that what was sealed for it does not fit any more: Update
// seals again, and tries again.
var ErrAgain = errors.New("what was sealed does not fit any more")

// Leases are of the keys with which something was sealed that is not stored yet. The ring
// does not destroy these keys meanwhile.
type Leases []*seal.Lease

// Update runs a transaction of the store that stores what prepare sealed. Where that does
// not fit any more, it prepares and tries again.
func (v *Vault) Update(ctx context.Context, prepare func(*Leases) error, write func(*store.Tx) error,
	traits ...store.Trait) error {
	for {
		var leases Leases
		err := prepare(&leases)
		if err == nil {
			err = v.Store.Update(ctx, func(tx *store.Tx) error {
				if err := leases.fresh(); err != nil {
					return err
				}
				return write(tx)
			}, traits...)
		}
		leases.release(err)
		if !errors.Is(err, ErrAgain) {
			return err
		}
	}
}

// Sealing is Update of a transaction that another package runs: act runs it, and it begins with fresh.
func (v *Vault) Sealing(prepare func(*Leases) error, act func(fresh func(*store.Tx) error) error) error {
	for {
		var leases Leases
		err := prepare(&leases)
		if err == nil {
			err = act(func(*store.Tx) error { return leases.fresh() })
		}
		leases.release(err)
		if !errors.Is(err, ErrAgain) {
			return err
		}
	}
}

// seal seals a text, and keeps the lease of its key.
func (v *Vault) seal(ctx context.Context, leases *Leases, name seal.Name, text, bound []byte) ([]byte, error) {
	if v.Unsealed {
		return text, nil
	}
	lease, err := v.Ring.Use(ctx, name)
	if err != nil {
		return nil, ringFault(err)
	}
	*leases = append(*leases, lease)
	return lease.Seal(text, bound)
}

// fresh answers ErrAgain where too much time has passed for storing what was sealed.
// Transactions begin with it.
func (l Leases) fresh() error {
	for _, lease := range l {
		if !lease.Fresh() {
			return ErrAgain
		}
	}
	return nil
}

// release ends the leases after a transaction that ended with err.
func (l Leases) release(err error) {
	for _, lease := range l {
		if errors.Is(err, store.ErrUnavailable) { // it may have taken effect, or may yet
			lease.ReleaseInDoubt()
		} else {
			lease.Release()
		}
	}
}

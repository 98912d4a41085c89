package seal

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
)

// Current returns the key that is in use under a name. Where there is none, it makes one,
// which is on disk in the ring when it returns.
func (r *Ring) Current(ctx context.Context, name Name) (KeyID, error) {
	lease, err := r.Use(ctx, name)
	if err != nil {
		return KeyID{}, err
	}
	defer lease.Release()
	return lease.id, nil
}

// Derive returns 32 bytes that belong to a key of the ring and a purpose (HKDF, RFC 5869),
// the same as long as the ring has the key, and of no use to find it. It returns ErrKeyGone
// where the ring has no such key.
func (r *Ring) Derive(id KeyID, purpose string) ([]byte, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	k := r.keys[id]
	if k == nil {
		return nil, ErrKeyGone
	}
	secret, err := r.master.unwrap(r.header.ID, &k.Record)
	if err != nil {
		return nil, err
	}
	derived, err := hkdf.Key(sha256.New, secret, nil, purpose, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive from key %s: %w", id, err)
	}
	return derived, nil
}

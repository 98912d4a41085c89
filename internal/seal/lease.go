package seal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/tink-crypto/tink-go/v2/aead/subtle"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// users counts who works with a key.
type users struct {
	now   atomic.Int64
	until atomic.Int64 // Unix nanoseconds until which a caller in doubt may still use it
}

// Lease is the right to seal with a key. The key is not destroyed before Release.
type Lease struct {
	ring      *Ring
	key       *key
	id        KeyID
	primitive tink.AEAD
	taken     time.Time
}

// Use returns a lease of the key in use under a name. Where there is none, it makes
// one, which is on disk in the ring when Use returns. The caller releases it once
// what it sealed is stored, or is not going to be.
func (r *Ring) Use(ctx context.Context, name Name) (*Lease, error) {
	lease, err := r.lease(name)
	if lease != nil || err != nil {
		return lease, err
	}
	r.loading.Lock()
	defer r.loading.Unlock()
	// Others may have waited here before, and made it; and a rotation, or another
	// server, may come in between.
	for range 5 {
		if r.storage.Shared() {
			if err := r.refresh(ctx); err != nil {
				return nil, err
			}
		}
		if lease, err = r.lease(name); lease != nil || err != nil {
			return lease, err
		}
		err = r.add(ctx, name)
		if errors.Is(err, ErrChanged) {
			err = r.refresh(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: it changes all the time", ErrUnavailable)
}

// UsePrompt is Use that waits for nothing: it returns nil where the storage of the ring would have to be
// asked.
func (r *Ring) UsePrompt(name Name) (*Lease, error) { return r.lease(name) }

// lease returns a lease without asking the storage, or nil where that must be asked.
func (r *Ring) lease(name Name) (*Lease, error) {
	now := r.clock()
	r.mu.RLock()
	k := r.current[name]
	if k == nil || r.storage.Shared() && now.Sub(r.loaded) > trust {
		r.mu.RUnlock()
		return nil, nil
	}
	k.users.now.Add(1) // under the lock, which the retiring of a key holds alone
	lease := &Lease{ring: r, key: k, id: k.ID, primitive: k.primitive, taken: now}
	r.mu.RUnlock()
	if lease.primitive == nil {
		var err error
		if lease.primitive, err = r.unwrap(k); err != nil {
			lease.Release()
			return nil, err
		}
	}
	return lease, nil
}

// add makes a key. The caller has locked loading.
func (r *Ring) add(ctx context.Context, name Name) error {
	if strings.ContainsFunc(name.Scope+name.Period, unicode.IsSpace) || name.Period == "" || name.Scope == noScope {
		return fmt.Errorf("%q is no name of a key", name)
	}
	r.mu.RLock()
	header, master := r.header, r.master
	r.mu.RUnlock()
	record, err := master.wrap(&header, newKeyID(), name, newKey())
	if err != nil {
		return err
	}
	if r.note != nil {
		if err := r.note(ctx, record.ID); err != nil {
			return fmt.Errorf("note a new key: %w", err)
		}
	}
	if record, err = r.storage.Add(ctx, record); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keys[record.ID] == nil {
		r.put(&key{Record: record})
	}
	return nil
}

// unwrap returns the primitive of a key, and keeps it.
func (r *Ring) unwrap(k *key) (tink.AEAD, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k.primitive != nil {
		return k.primitive, nil
	}
	secret, err := r.master.unwrap(r.header.ID, &k.Record)
	if err != nil {
		return nil, err
	}
	primitive, err := subtle.NewAESGCM(secret)
	if err != nil {
		return nil, fmt.Errorf("key %s in the ring is damaged: %w", k.ID, err)
	}
	if r.opened >= opened {
		for _, other := range r.keys {
			other.primitive = nil
		}
		r.opened = 0
	}
	k.primitive = primitive
	r.opened++
	return primitive, nil
}

// Seal seals a text, tied to what bound says (Bind): it opens with the same only.
func (l *Lease) Seal(text, bound []byte) ([]byte, error) {
	sealed, err := l.primitive.Encrypt(text, bound)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	out := make([]byte, 0, prefixSize+len(sealed))
	out = append(out, Form)
	out = append(out, l.id[:]...)
	return append(out, sealed...), nil
}

// Fresh reports whether what was sealed may still begin to be stored. A transaction
// asks for it, and otherwise ends without effect; its caller seals again then.
func (l *Lease) Fresh() bool { return l.ring.clock().Sub(l.taken) <= LeaseTime }

// Release ends the lease.
func (l *Lease) Release() { l.key.users.now.Add(-1) }

// ReleaseInDoubt ends the lease of a caller who does not know whether what it sealed
// will be stored: it may be until the grace is over.
func (l *Lease) ReleaseInDoubt() {
	l.key.users.until.Store(l.ring.clock().Add(grace).UnixNano())
	l.Release()
}

// none reports whether this server has no use of the key under way.
func (u *users) none(now time.Time) bool {
	return u.now.Load() == 0 && now.UnixNano() >= u.until.Load()
}

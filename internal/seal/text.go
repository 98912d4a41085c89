package seal

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/tink"
)

// Form is the first byte of every sealed text.
const Form = 2

// prefixSize is that of the form and the key's identifier.
const prefixSize = 1 + len(KeyID{})

// overhead is by how much a sealed text is longer than the text: the prefix, a nonce
// and a tag.
const overhead = prefixSize + 12 + 16

// The errors of opening.
var (
	// ErrKeyGone says that the ring does not hold the key: it was destroyed, or the
	// ring is another one.
	ErrKeyGone = errors.New("the key that it is sealed with is not in the key ring")

	// ErrBroken says that a sealed text was changed, or is not in its place.
	ErrBroken = errors.New("it does not open: it was changed, or belongs elsewhere")
)

// Bind makes of several texts one that no other texts make.
func Bind(parts ...string) []byte {
	size := 0
	for _, part := range parts {
		size += 2 + len(part)
	}
	out := make([]byte, 0, size)
	for _, part := range parts {
		out = binary.AppendUvarint(out, uint64(len(part)))
		out = append(out, part...)
	}
	return out
}

// Sealed reports whether something has the form of a sealed text.
func Sealed(text []byte) bool { return len(text) > 0 && text[0] == Form }

// Open returns the text. It returns ErrKeyGone, ErrBroken, or ErrUnavailable where it
// does not know the key and cannot look for it.
func (r *Ring) Open(ctx context.Context, sealed, bound []byte) ([]byte, error) {
	if len(sealed) < overhead || sealed[0] != Form {
		return nil, fmt.Errorf("%w: %d bytes are no sealed text", ErrBroken, len(sealed))
	}
	id := KeyID(sealed[1:prefixSize])
	primitive, err := r.primitive(ctx, id)
	if err != nil {
		return nil, err
	}
	text, err := primitive.Decrypt(sealed[prefixSize:], bound)
	if err != nil {
		return nil, ErrBroken
	}
	return text, nil
}

// Ready reports whether Open answers at once: it knows the key, or that there is none.
func (r *Ring) Ready(sealed []byte) bool {
	if len(sealed) < prefixSize {
		return true
	}
	id := KeyID(sealed[1:prefixSize])
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.keys[id] != nil || r.missing[id]
}

// primitive finds a key, in memory and, where it is not there, in the storage:
// another server may have made it a moment ago.
func (r *Ring) primitive(ctx context.Context, id KeyID) (tink.AEAD, error) {
	for asked := false; ; asked = true {
		r.mu.RLock()
		k, missing := r.keys[id], r.missing[id]
		var primitive tink.AEAD
		if k != nil {
			primitive = k.primitive
		}
		r.mu.RUnlock()
		switch {
		case primitive != nil:
			return primitive, nil
		case k != nil:
			return r.unwrap(k)
		case missing || asked:
			return nil, ErrKeyGone
		}
		if err := r.look(ctx, id); err != nil {
			return nil, err
		}
	}
}

// look asks the storage for what changed, and notes when a key is not there either.
func (r *Ring) look(ctx context.Context, id KeyID) error {
	r.loading.Lock()
	defer r.loading.Unlock()
	r.mu.RLock()
	known := r.keys[id] != nil || r.missing[id]
	r.mu.RUnlock()
	if known {
		return nil
	}
	if err := r.refresh(ctx); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keys[id] == nil {
		r.missing[id] = true
	}
	return nil
}

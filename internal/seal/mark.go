package seal

import (
	"context"
	"fmt"
)

// A mark is something that a ring knows for good of the store that it belongs to. It
// is a key that seals nothing, whose period is the mark's name: so it is wrapped,
// copied and rotated with the others, and whoever can write to the store alone, or to
// the ring without the master key, cannot set or take it back unnoticed.

// AllSealed marks a ring of a store in which everything is sealed that belongs so:
// what is not is somebody else's.
const AllSealed = "sealed"

// ErrUnsealed says that something has not the form of a sealed text, in a store in
// which everything is sealed.
var ErrUnsealed = fmt.Errorf("%w (it is not sealed, as everything in this store is)", ErrBroken)

// Mark sets a mark, which is on disk when Mark returns.
func (r *Ring) Mark(ctx context.Context, mark string) error {
	lease, err := r.Use(ctx, Name{Period: mark})
	if err == nil {
		lease.Release()
	}
	return err
}

// Marked reports whether a mark is set, as far as the ring is known here.
func (r *Ring) Marked(mark string) bool { return r.uses(Name{Period: mark}) }

// Accept decides on what has not the form of a sealed text, for who is about to read
// it: it is an ErrUnsealed where everything is sealed.
func (r *Ring) Accept(text []byte) error {
	if r.Marked(AllSealed) {
		return fmt.Errorf("%w: %d bytes", ErrUnsealed, len(text))
	}
	return nil
}

// Package custody knows what a server must be sure of before it destroys anything: that
// the key ring and the attachments are its store's own, that the clock can be trusted, and
// which keys and files are missing.
//
// It owns the mark of the installation and the turns that are taken with it, and what is
// remembered of the clock. It does not know what is erased, or who may ask for that.
package custody

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"signet/internal/blob"
	"signet/internal/health"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
)

// turnEvery is how often a server takes a turn: of two copies of a store that use one key
// ring, one finds out within that time, and the other before it destroys anything.
const turnEvery = 10 * time.Minute

// The warnings of a server whose key ring or attachments another one has taken over.
const (
	topicRingOwner  = "keyring_owner"
	topicBlobsOwner = "blobs_owner"
)

// Marked is what carries a mark: a key ring, or a place of attachments.
type Marked interface {
	Owner(ctx context.Context) (model.Mark, error)
}

// Keeper sees to it that a store works only on the key ring and the attachments that are
// its own. These carry the identity of the installation and its epoch, and the turn that
// the store took with them last.
type Keeper struct {
	Store    *store.Store
	Ring     *seal.Ring
	Blobs    blob.Store // not the guarded one
	Clock    func() time.Time
	Log      *slog.Logger
	Warnings *health.Warnings
	Home     string // where the store is, for people
}

// NotOurs says that something belongs to another installation, another epoch or another
// copy of the store.
type NotOurs struct {
	What  string // "the key ring at ..."
	Mark  model.Mark
	Store model.Identity
	Fit   model.Fit
}

// Error says which two they are, and what to do.
func (n *NotOurs) Error() string {
	if n.Fit == model.Overtaken {
		return fmt.Sprintf("%s: another copy of this store has used it since (%s; that one took turn %s, and this one turn "+
			"%s): this store is a copy, or was set back to an earlier state. If it is a copy to try something out, give it a "+
			"key ring and a place for attachments of its own. If it is to go on in the place of the other, stop that one, run "+
			"\"signet restore --new-epoch\", then \"signet adopt\"",
			n.What, n.Mark.String(), n.Mark.Turn, n.Store.Turn)
	}
	return fmt.Sprintf("%s belongs to %s, and this store is %s: two of them would destroy each other's keys and files. "+
		"If this store was restored or copied to try something out, give it a key ring and a place for attachments of its "+
		"own. If the other is gone for good, or this is a copy that nobody else uses, take it over with \"signet adopt\"",
		n.What, n.Mark.String(), n.Store)
}

// Check compares a mark with the store, and returns a *NotOurs where they do not fit.
func Check(ctx context.Context, kept *store.Store, what string, of Marked) (model.Fit, error) {
	mark, err := of.Owner(ctx)
	if err != nil {
		return 0, err
	}
	now, err := kept.Identity(ctx) // after the mark
	if err != nil {
		return 0, err
	}
	fit := mark.Fit(now)
	if fit.Refused() {
		return fit, &NotOurs{what, mark, now, fit}
	}
	return fit, nil
}

// RingAt names a key ring by where it is, for messages about its mark.
func RingAt(where string) string { return "the key ring at " + where }

// BlobsAt names a place of attachments by where it is, for messages about its mark.
func BlobsAt(where string) string { return "the place of the attachments at " + where }

// CheckRing compares the key ring's mark with the store.
func (k *Keeper) CheckRing(ctx context.Context) (model.Fit, error) {
	return Check(ctx, k.Store, RingAt(k.Ring.Where()), k.Ring)
}

// CheckBlobs compares the mark of the attachments' place with the store.
func (k *Keeper) CheckBlobs(ctx context.Context) (model.Fit, error) {
	return Check(ctx, k.Store, BlobsAt(k.Blobs.String()), k.Blobs)
}

// Guarded returns the attachments for a server to use: files are kept and deleted only
// where the place is the store's own. From then on the key ring destroys keys only where it
// is the store's own, too.
func (k *Keeper) Guarded() blob.Store {
	k.Ring.Guard(k.ownsRing)
	return blob.Guard(k.Blobs, k.Clock, k.ownsBlobs)
}

func (k *Keeper) ownsRing(ctx context.Context) error {
	_, err := k.CheckRing(ctx)
	k.tell(topicRingOwner, "another installation, or another copy of this database, has taken over the key ring: "+
		"no key is destroyed any more, and this server does not start again; the log says who", err)
	return err
}

func (k *Keeper) ownsBlobs(ctx context.Context) error {
	_, err := k.CheckBlobs(ctx)
	k.tell(topicBlobsOwner, "another installation, or another copy of this database, has taken over the place of the "+
		"attachments: none is kept or erased any more, and this server does not start again; the log says who", err)
	if errors.As(err, new(*NotOurs)) {
		return fmt.Errorf("%w: %w", blob.ErrNotOurs, err)
	}
	return err
}

// tell sets or clears a warning by what a check found; where it found nothing out, it
// stays.
func (k *Keeper) tell(topic, text string, err error) {
	not, foreign := errors.AsType[*NotOurs](err)
	switch {
	case err == nil:
		k.Warnings.Clear(topic)
	case foreign && !k.Warnings.Holds(topic):
		k.Log.Error(not.Error())
		k.Warnings.Set(topic, text)
	}
}

// TakeTurn takes the next turn: what it checked before is the store's for that. The key
// ring and the attachments are told that it is being taken, then the store takes it, then
// they are told that it did; whatever is interrupted, both fit the store that did it, and
// no other copy of it. Attachments that cannot be reached are told the next time.
func (k *Keeper) TakeTurn(ctx context.Context) error {
	if err := k.ownsRing(ctx); err != nil {
		return err
	}
	blobs := k.ownsBlobs(ctx)
	next, err := k.Store.ProposeTurn(ctx, model.RandomText(12))
	if err != nil {
		return err
	}
	before, err := k.Store.Identity(ctx)
	if err != nil {
		return err
	}
	mark := model.Mark{
		Installation: before.Installation, Epoch: before.Epoch, Turn: before.Turn, Next: next,
		Home: k.Home, Used: k.Clock().UTC().Truncate(time.Second),
	}
	if err := k.mark(ctx, mark, blobs == nil); err != nil {
		return err
	}
	if err := k.Store.TakeTurn(ctx, next); err != nil {
		return err
	}
	after, err := k.Store.Identity(ctx)
	if err != nil {
		return err
	}
	mark.Turn, mark.Next = after.Turn, ""
	return errors.Join(k.mark(ctx, mark, blobs == nil), blobs)
}

// mark marks the key ring, unless another node has gone on already, and the attachments.
func (k *Keeper) mark(ctx context.Context, m model.Mark, blobs bool) error {
	err := k.Ring.SetOwner(ctx, func(now model.Mark) (model.Mark, error) {
		switch {
		case !now.Nobody() && !now.SameOwner(&m):
			return now, fmt.Errorf("%s was taken over by %s", RingAt(k.Ring.Where()), now.String())
		case now.Turn.Number() > m.Turn.Number():
			return now, nil
		}
		return m, nil
	})
	if err != nil || !blobs {
		return err
	}
	// Where it can't be written, whose the attachments are is compared all the same.
	if err = k.Blobs.SetOwner(ctx, m); err != nil && !errors.Is(err, blob.ErrUnavailable) {
		err = fmt.Errorf("%w: %w", blob.ErrUnavailable, err)
	}
	return err
}

// Run takes a turn every few minutes, until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	tick := time.NewTicker(turnEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		err := k.TakeTurn(ctx)
		if err != nil && ctx.Err() == nil && !errors.As(err, new(*NotOurs)) { // which a warning tells
			k.Log.Warn("the key ring and the attachments were not told that they are in use; it is tried again", "error", err)
		}
	}
}

package offline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"signet/internal/audit"
	"signet/internal/blob"
	"signet/internal/config"
	"signet/internal/custody"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
)

// ownRing refuses a key ring that is another installation's than the store that the
// settings name. Where there is no store, it cannot tell.
func ownRing(ctx context.Context, cfg *config.Config, ring *seal.Ring) error {
	if cfg.Database == "" && !home.Exists(home.Database(cfg.Data)) {
		return nil
	}
	return Inspect(ctx, cfg.Data, cfg.Database, func(kept *store.Store) error {
		_, err := custody.Check(ctx, kept, custody.RingAt(ring.Where()), ring)
		return home.OwnershipFault(err)
	})
}

// wantNoOwner refuses a place of attachments that an installation uses, for one that is
// not there yet.
func wantNoOwner(ctx context.Context, blobs blob.Store) error {
	mark, err := blobs.Owner(ctx)
	if err != nil || mark.Nobody() {
		return err
	}
	return home.Misconfigured{Err: fmt.Errorf("%s belongs to %s: a backup is restored to a place that nobody uses. If "+
		"these attachments are to be used again because that installation is gone, "+
		"restore the database alone (--without-blobs), then take them over with \"signet adopt\"",
		custody.BlobsAt(blobs.String()), mark.String())}
}

// Adoption is what Adopt takes over from others, or would.
type Adoption struct {
	From []Owned
	Done bool
}

// Owned is a key ring, or a place of attachments, and whose it was.
type Owned struct {
	What string
	Mark model.Mark
}

// Adopt makes the key ring and the attachments that the settings name those of the
// store that they name. No server may use that. confirm holds the epochs of all
// installations that lose something; without them nothing is taken.
func Adopt(ctx context.Context, cfg *config.Config, confirm []string) (out Adoption, err error) {
	err = alone(ctx, cfg, func(kept *store.Store) (err error) {
		out, err = adopt(ctx, cfg, kept, confirm)
		return err
	})
	return out, err
}

func adopt(ctx context.Context, cfg *config.Config, kept *store.Store, confirm []string) (out Adoption, err error) {
	expect, err := kept.Keyring(ctx)
	if err != nil {
		return out, err
	}
	ring, err := openExisting(ctx, cfg, expect, true) // as a server, so that no other uses a ring in a file meanwhile
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, ring.Close()) }()
	blobs, err := blob.At(home.Blobs(cfg.Data, cfg.Blobs))
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	self, err := kept.Identity(ctx)
	if err != nil {
		return out, err
	}
	marked := []markedStore{{custody.RingAt(ring.Where()), ring}, {custody.BlobsAt(blobs.String()), blobs}}
	var copied seal.Storage
	if cfg.KeyringCopy != "" {
		if copied, err = home.Keyring(ctx, cfg.KeyringCopy, cfg.Data, false); err != nil {
			return out, home.SetupFault(err)
		}
		defer func() { err = errors.Join(err, copied.Close()) }()
		marked = append(marked, markedStore{copyAt(copied), copied})
	}
	if out.From, err = others(ctx, kept, marked); err != nil || len(out.From) == 0 {
		return out, err
	}
	if err := wantConfirmed(out.From, confirm); err != nil {
		return out, err
	}
	mark := model.Mark{Installation: self.Installation, Epoch: self.Epoch, Turn: self.Turn, Home: home.Home(cfg),
		Used: time.Now().UTC().Truncate(time.Second)}
	take := func() error {
		err := ring.SetOwner(ctx, func(model.Mark) (model.Mark, error) { return mark, nil })
		if err == nil && copied != nil && out.takes(copyAt(copied)) {
			err = copied.SetOwner(ctx, func(model.Mark) (model.Mark, error) { return mark, nil })
		}
		there := out.takes(custody.BlobsAt(blobs.String()))
		if err == nil && !there {
			there, err = blobs.Begun(ctx)
		}
		if err == nil && there { // where there are none yet, the first start marks the place
			err = blobs.SetOwner(ctx, mark)
		}
		return err
	}
	out.Done = true
	return out, audit.RecordOutcome(ctx, kept, model.ActionAdopt, take)
}

// markedStore is what an installation marks as its own, by its name.
type markedStore struct {
	what string
	of   custody.Marked
}

// others returns which of the stores belong to another installation.
func others(ctx context.Context, kept *store.Store, marked []markedStore) (theirs []Owned, err error) {
	for _, m := range marked {
		_, err := custody.Check(ctx, kept, m.what, m.of)
		var not *custody.NotOurs
		switch {
		case errors.As(err, &not) && not.Fit == model.Overtaken:
			return theirs, home.Misconfigured{Err: err}
		case errors.As(err, &not):
			theirs = append(theirs, Owned{m.what, not.Mark})
		case err != nil:
			return theirs, err
		}
	}
	return theirs, nil
}

// wantConfirmed refuses to take from installations whose epochs were not given.
func wantConfirmed(from []Owned, confirm []string) error {
	var missing []string
	for _, o := range from {
		if epoch := o.Mark.Epoch; !slices.Contains(confirm, epoch) && !slices.Contains(missing, epoch) {
			missing = append(missing, epoch)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return home.Misconfigured{Err: fmt.Errorf("nothing was changed. To take this over, for good, say whose it "+
		"was: signet adopt --confirm=%s", strings.Join(missing, ","))}
}

// takes reports whether something is taken from another installation.
func (a *Adoption) takes(what string) bool {
	return slices.ContainsFunc(a.From, func(o Owned) bool { return o.What == what })
}

func copyAt(copied seal.Storage) string { return "the copy of the key ring at " + copied.String() }

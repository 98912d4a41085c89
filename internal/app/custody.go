package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"signet/internal/blob"
	"signet/internal/config"
	"signet/internal/custody"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
)

// ownershipFault marks the error of a key ring, or of attachments, that belong to another
// installation.
func ownershipFault(err error) error {
	if errors.As(err, new(*custody.NotOurs)) {
		return Misconfigured{err}
	}
	return err
}

// takeCustody refuses the attachments of another installation, as openRing does its key
// ring, and takes a turn with both. A bucket that is away is asked before the first file is
// kept or erased.
func takeCustody(ctx context.Context, in surroundings, kept *store.Store, ring *seal.Ring, blobs blob.Store) (*custody.Keeper, error) {
	c := &custody.Keeper{Store: kept, Ring: ring, Blobs: blobs, Clock: in.clock, Log: in.log, Warnings: in.warnings, Home: home(in.cfg)}
	ctx, cancel := context.WithTimeout(ctx, blobsTimeout)
	defer cancel()
	err := followBlobs(ctx, in, kept, blobs)
	if err == nil {
		err = c.TakeTurn(ctx)
	}
	switch {
	case errors.As(err, new(*custody.NotOurs)):
		return nil, Misconfigured{firstOf(err)}
	case errors.Is(err, blob.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		in.log.Warn("whose the attachments are is not known yet: none is kept or erased before it is", "error", err)
	case errors.Is(err, store.ErrFull), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT): // what has to be compared was
		in.log.Warn("the key ring and the attachments were not told that they are in use, as the disk is full; it is tried again", "error", err)
	case err != nil:
		return nil, err
	}
	return c, nil
}

// firstOf returns what says whose something is, without what it was wrapped in.
func firstOf(err error) error {
	var not *custody.NotOurs
	if errors.As(err, &not) {
		return not
	}
	return err
}

// home says where an installation's data is, for people: without a password.
func home(cfg *config.Config) string {
	if cfg.Database == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "an unknown machine"
		}
		return absolute(cfg.Data) + " on " + host
	}
	scheme, rest, _ := strings.Cut(cfg.Database, "://")
	rest, _, _ = strings.Cut(rest, "?")
	place, name, _ := strings.Cut(rest, "/")
	return scheme + "://" + place[strings.LastIndex(place, "@")+1:] + "/" + name
}

// ownRing refuses a key ring that is another installation's than the store that the
// settings name. Where there is no store, nobody can tell.
func ownRing(ctx context.Context, cfg *config.Config, ring *seal.Ring) error {
	if cfg.Database == "" && !exists(databasePath(cfg.Data)) {
		return nil
	}
	return inspect(ctx, cfg.Data, cfg.Database, func(kept *store.Store) error {
		_, err := custody.Check(ctx, kept, custody.RingAt(ring.Where()), ring)
		return ownershipFault(err)
	})
}

// wantNoOwner refuses a place of attachments that an installation uses, for one that is
// not there yet.
func wantNoOwner(ctx context.Context, blobs blob.Store) error {
	mark, err := blobs.Owner(ctx)
	if err != nil || mark.Nobody() {
		return err
	}
	return Misconfigured{fmt.Errorf("%s belongs to %s: a backup is restored to a place that nobody uses. If these attachments are to be used again because that installation is gone, "+
		"restore the database alone (--without-blobs), then take them over with \"signet adopt\"", custody.BlobsAt(blobs.String()), mark.String())}
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
	// As a server, so that nobody else uses a ring in a file.
	ring, err := openRingFor(ctx, cfg, cfg.Data, seal.Options{Expect: expect, Existing: true, Clock: time.Now, Log: slog.New(slog.DiscardHandler)}, true, nil)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, ring.Close()) }()
	blobs, err := blob.At(blobsLocation(cfg.Data, cfg.Blobs))
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	self, err := kept.Identity(ctx)
	if err != nil {
		return out, err
	}
	marked := []struct {
		what string
		of   custody.Marked
	}{{custody.RingAt(ring.Where()), ring}, {custody.BlobsAt(blobs.String()), blobs}}
	var copied seal.Storage
	if cfg.KeyringCopy != "" {
		if copied, err = keyring(ctx, cfg.KeyringCopy, cfg.Data, false); err != nil {
			return out, setupFault(err)
		}
		defer func() { err = errors.Join(err, copied.Close()) }()
		marked = append(marked, struct {
			what string
			of   custody.Marked
		}{copyAt(copied), copied})
	}
	files := custody.BlobsAt(blobs.String())
	confirmed := true
	var missing []string
	for _, m := range marked {
		_, err := custody.Check(ctx, kept, m.what, m.of)
		var not *custody.NotOurs
		switch {
		case errors.As(err, &not) && not.Fit == model.Overtaken:
			return out, Misconfigured{err}
		case errors.As(err, &not):
			out.From = append(out.From, Owned{m.what, not.Mark})
			if !slices.Contains(confirm, not.Mark.Epoch) {
				confirmed = false
				if !slices.Contains(missing, not.Mark.Epoch) {
					missing = append(missing, not.Mark.Epoch)
				}
			}
		case err != nil:
			return out, err
		}
	}
	if !confirmed {
		return out, Misconfigured{fmt.Errorf("nothing was changed. To take this over, for good, say whose it was: signet adopt --confirm=%s", strings.Join(missing, ","))}
	}
	if len(out.From) == 0 {
		return out, nil
	}
	mark := model.Mark{Installation: self.Installation, Epoch: self.Epoch, Turn: self.Turn, Home: home(cfg), Used: time.Now().UTC().Truncate(time.Second)}
	take := func() error {
		err := ring.SetOwner(ctx, func(model.Mark) (model.Mark, error) { return mark, nil })
		if err == nil && copied != nil && slices.ContainsFunc(out.From, func(o Owned) bool { return o.What == copyAt(copied) }) {
			err = copied.SetOwner(ctx, func(model.Mark) (model.Mark, error) { return mark, nil })
		}
		there := slices.ContainsFunc(out.From, func(o Owned) bool { return o.What == files })
		if err == nil && !there {
			there, err = blobs.Begun(ctx)
		}
		if err == nil && there { // where there are none yet, the first start marks the place
			err = blobs.SetOwner(ctx, mark)
		}
		return err
	}
	out.Done = true
	return out, recorded(ctx, kept, model.ActionAdopt, take)
}

func copyAt(copied seal.Storage) string { return "the copy of the key ring at " + copied.String() }

package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"signet/internal/audit"
	"signet/internal/blob"
	"signet/internal/custody"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
)

// followEpoch marks what lies in the data directory itself with the store's epoch where it
// has the mark of an earlier one: the store was restored, and this was put beside it. No
// other installation uses a directory that this process has locked. What a setting names,
// or a link leads to, may belong to another installation and is not followed, but where a
// standby was promoted, which takes the place of the server that it followed.
func followEpoch(ctx context.Context, in surroundings, kept *store.Store, what string, of custody.Marked,
	set func(model.Mark) error) error {
	_, err := custody.Check(ctx, kept, what, of)
	var not *custody.NotOurs
	if !errors.As(err, &not) || not.Fit != model.Foreign || not.Mark.Installation != not.Store.Installation {
		return nil // Check is asked again, and says what is wrong
	}
	// An epoch that the store did not have is that of a copy which took this over.
	if had, err := kept.HadEpoch(ctx, not.Mark.Epoch); err != nil || !had {
		return err
	}
	mark := model.Mark{
		Installation: not.Store.Installation, Epoch: not.Store.Epoch, Turn: not.Store.Turn, Home: home.Home(in.cfg),
		Used: in.clock().UTC().Truncate(time.Second),
	}
	if err := audit.RecordOutcome(ctx, kept, model.ActionAdopt, func() error { return set(mark) }); err != nil {
		return err
	}
	in.log.Info("what lies in the data directory goes on with the epoch of the restored store", "what", what, "before",
		not.Mark.Epoch, "epoch", mark.Epoch)
	return nil
}

// followRing makes a key ring in the data directory follow the epoch of the store.
func followRing(ctx context.Context, in surroundings, kept *store.Store, ring *seal.Ring) error {
	own := in.cfg.Database == "" && in.cfg.Keyring == "" && isPlain(filepath.Join(in.dir, home.KeyringFile), 0)
	if !own && !in.promoting {
		return nil
	}
	return followEpoch(ctx, in, kept, custody.RingAt(ring.Where()), ring, func(mark model.Mark) error {
		return ring.SetOwner(ctx, func(model.Mark) (model.Mark, error) { return mark, nil })
	})
}

// followRingCopy makes the copy of the key ring follow the epoch of a standby that was promoted. One that is
// away is marked by the next start, or by "signet adopt".
func followRingCopy(ctx context.Context, in surroundings, kept *store.Store) error {
	if !in.promoting || in.cfg.KeyringCopy == "" {
		return nil
	}
	copied, err := home.Keyring(ctx, in.cfg.KeyringCopy, in.dir, false)
	if err != nil {
		in.log.Warn("the copy of the key ring (keyring.copy) could not be taken over", "error", err)
		return nil
	}
	err = followEpoch(ctx, in, kept, custody.RingAt(copied.String()), copied, func(mark model.Mark) error {
		return copied.SetOwner(ctx, func(model.Mark) (model.Mark, error) { return mark, nil })
	})
	return errors.Join(err, copied.Close())
}

// followBlobs makes attachments in the data directory follow the epoch of the store.
func followBlobs(ctx context.Context, in surroundings, kept *store.Store, blobs blob.Store) error {
	own := in.cfg.Database == "" && in.cfg.Blobs == "" && isPlain(filepath.Join(in.dir, home.BlobsDirectory), fs.ModeDir)
	if !own && !in.promoting {
		return nil
	}
	return followEpoch(ctx, in, kept, custody.BlobsAt(blobs.String()), blobs, func(mark model.Mark) error {
		return blobs.SetOwner(ctx, mark)
	})
}

// isPlain reports whether there is a file of this type, and no link to one.
func isPlain(path string, kind fs.FileMode) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().Type() == kind
}

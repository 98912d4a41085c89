package offline

import (
	"context"
	"errors"
	"time"

	"signet/internal/blob"
	"signet/internal/config"
	"signet/internal/custody"
	"signet/internal/home"
	"signet/internal/store"
	"signet/internal/sweep"
)

// Pruned is what PruneBlobs found and did.
type Pruned struct{ Files, Unreferenced, Removed int }

// PruneBlobs counts the files that nothing refers to, and removes them if that is
// confirmed, however many there are. Servers may run meanwhile: what they keep is newer.
func PruneBlobs(ctx context.Context, cfg *config.Config, confirmed bool) (pruned Pruned, err error) {
	err = Inspect(ctx, cfg.Data, cfg.Database, func(kept *store.Store) (err error) {
		at, err := blob.At(home.Blobs(cfg.Data, cfg.Blobs))
		if err != nil {
			return err
		}
		files := blob.WhilePresent(at, func() {})
		defer func() { err = errors.Join(err, files.Close()) }()
		if _, err := custody.Check(ctx, kept, custody.BlobsAt(files.String()), files); err != nil {
			return home.OwnershipFault(err)
		}
		for {
			found, err := sweep.FindOrphans(ctx, kept, files, time.Now())
			if err != nil {
				return err
			}
			pruned.Files, pruned.Unreferenced = found.Of+pruned.Removed, found.Number+pruned.Removed
			if !confirmed || found.Number == 0 {
				return nil
			}
			if err := found.Remove(ctx, files, func() { pruned.Removed++ }); err != nil {
				return err
			}
		}
	})
	return pruned, err
}

package sweep

import (
	"context"
	"fmt"
	"time"

	"signet/internal/blob"
	"signet/internal/model"
	"signet/internal/store"
)

const (
	// orphanAge is how old a blob is before it counts as left over.
	orphanAge = 24 * time.Hour
	// orphanBatch is how many blobs are looked up at a time.
	orphanBatch = 500
	// orphanShare and orphanNumber bound how many files a server removes by itself: one
	// in a hundred of all, or a hundred. Uploads that were never sent are few. More are
	// the sign of another mistake: a database that was set back, or files that are
	// another installation's.
	orphanShare, orphanNumber = 100, 100
	// orphanMemory is how many of them are known at a time.
	orphanMemory = 1 << 20
	// restoredRest is for how long after a restore no server removes any.
	restoredRest = 24 * time.Hour

	topicOrphans = "attachments_unreferenced"
)

// Orphans are files that nothing refers to.
type Orphans struct {
	Number int // of them
	Of     int // files in all
	ids    []model.BlobID
}

// FindOrphans looks for files that are older than a day and that nothing refers to.
// There may be millions of files: they are looked up some at a time.
func FindOrphans(ctx context.Context, kept *store.Store, blobs blob.Store, now time.Time) (*Orphans, error) {
	found, before := &Orphans{}, now.Add(-orphanAge)
	var batch []model.BlobID
	look := func() error {
		held, err := store.Read(ctx, kept, func(tx *store.Tx) (map[model.BlobID]bool, error) { return tx.BlobsInUse(batch) })
		for _, id := range batch {
			if err == nil && !held[id] {
				if found.Number++; len(found.ids) < orphanMemory {
					found.ids = append(found.ids, id)
				}
			}
		}
		batch = batch[:0]
		return err
	}
	err := blobs.List(ctx, func(id model.BlobID, at time.Time) error {
		found.Of++
		if at.After(before) {
			return nil
		}
		if batch = append(batch, id); len(batch) < orphanBatch {
			return nil
		}
		return look()
	})
	if err == nil {
		err = look()
	}
	return found, err
}

// Remove deletes them, and calls removed after each. It goes on after one that cannot be deleted.
func (o *Orphans) Remove(ctx context.Context, blobs blob.Store, removed func()) error {
	f := &files{blobs: blobs}
	for _, id := range o.ids {
		if f.delete(ctx, id) {
			removed()
		} else if f.away {
			break
		}
	}
	return f.fault()
}

// sweepOrphans removes files that nothing refers to, unless they are suspiciously many,
// or the store was restored a short while ago.
func (w *Sweeper) sweepOrphans(ctx context.Context, now time.Time) error {
	found, err := FindOrphans(ctx, w.Store, w.Vault.Blobs, now)
	if err != nil || found.Number == 0 {
		if err == nil {
			w.Warnings.Clear(topicOrphans)
		}
		return err
	}
	spared, err := w.afterRestore(ctx, now)
	if err != nil || spared {
		return err
	}
	if found.Number > max(orphanNumber, found.Of/orphanShare) {
		w.Warnings.Set(topicOrphans, fmt.Sprintf("nothing refers to %d of %d files, which is more than a server removes by "+
			"itself: they may belong to another installation, or the database "+
			"is older than they are; look at where blobs and database point to, and if they are not needed, run \"signet "+
			"blobs prune\"", found.Number, found.Of))
		return nil
	}
	w.Warnings.Clear(topicOrphans)
	n := 0
	err = found.Remove(ctx, w.Vault.Blobs, func() { n++; w.Counts.Orphans.Add(1) })
	if n > 0 {
		w.Log.Info("removed files that nothing refers to, which were uploaded and not sent", "removed", n, "files", found.Of)
	}
	return err
}

// afterRestore reports whether the store was restored so lately that its operator may
// still be trying it: with the server that started first since, and for a day with all.
func (w *Sweeper) afterRestore(ctx context.Context, now time.Time) (bool, error) {
	since, first, err := w.Store.SinceRestore(ctx, now)
	if err != nil || since.IsZero() {
		return false, err
	}
	if first {
		w.restored.Store(true)
		w.Log.Info("the store was restored: files that nothing refers to stay until the next start, and for a day", "until",
			now.Add(restoredRest))
	}
	if w.restored.Load() || now.Sub(since) < restoredRest {
		return true, nil
	}
	return false, w.Store.ForgetRestore(ctx)
}

package sweep

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"signet/internal/blob/s3test"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/testenv"
	"signet/internal/testlog"
)

// What was uploaded and never sent is removed a day later, and nothing else is.
func TestHousekeepingRemovesUploadsThatWereNeverSent(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	for name, test := range map[string]struct {
		location string
		blobs    int
		orphan   int // one in so many
	}{
		"in a directory": {filepath.Join(t.TempDir(), "blobs"), 3*orphanBatch + 7, 16},
		"in a bucket":    {s3test.Shared(t).Bucket(t).Location(), 12, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The times of blobs are their store's.
			h := newHouse(t, test.location, slog.New(slog.DiscardHandler))
			w := h.sweeper()

			begun := time.Now() // to upload them all may take more than a minute
			kept := map[model.BlobID]bool{}
			for i := range test.blobs {
				upload := h.mustUpload()
				if i%test.orphan != 0 {
					kept[upload.Blob] = true
					h.must(h.store.Update(t.Context(), func(tx *store.Tx) error { return tx.ReferToBlob(upload.Blob, 1) }))
				}
			}
			left := func() map[model.BlobID]bool {
				t.Helper()
				found := map[model.BlobID]bool{}
				h.must(h.vault.Blobs.List(t.Context(), func(id model.BlobID, _ time.Time) error { found[id] = true; return nil }))
				return found
			}
			h.now = begun.Add(orphanAge - time.Minute)
			h.must(w.KeepHouse(t.Context()))
			if got := len(left()); got != test.blobs {
				t.Errorf("before the oldest is %v old there are %d blobs, want all %d", orphanAge, got, test.blobs)
			}
			h.now = time.Now().Add(orphanAge + time.Minute)
			h.must(w.KeepHouse(t.Context()))
			found := left()
			for id := range found {
				if !kept[id] {
					t.Errorf("blob %s, which nothing refers to, is left", id)
				}
			}
			if len(found) != len(kept) {
				t.Errorf("%d blobs are left, want the %d that something refers to", len(found), len(kept))
			}
		})
	}
}

// Where nothing refers to more than a few files, something else is wrong: they stay, and
// the operator decides. So they do after a restore.
func TestManyUnreferencedFilesStay(t *testing.T) {
	t.Parallel()
	var log testlog.Log
	h := newHouse(t, "dir:"+t.TempDir(), slog.New(slog.NewTextHandler(&log, nil)))
	w := h.sweeper()
	upload := func(n int) {
		t.Helper()
		for range n {
			h.mustUpload()
		}
	}
	wantLeft := func(want, warned int) {
		t.Helper()
		h.must(w.KeepHouse(t.Context()))
		found, err := FindOrphans(t.Context(), h.store, h.vault.Blobs, h.now)
		if err != nil || found.Number != want {
			t.Errorf("%d files are left (%v), want %d", found.Number, err, want)
		}
		if got := len(h.warnings.All()); got != warned {
			t.Errorf("%d warnings, want %d: %v", got, warned, h.warnings.All())
		}
	}
	upload(orphanNumber + 1)
	h.now = h.now.Add(orphanAge + time.Minute)
	wantLeft(orphanNumber+1, 1)
	if log.Count("level=ERROR") != 1 || log.Count("signet blobs prune") != 1 {
		t.Errorf("the log does not say once what to do:\n%s", log.String())
	}
	// The operator removes them.
	found, err := FindOrphans(t.Context(), h.store, h.vault.Blobs, h.now)
	h.must(err)
	h.must(found.Remove(t.Context(), h.vault.Blobs, func() {}))
	wantLeft(0, 0)

	// After a restore none is removed by the first server, nor for a day by the next.
	upload(3)
	h.now = h.now.Add(2*orphanAge + time.Minute)
	h.must(h.store.ChangeEpoch(t.Context(), "another"))
	w = h.sweeper()
	wantLeft(3, 0)
	if log.Count("the store was restored") != 1 {
		t.Errorf("the log does not say why they stay:\n%s", log.String())
	}
	w = h.sweeper()
	wantLeft(3, 0)
	h.now = h.now.Add(restoredRest)
	wantLeft(0, 0)
	if log.Count("removed files that nothing refers to") != 1 || w.Counts.Orphans.Load() != 3 {
		t.Errorf("%d were counted as removed, and the log is\n%s", w.Counts.Orphans.Load(), log.String())
	}
}

package service

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signet/internal/blob"
	"signet/internal/blob/s3test"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/seal/sealtest"
	"signet/internal/store"
	"signet/internal/store/enginetest"
)

// What was uploaded and never sent is removed a day later, and nothing else is.
func TestHousekeepingRemovesUploadsThatWereNeverSent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		location string
		blobs    int
	}{
		"in a directory": {filepath.Join(t.TempDir(), "blobs"), 3*orphanBatch + 7},
		"in a bucket":    {s3test.Shared(t).Bucket(t).Location(), 12},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The times of blobs are their store's.
			now := time.Now()
			clock := func() time.Time { return now }
			dir := t.TempDir()
			engine := enginetest.Open(t, dir, enginetest.Options{Clock: clock})
			t.Cleanup(func() { engine.Close() })
			kept, err := store.Open(t.Context(), engine, NewEpoch)
			if err != nil {
				t.Fatal(err)
			}
			blobs, err := blob.Open(test.location)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { blobs.Close() })
			s := New(Options{Store: kept, Ring: sealtest.Open(t, dir, clock), Blobs: blobs, Hub: live.NewHub(0), Clock: clock, Logger: slog.New(slog.DiscardHandler)})

			held := map[model.BlobID]bool{}
			for i := range test.blobs {
				upload, err := s.Upload(t.Context(), "x", "a/b", false, strings.NewReader("x"))
				if err == nil && i%3 == 0 {
					held[upload.Blob] = true
					err = kept.Update(t.Context(), func(tx *store.Tx) error { return tx.HoldBlob(upload.Blob) })
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			left := func() map[model.BlobID]bool {
				t.Helper()
				found := map[model.BlobID]bool{}
				if err := blobs.List(t.Context(), func(id model.BlobID, _ time.Time) error { found[id] = true; return nil }); err != nil {
					t.Fatal(err)
				}
				return found
			}
			for _, age := range []time.Duration{orphanAge - time.Minute, orphanAge + time.Minute} {
				now = time.Now().Add(age)
				if err := s.KeepHouse(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := len(left()); age < orphanAge && got != test.blobs {
					t.Errorf("after %v there are %d blobs, want all %d", age, got, test.blobs)
				}
			}
			found := left()
			for id := range found {
				if !held[id] {
					t.Errorf("blob %s, which nothing refers to, is left", id)
				}
			}
			if len(found) != len(held) {
				t.Errorf("%d blobs are left, want the %d that something refers to", len(found), len(held))
			}
		})
	}
}

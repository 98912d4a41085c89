package service

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signet/internal/blob"
	"signet/internal/blob/s3test"
	"signet/internal/content"
	"signet/internal/health"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/seal/sealtest"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/testlog"
)

// What was uploaded and never sent is removed a day later, and nothing else is.
func TestHousekeepingRemovesUploadsThatWereNeverSent(t *testing.T) {
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
			s := New(Options{Store: kept, Vault: &content.Vault{Store: kept, Ring: sealtest.Open(t, dir, clock), Blobs: blobs}, Hub: live.NewHub(0), Clock: clock, Logger: slog.New(slog.DiscardHandler)})

			held := map[model.BlobID]bool{}
			for i := range test.blobs {
				upload, err := s.Upload(t.Context(), "x", "a/b", false, strings.NewReader("x"))
				if err == nil && i%test.orphan != 0 {
					held[upload.Blob] = true
					err = kept.Update(t.Context(), func(tx *store.Tx) error { return tx.ReferToBlob(upload.Blob) })
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

// Where nothing refers to more than a few files, something else is wrong: they stay, and
// the operator decides. So they do after a restore.
func TestManyUnreferencedFilesStay(t *testing.T) {
	t.Parallel()
	now := time.Now()
	clock := func() time.Time { return now }
	dir := t.TempDir()
	engine := enginetest.Open(t, dir, enginetest.Options{Clock: clock})
	t.Cleanup(func() { engine.Close() })
	kept, err := store.Open(t.Context(), engine, NewEpoch)
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := blob.OpenDirectory(filepath.Join(dir, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	var log testlog.Log
	logger := slog.New(slog.NewTextHandler(&log, nil))
	warnings := health.New(logger)
	open := func() *Service {
		return New(Options{Store: kept, Vault: &content.Vault{Store: kept, Ring: sealtest.Open(t, t.TempDir(), clock), Blobs: blobs}, Hub: live.NewHub(0), Clock: clock, Logger: logger, Warnings: warnings})
	}
	s := open()
	upload := func(n int) {
		t.Helper()
		for range n {
			if _, err := s.Upload(t.Context(), "x", "a/b", false, strings.NewReader("x")); err != nil {
				t.Fatal(err)
			}
		}
	}
	wantLeft := func(want, warned int) {
		t.Helper()
		if err := s.KeepHouse(t.Context()); err != nil {
			t.Fatal(err)
		}
		found, err := FindOrphans(t.Context(), kept, blobs, now)
		if err != nil || found.Number != want {
			t.Errorf("%d files are left (%v), want %d", found.Number, err, want)
		}
		if got := len(warnings.All()); got != warned {
			t.Errorf("%d warnings, want %d: %v", got, warned, warnings.All())
		}
	}
	upload(orphanNumber + 1)
	now = now.Add(orphanAge + time.Minute)
	wantLeft(orphanNumber+1, 1)
	if log.Count("level=ERROR") != 1 || log.Count("signet blobs prune") != 1 {
		t.Errorf("the log does not say once what to do:\n%s", log.String())
	}
	// The operator removes them.
	found, err := FindOrphans(t.Context(), kept, blobs, now)
	if err == nil {
		err = found.Remove(t.Context(), blobs, func() {})
	}
	if err != nil {
		t.Fatal(err)
	}
	wantLeft(0, 0)

	// After a restore none is removed by the first server, nor for a day by the next.
	upload(3)
	now = now.Add(2*orphanAge + time.Minute)
	if err := kept.ChangeEpoch(t.Context(), NewEpoch()); err != nil {
		t.Fatal(err)
	}
	s = open()
	wantLeft(3, 0)
	if log.Count("the store was restored") != 1 {
		t.Errorf("the log does not say why they stay:\n%s", log.String())
	}
	again := open()
	s = again
	wantLeft(3, 0)
	now = now.Add(restoredRest)
	s = again
	wantLeft(0, 0)
	if log.Count("removed files that nothing refers to") != 1 || again.Counts().Orphans.Load() != 3 {
		t.Errorf("%d were counted as removed, and the log is\n%s", again.Counts().Orphans.Load(), log.String())
	}
}

package sweep

import (
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"signet/internal/blob"
	"signet/internal/model"
	"signet/internal/store"
)

// A file that cannot be deleted holds up no other one, not even where that sounds as if the whole place was away.
func TestFileThatCannotBeDeletedHoldsUpNoOther(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "blobs")
	h := newHouse(t, dir, slog.New(slog.DiscardHandler))
	var ids []model.BlobID
	const number = batch + 5
	for i := range number {
		id := model.BlobID{0: 1, 15: byte(i)}
		ids = append(ids, id)
		if i < 4 || i == number-1 { // the others are gone already
			_, err := h.vault.Blobs.Put(t.Context(), id, strings.NewReader("x"))
			h.must(err)
		}
	}
	h.must(h.store.Update(t.Context(), func(tx *store.Tx) error {
		var errs []error
		for _, id := range ids {
			errs = append(errs, tx.ReferToBlob(id, 1), tx.DropReference(id))
		}
		return errors.Join(errs...)
	}))
	parent := func(i int) string { return filepath.Join(dir, "00", fmt.Sprintf("%02x", i)) }
	first := filepath.Join(parent(0), hex.EncodeToString(ids[0][:]))
	h.must(os.Remove(first))
	h.must(os.MkdirAll(filepath.Join(first, "is a directory"), 0o700))
	h.must(os.RemoveAll(parent(1)))
	h.must(os.WriteFile(parent(1), []byte("is a file"), 0o600))
	erasures := func() []model.BlobID {
		t.Helper()
		left, err := store.Read(t.Context(), h.store, func(tx *store.Tx) ([]model.BlobID, error) {
			return tx.Erasures(model.BlobID{}, batch)
		})
		h.must(err)
		return left
	}

	w := h.sweeper()
	if err := w.eraseBlobs(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "2 files could not be deleted") {
		t.Errorf("erased with error %v, want that two files are left", err)
	}
	if got := erasures(); !slices.Equal(got, ids[:2]) {
		t.Errorf("%d files are still to be erased, want the first two", len(got))
	}
	for i, id := range ids[2:] {
		if _, err := h.vault.Blobs.Open(t.Context(), id); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("file %d is left: error %v", 2+i, err)
		}
	}
	removed := 0
	orphans := &Orphans{ids: ids[:4]}
	err := orphans.Remove(t.Context(), h.vault.Blobs, func() { removed++ })
	if err == nil || removed != 2 {
		t.Errorf("%d files that nothing refers to were removed, error %v", removed, err)
	}

	h.must(os.RemoveAll(first))
	h.must(os.Remove(parent(1)))
	h.must(w.eraseBlobs(t.Context()))
	if got := erasures(); len(got) > 0 {
		t.Errorf("%d files are still to be erased, want none", len(got))
	}
}

// Where the place is away, the first file says it for all.
func TestNoFileIsTriedInAPlaceThatIsAway(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "blobs")
	h := newHouse(t, dir, slog.New(slog.DiscardHandler))
	h.must(os.RemoveAll(dir))
	f := &files{blobs: blob.WhilePresent(h.vault.Blobs, func() {})}
	if f.delete(t.Context(), model.BlobID{1}) || !f.away || !errors.Is(f.fault(), blob.ErrUnavailable) {
		t.Errorf("the place is away: %v, error %v", f.away, f.fault())
	}
}

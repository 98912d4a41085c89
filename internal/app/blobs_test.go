package app

import (
	"context"
	"errors"
	"testing"
	"time"

	"signet/internal/blob"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/enginetest"
)

// recalling is an empty place of files, in which the first one that is looked for is recalled as
// soon as the last one is.
type recalling struct {
	blob.Store
	looked int
	recall func()
}

func (r *recalling) Open(ctx context.Context, id model.BlobID) (blob.Blob, error) {
	if r.looked++; r.looked == 3 {
		r.recall()
	}
	return r.Store.Open(ctx, id)
}

// A place that was emptied is not taken for the right one because a file that is looked for there
// is recalled at that moment.
func TestAnEmptyPlaceOfFilesIsNotBegunAsAFileIsRecalled(t *testing.T) {
	kept, err := store.Open(t.Context(), enginetest.Open(t, t.TempDir(), enginetest.Options{}), store.NewEpoch)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	update := func(fn func(tx *store.Tx) error) {
		t.Helper()
		if err := kept.Update(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	var ids []model.BlobID
	for i := range byte(3) {
		id := blobFrom(time.Now().Add(time.Duration(i)*time.Millisecond - time.Second))
		ids = append(ids, id)
		update(func(tx *store.Tx) error { return tx.ReferToBlob(id, 1) })
	}
	directory, err := blob.OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	place := &recalling{Store: directory}
	place.recall = func() { update(func(tx *store.Tx) error { return tx.DropReference(ids[0]) }) }
	f := &files{Present: blob.WhilePresent(place, func() {}), in: surroundings{clock: time.Now}, kept: kept}
	if err := f.recognize(t.Context()); !errors.Is(err, blob.ErrUnavailable) {
		t.Errorf("it is said to be %v, want that it is away", err)
	}
	if begun, err := f.Begun(t.Context()); begun || err != nil {
		t.Errorf("it is begun: %v, %v", begun, err)
	}
}

// blobFrom is an identifier as one is made at a time.
func blobFrom(at time.Time) (id model.BlobID) {
	ms := at.UnixMilli()
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	id[6], id[8] = 0x70, 0x80
	return id
}

package blob_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"signet/internal/model"
)

func remove(t *testing.T, h harness) {
	s := newBox(t, h)
	mustPut(t, s, blobID(1), []byte("x"))
	mustPut(t, s, blobID(2), []byte("y"))
	for range 2 {
		if err := s.Delete(t.Context(), blobID(1)); err != nil {
			t.Fatal(err)
		}
	}
	wantMissing(t, s, blobID(1))
	wantBlob(t, s, blobID(2), []byte("y"))
	s.wantLeft(t, 1)
}

func list(t *testing.T, h harness) {
	s := newBox(t, h)
	var want []string
	before := time.Now().Add(-time.Minute)
	for n := range byte(23) {
		mustPut(t, s, blobID(n), content(n, int(n)))
		want = append(want, blobID(n).String())
	}

	t.Run("names_every_blob_and_nothing_else", func(t *testing.T) {
		var got []string
		err := s.List(t.Context(), func(id model.BlobID, kept time.Time) error {
			if kept.Before(before) || kept.After(time.Now().Add(time.Minute)) {
				t.Errorf("%s was kept at %v", id, kept)
			}
			got = append(got, id.String())
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})

	t.Run("ends_with_the_error_of_its_function", func(t *testing.T) {
		errMine := errors.New("mine")
		calls := 0
		err := s.List(t.Context(), func(model.BlobID, time.Time) error { calls++; return errMine })
		wantError(t, err, errMine)
		if calls != 1 {
			t.Errorf("%d calls, want 1", calls)
		}
	})

	t.Run("ends_with_its_context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		err := s.List(ctx, func(model.BlobID, time.Time) error { cancel(); return nil })
		wantError(t, err, context.Canceled)
	})

	t.Run("lets_its_function_delete", func(t *testing.T) {
		err := s.List(t.Context(), func(id model.BlobID, _ time.Time) error { return s.Delete(t.Context(), id) })
		if err != nil {
			t.Fatal(err)
		}
		err = s.List(t.Context(), func(id model.BlobID, _ time.Time) error { return fmt.Errorf("%s is left", id) })
		if err != nil {
			t.Error(err)
		}
	})
}

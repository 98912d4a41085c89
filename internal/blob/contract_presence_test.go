package blob_test

import (
	"strings"
	"testing"
	"time"

	"signet/internal/blob"
	"signet/internal/model"
)

// beginning: a store knows that it was begun, and has no blob of it.
func beginning(t *testing.T, h harness) {
	s := newBox(t, h)
	for want := range 3 {
		if begun, err := s.Begun(t.Context()); err != nil || begun != (want > 0) {
			t.Errorf("begun %d times: %t, %v", want, begun, err)
		}
		if err := s.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	err := s.List(t.Context(), func(id model.BlobID, _ time.Time) error {
		t.Errorf("blob %s is listed", id)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// presence: in a place that was not begun nothing is kept, missing, or deleted.
func presence(t *testing.T, h harness) {
	open, left := h(t)
	away := 0
	s := blob.WhilePresent(mustOpenStore(t, open), func() { away++ })
	check := func(want error) {
		t.Helper()
		_, err := s.Put(t.Context(), blobID(3), strings.NewReader("y"))
		wantError(t, err, want)
		wantError(t, s.Delete(t.Context(), blobID(2)), want)
		wantError(t, s.List(t.Context(), func(model.BlobID, time.Time) error { return nil }), want)
		wantError(t, s.Check(t.Context()), want)
		_, err = s.Open(t.Context(), blobID(2))
		if want == nil {
			want = blob.ErrNotFound
		}
		wantError(t, err, want)
	}
	check(blob.ErrUnavailable)
	if names := left(t); len(names) != 0 {
		t.Errorf("there are %q in a place that was not begun", names)
	}
	if away != 4 { // Check is how one finds out
		t.Errorf("the store was said to be away %d times, want 4", away)
	}
	if err := s.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	check(nil)
	wantBlob(t, s, blobID(3), []byte("y"))
	if away != 4 {
		t.Errorf("the store was said to be away %d times, want 4", away)
	}
}

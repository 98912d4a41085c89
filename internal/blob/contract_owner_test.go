package blob_test

import (
	"testing"
	"time"

	"signet/internal/blob"
	"signet/internal/model"
)

// owner: a place has nobody's mark, then the last that was set, which is no blob.
func owner(t *testing.T, h harness) {
	open, _ := h(t)
	s := mustOpenStore(t, open)
	if got, err := s.Owner(t.Context()); err != nil || !got.Nobody() {
		t.Errorf("a new place is of %v, %v, want nobody", got, err)
	}
	mark := model.Mark{Installation: "ward", Epoch: "e1", Turn: "1-a", Next: "2-b", Home: "/srv",
		Used: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)}
	for _, epoch := range []string{"e1", "e2"} {
		mark.Epoch = epoch
		if err := s.SetOwner(t.Context(), mark); err != nil {
			t.Fatal(err)
		}
		for _, from := range []blob.Store{s, mustOpenStore(t, open)} {
			if got, err := from.Owner(t.Context()); err != nil || got != mark {
				t.Errorf("the place is of %v, %v, want %v", got, err, mark)
			}
		}
	}
	err := s.List(t.Context(), func(id model.BlobID, _ time.Time) error {
		t.Errorf("the mark is listed as blob %s", id)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

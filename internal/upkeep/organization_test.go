package upkeep

import (
	"log/slog"
	"path/filepath"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
)

// Where an erasure goes on is a place of some kind. What comes of an earlier kind meanwhile, from
// a call that had begun before the organization ended, goes too.
func TestErasureOfOrganizationGoesBackToWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	h := newHouse(t, filepath.Join(t.TempDir(), "blobs"), slog.New(slog.DiscardHandler))
	const o = model.OrganizationID("o")
	role := func(i int) error {
		return h.store.Update(t.Context(), func(tx *store.Tx) error {
			return tx.PutRole(o, model.AccountID{byte(i >> 8), byte(i)}, model.RoleAdmin, false)
		})
	}
	h.must(h.store.Update(t.Context(), func(tx *store.Tx) error {
		return tx.InsertOrganization(&model.Organization{ID: o, Name: "O", Created: h.now})
	}))
	for i := range 3 {
		h.must(role(i))
	}
	h.must(h.store.Update(t.Context(), func(tx *store.Tx) error { return tx.EndOrganization(o) }))
	rows := int64(0)
	r := remains{store: h.store, told: func([]model.AccountID) {},
		gone: func(_ []store.MessageRow, erased store.Erased) { rows += erased["roles"] }}
	erase := func() (over bool) {
		t.Helper()
		_, over, err := r.erase(t.Context(), (*store.Tx).OrganizationErasure)
		h.must(err)
		return over
	}
	erase()
	if r.at != (kind{besides, 2}) || rows != 3 {
		t.Fatalf("after the roles, of which %d went, it is at %v", rows, r.at)
	}
	r.at = kind{messages, 0}
	h.must(role(3))
	if erase() || rows != 4 {
		t.Errorf("a role that came late is left: %d of 4 went", rows)
	}
	if !erase() {
		t.Error("it is not over")
	}
}

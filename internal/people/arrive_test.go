package people

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"signet/internal/access"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/sqlite"
)

// Whoever is removed while it signs in by a provider gets no role by its groups: nothing would ever take that away.
func TestNobodyWhoHasLeftGetsARole(t *testing.T) {
	engine, err := sqlite.Open(filepath.Join(t.TempDir(), "signet.db"), sqlite.Options{Clock: time.Now})
	must(t, err)
	kept, err := store.Open(t.Context(), engine, func() string { return "epoch" })
	must(t, err)
	t.Cleanup(func() { must(t, kept.Close()) })
	enginetest.Authenticate(kept)
	p := New(Options{Store: kept, Clock: time.Now,
		Access: access.New(access.Options{Store: kept, Hub: live.NewHub(0), Clock: time.Now})})
	organization := model.Organization{ID: "aaaaaaaaaaaaaaaaaaaaaaaa", Name: "Clinic", Created: time.Now()}
	ann := model.Account{ID: model.AccountID{1}, Username: "ann", Created: time.Now()}
	err = kept.Update(t.Context(), func(tx *store.Tx) error {
		must(t, tx.InsertOrganization(&organization))
		must(t, tx.InsertAccount(&ann, ""))
		return p.followGroups(tx, &model.Actor{Account: ann.ID}, &model.AuditEntry{}, organization.ID, ann.ID, true)
	})
	if !errors.Is(err, access.Unvouched()) {
		t.Errorf("it ended with %v, want %v", err, access.Unvouched())
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

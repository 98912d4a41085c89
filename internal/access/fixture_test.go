package access

import (
	"context"
	"encoding/binary"
	"path/filepath"
	"testing"
	"time"

	"signet/internal/live"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/sqlite"
)

// fixture is a Control on the embedded store.
type fixture struct {
	t       testing.TB
	control *Control
	store   *store.Store
	now     time.Time
	made    uint64 // how many identifiers
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{t: t, now: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return f.now }
	engine, err := sqlite.Open(filepath.Join(t.TempDir(), "signet.db"), sqlite.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	f.store, err = store.Open(context.Background(), engine, func() string { return "epoch" })
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Authenticate(f.store)
	t.Cleanup(func() {
		if err := f.store.Close(); err != nil {
			t.Error(err)
		}
	})
	f.control = New(Options{Store: f.store, Hub: live.NewHub(0), Clock: clock, DefaultRegion: "US"})
	return f
}

// mustUpdate runs fn in a transaction.
func (f *fixture) mustUpdate(fn func(tx *store.Tx) error) {
	f.t.Helper()
	if err := f.store.Update(context.Background(), fn); err != nil {
		f.t.Fatal(err)
	}
}

// id makes an identifier that follows on all that were made before.
func (f *fixture) id() (id [16]byte) {
	f.made++
	binary.BigEndian.PutUint64(id[8:], f.made)
	return id
}

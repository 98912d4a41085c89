package content

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"signet/internal/blob"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/seal/sealtest"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/testclock"
)

func newVault(t *testing.T) (*Vault, *testclock.Clock) {
	t.Helper()
	clock, dir := testclock.New(), t.TempDir()
	kept, err := store.Open(t.Context(), enginetest.Open(t, dir, enginetest.Options{Clock: clock.Now}),
		func() string { return "epoch" })
	must(t, err)
	t.Cleanup(func() { must(t, kept.Close()) })
	blobs, err := blob.OpenDirectory(t.TempDir())
	must(t, err)
	return &Vault{Store: kept, Ring: sealtest.Open(t, dir, clock.Now), Blobs: blobs}, clock
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Something takes longer than a lease lasts, between sealing and storing.
func TestWhatWasSealedTooLongAgoIsSealedAgain(t *testing.T) {
	v, clock := newVault(t)
	name := seal.Name{Scope: "o", Period: seal.Always}
	tries, written := 0, 0
	must(t, v.Update(t.Context(), func(leases *Leases) error {
		tries++
		_, err := v.seal(t.Context(), leases, name, []byte("text"), nil)
		if tries == 1 {
			clock.Advance(seal.LeaseTime + time.Second)
		}
		return err
	}, func(*store.Tx) error { written++; return nil }))
	if tries != 2 || written != 1 {
		t.Errorf("sealed %d times and written %d, want 2 and 1", tries, written)
	}
	// The leases end, whatever became of it.
	failed := errors.New("failed")
	for _, result := range []error{nil, failed, store.ErrUnavailable} {
		err := v.Update(t.Context(), func(leases *Leases) error {
			_, err := v.seal(t.Context(), leases, name, []byte("text"), nil)
			return err
		}, func(*store.Tx) error { return result })
		if !errors.Is(err, result) {
			t.Errorf("got %v, want %v", err, result)
		}
	}
	nothing := func(context.Context, seal.Name) (bool, error) { return false, nil }
	if settled, err := v.Ring.End(t.Context(), clock.Now(), []seal.Name{name}, nothing); err != nil || len(settled) != 0 {
		t.Errorf("settled %v, %v, while nobody knows what became of the last", settled, err)
	}
	clock.Advance(11 * time.Minute)
	if settled, err := v.Ring.End(t.Context(), clock.Now(), []seal.Name{name}, nothing); err != nil || len(settled) != 1 {
		t.Errorf("settled %v, %v", settled, err)
	}
}

func TestKeyRingThatIsAwayIsAStoreThatIs(t *testing.T) {
	if err := ringFault(fmt.Errorf("use: %w", seal.ErrUnavailable)); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%v is not the store's", err)
	}
	if err := ringFault(seal.ErrBroken); errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%v is the store's", err)
	}
	must(t, ringFault(nil))
}

// What a message says comes back from its row, and from no other.
func TestContentOpensInItsRowOnly(t *testing.T) {
	v, clock := newVault(t)
	for _, c := range []model.Content{
		{}, {Body: "text"}, {Body: "{}", Data: []model.DataItem{{MimeType: "a/b", Namespace: "n", Payload: "p"}}},
	} {
		row := store.MessageRow{Message: model.Message{ID: model.MessageID{1}, Organization: "o", Created: clock.Now()}}
		var leases Leases
		var err error
		row.Sealed, err = v.SealMessage(t.Context(), &leases, &row, &c)
		must(t, err)
		leases.release(nil)
		got, err := v.OpenMessage(t.Context(), &row)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(c) {
			t.Errorf("%+v comes back as %+v, %v", c, got, err)
		}
		row.ID = model.MessageID{2}
		if _, err := v.OpenMessage(t.Context(), &row); !Unreadable(err) {
			t.Errorf("in another row: %v", err)
		}
	}
	if n := v.Counts.Unopened.Load(); n != 3 {
		t.Errorf("counted %d that did not open", n)
	}
}

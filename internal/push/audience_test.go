package push

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/subscriptions"
)

// A server that could not ask for a long time learns all the same who has subscribed at others meanwhile.
func TestWhoSubscribedWhileTheStoreWasAwayIsKnown(t *testing.T) {
	kept, err := store.Open(t.Context(), enginetest.Open(t, t.TempDir(), enginetest.Options{}),
		func() string { return "epoch" })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kept.Close() })
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	p := New(Options{Store: kept, Clock: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)})
	if err := p.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	account := model.AccountID{7}
	now = now.Add(time.Minute)
	err = kept.Update(t.Context(), func(tx *store.Tx) error { // at another server
		return subscriptions.Put(tx, &subscriptions.Subscription{Account: account, ID: model.SubscriptionID{8},
			Mark: []byte("mark"), Sealed: []byte("sealed"), Created: now}, most)
	})
	if err != nil {
		t.Fatal(err)
	}
	away, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		now = now.Add(time.Hour)
		if err := p.audience.look(away, kept, now); err == nil {
			t.Fatal("the store was not away")
		}
	}
	if got := p.audience.among([]model.AccountID{account}); len(got) != 0 {
		t.Fatalf("it knows of %v", got)
	}
	if err := p.audience.look(t.Context(), kept, now); err != nil {
		t.Fatal(err)
	}
	if got := p.audience.among([]model.AccountID{account}); len(got) != 1 {
		t.Error("it does not know who has subscribed")
	}
	if got := p.audience.looked; !got.Equal(now) {
		t.Errorf("it asked last at %v, want %v", got, now)
	}
}

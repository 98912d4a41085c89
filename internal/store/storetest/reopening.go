package storetest

import (
	"testing"

	"signet/internal/store"
	"signet/internal/store/conformance"
)

// reopening: what was answered is there after a restart.
func reopening(t *testing.T, h conformance.Harness) {
	t.Run("keeps_the_tables", func(t *testing.T) {
		d := conformance.NewDatabase(t, h)
		p := mustOpenPlatform(t, d)
		account := p.mustAccount(t, "ann")
		conformance.MustClose(t, p)
		for range 2 {
			p = mustOpenPlatform(t, d)
			got := mustFind(t, p, "the account", func(tx *store.Tx) (any, bool, error) {
				a, found, err := tx.Account(account.ID)
				return a, found, err
			})
			wantEqual[any](t, "account after a restart", got, account)
			conformance.MustClose(t, p)
		}
	})

	t.Run("keeps_the_epoch_and_the_secret", func(t *testing.T) {
		d := conformance.NewDatabase(t, h)
		p := mustOpenPlatform(t, d)
		secret := string(p.Secret())
		if len(secret) < 32 {
			t.Errorf("the secret has %d bytes", len(secret))
		}
		wantEqual(t, "epoch", p.Epoch(), "first")
		conformance.MustClose(t, p)
		for _, name := range []string{"second", "third"} {
			again, err := store.Open(t.Context(), d.MustOpen(t), conformance.Epoch(name))
			if err != nil {
				t.Fatal(err)
			}
			wantEqual(t, "epoch after a restart", again.Epoch(), "first")
			wantEqual(t, "secret after a restart", string(again.Secret()), secret)
			conformance.MustClose(t, again)
		}
		if other := newPlatform(t, h); string(other.Secret()) == secret {
			t.Error("two installations have the same secret")
		}
	})

	t.Run("keeps_messages_queues_and_counters", func(t *testing.T) {
		d := conformance.NewDatabase(t, h)
		p := mustOpenPlatform(t, d)
		ann, bob := p.mustAccount(t, "ann").ID, p.mustAccount(t, "bob").ID
		organization := p.mustOrganization(t, ann, bob)
		var sent []*store.MessageRow
		for range 3 {
			m := p.letter(organization, ann, bob)
			p.mustSend(t, m)
			sent = append(sent, m)
			conformance.MustClose(t, p)
			made := p.made.Load()
			p = mustOpenPlatform(t, d)
			p.made.Store(made)
			p.wantQueued(t, bob, sent...)
			p.wantUnread(t, bob, len(sent), 0)
		}
	})
}

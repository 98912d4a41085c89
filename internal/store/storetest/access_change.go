package storetest

import (
	"errors"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/erasure"
)

// alone reports whether no other server writes to the store.
func (p *platform) alone(t testing.TB) bool {
	t.Helper()
	return mustRead(t, p, func(tx *store.Tx) (bool, error) { return tx.Alone(), nil })
}

func (p *platform) accessChanges(t testing.TB) []store.AccessChange {
	t.Helper()
	return mustRead(t, p, func(tx *store.Tx) (out []store.AccessChange, err error) {
		if err = tx.AskAccessChanges(&out); err == nil {
			err = tx.Await()
		}
		return out, err
	})
}

// accessChanges: whatever takes access away tells the servers whose, and what gives it does not.
func accessChanges(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	first, second := p.mustOrganization(t, ann, bob, eve), p.mustOrganization(t, ann)
	alone := p.alone(t)
	now, nobody := p.now(), model.AccountID{}
	key := func(name string, account model.AccountID, change ...func(*model.Key)) func(*store.Tx) error {
		k := model.Key{Key: name, Account: account, SecretHash: []byte{1}, PreviousHash: []byte{}, Counter: name,
			Created: now}
		for _, c := range change {
			c(&k)
		}
		return func(tx *store.Tx) error { return tx.InsertKey(&k) }
	}
	for _, step := range []struct {
		name string
		do   func(*store.Tx) error
		want []model.AccountID
	}{
		{"a_new_key", key("one", ann), nil},
		{"another_one", key("two", bob), nil},
		{"one_that_has_ended", key("over", bob, func(k *model.Key) { k.Expires = now.Add(-time.Hour) }), nil},
		{"one_whose_issuer_has", key("orphan", eve, func(k *model.Key) { k.Parent = "gone" }), nil},
		{"a_new_place", func(tx *store.Tx) error {
			_, err := tx.PutMembership(model.Membership{Organization: second, Account: bob, Joined: now})
			return err
		}, nil},
		{"a_use", func(tx *store.Tx) error { return tx.TouchKeys(map[string]model.KeyUse{"one": {At: now}}) }, nil},
		{"a_label", func(tx *store.Tx) error { return tx.LabelKey("one", "ward") }, nil},
		{"another_secret", func(tx *store.Tx) error { return tx.RotateKey("one", []byte{2}, now) }, []model.AccountID{ann}},
		{"a_narrower_scope", func(tx *store.Tx) error { return tx.SetKeyScope([]string{"two"}, first) },
			[]model.AccountID{bob}},
		{"the_end_of_keys", func(tx *store.Tx) error { return tx.DeleteKeys([]string{"one", "two", "three"}) },
			[]model.AccountID{ann, bob}},
		{"the_end_of_none", func(tx *store.Tx) error { return tx.DeleteKeys(nil) }, nil},
		{"the_end_of_issuers", func(tx *store.Tx) error { return tx.DeleteExpiredKeys(now, store.IdleSince{}) },
			[]model.AccountID{eve}},
		{"a_disabled_account", func(tx *store.Tx) error { return tx.SetDisabled(bob, true) }, []model.AccountID{bob}},
		{"the_end_of_a_place", func(tx *store.Tx) error { return tx.DeleteMembership(first, ann) }, []model.AccountID{ann}},
		{"the_end_of_an_account", func(tx *store.Tx) error { return erasure.CloseAccount(tx, eve) },
			[]model.AccountID{nobody}},
		{"the_end_of_an_organization", func(tx *store.Tx) error { return erasure.EndOrganization(tx, second) },
			[]model.AccountID{nobody}},
	} {
		t.Run(step.name, func(t *testing.T) {
			err := p.Update(t.Context(), func(tx *store.Tx) error { return errors.Join(step.do(tx), errUndo) })
			wantError(t, "undone", err, errUndo)
			wantEqual(t, "changes that were undone", len(p.accessChanges(t)), 0)

			p.mustUpdate(t, step.do)
			changes := p.accessChanges(t)
			got := []model.AccountID{}
			for _, c := range changes {
				got = append(got, c.Account)
				wantEqual(t, "everybody", c.Everybody(), c.Account.IsZero())
			}
			if alone { // it ends its readers itself
				step.want = nil
			}
			wantSame(t, "whose", got, step.want...)
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.ForgetAccessChanges(changes) })
			wantEqual(t, "changes that were seen", len(p.accessChanges(t)), 0)
		})
	}
}

// errUndo undoes a transaction.
var errUndo = errors.New("undo it")

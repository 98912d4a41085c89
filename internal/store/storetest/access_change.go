package storetest

import (
	"errors"
	"slices"
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

// accessNumbers returns the numbers of the accounts' access.
func (p *platform) accessNumbers(t testing.TB, accounts ...model.AccountID) map[model.AccountID]int64 {
	t.Helper()
	return mustRead(t, p, func(tx *store.Tx) (map[model.AccountID]int64, error) {
		versions := make([]store.AccessVersion, len(accounts))
		for i, account := range accounts {
			versions[i].Account = account
			if err := tx.AskAccess(&versions[i]); err != nil {
				return nil, err
			}
		}
		err := tx.Await()
		out := map[model.AccountID]int64{}
		for _, v := range versions {
			out[v.Account] = v.Number
		}
		return out, err
	})
}

// wantHeld checks that a transaction which has a position of the accounts finds these numbers.
func (p *platform) wantHeld(t testing.TB, want map[model.AccountID]int64) {
	t.Helper()
	got := map[model.AccountID]int64{}
	p.mustUpdate(t, func(tx *store.Tx) error {
		var accounts []model.AccountID
		var versions []*store.AccessVersion
		for account := range want {
			accounts = append(accounts, account)
			versions = append(versions, &store.AccessVersion{Account: account})
		}
		var position int64
		err := tx.AskPositionAndAccess(&position, accounts, versions...)
		if err == nil {
			err = tx.Await()
		}
		for _, v := range versions {
			got[v.Account] = v.Number
		}
		return err
	})
	wantEqual(t, "numbers with a position", got, want)
}

// wantEnded checks that one of the organizations is among those that have ended while it is being
// erased, where the numbers do not tell that.
func (p *platform) wantEnded(t testing.TB, among []model.OrganizationID, one model.OrganizationID) {
	t.Helper()
	p.mustView(t, func(tx *store.Tx) error {
		ended, err := tx.AskEnded(among)
		if err != nil {
			return err
		}
		erased, err := erasure.BeingErased(tx, one)
		wantEqual(t, "it has ended", ended.Found, erased && !tx.Alone())
		if ended.Found {
			wantEqual(t, "which has", ended.Row, one)
		}
		return err
	})
}

// accessChanges: whatever takes access away tells the servers whose, and replaces their numbers; and
// what gives it does not.
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
		name   string
		do     func(*store.Tx) error
		want   []model.AccountID // whose access changes
		untold []model.AccountID // likewise, without a word to the servers
	}{
		{"a_new_key", key("one", ann), nil, nil},
		{"another_one", key("two", bob), nil, nil},
		{"one_that_has_ended", key("over", bob, func(k *model.Key) { k.Expires = now.Add(-time.Hour) }), nil, nil},
		{"one_whose_issuer_has", key("orphan", eve, func(k *model.Key) { k.Parent = "gone" }), nil, nil},
		{"a_new_place", func(tx *store.Tx) error {
			_, err := tx.PutMembership(model.Membership{Organization: second, Account: bob, Joined: now})
			return err
		}, nil, nil},
		{"a_use", func(tx *store.Tx) error { return tx.TouchKeys(map[string]model.KeyUse{"one": {At: now}}) }, nil, nil},
		{"a_label", func(tx *store.Tx) error { return tx.LabelKey("one", "ward") }, nil, nil},
		{"another_secret", func(tx *store.Tx) error { return tx.RotateKey("one", []byte{2}, now) }, []model.AccountID{ann},
			nil},
		{"other_limits", func(tx *store.Tx) error { return tx.LimitKeys(ann, "one", nil, new(7)) }, []model.AccountID{ann},
			nil},
		{"a_narrower_scope", func(tx *store.Tx) error { return tx.SetKeyScope([]string{"two"}, first) },
			[]model.AccountID{bob}, nil},
		{"the_end_of_keys", func(tx *store.Tx) error { return tx.DeleteKeys([]string{"one", "two", "three"}) },
			[]model.AccountID{ann, bob}, nil},
		{"the_end_of_none", func(tx *store.Tx) error { return tx.DeleteKeys(nil) }, nil, nil},
		{"the_end_of_issuers", func(tx *store.Tx) error { return tx.DeleteExpiredKeys(now, store.IdleSince{}) },
			[]model.AccountID{eve}, []model.AccountID{bob}},
		{"a_disabled_account", func(tx *store.Tx) error { return tx.SetDisabled(bob, true) }, []model.AccountID{bob}, nil},
		{"the_end_of_a_place", func(tx *store.Tx) error { return tx.DeleteMembership(first, ann) }, []model.AccountID{ann},
			nil},
		{"the_end_of_an_account", func(tx *store.Tx) error { return erasure.CloseAccount(tx, eve) },
			[]model.AccountID{nobody}, []model.AccountID{eve}},
		{"the_end_of_an_organization", func(tx *store.Tx) error { return erasure.EndOrganization(tx, second) },
			[]model.AccountID{nobody}, nil},
		{"the_end_of_its_members", func(tx *store.Tx) error {
			_, _, _, err := erasure.EraseMembers(tx, second, 1000)
			return err
		}, nil, []model.AccountID{ann, bob}},
	} {
		t.Run(step.name, func(t *testing.T) {
			before := p.accessNumbers(t, ann, bob, eve)
			err := p.Update(t.Context(), func(tx *store.Tx) error { return errors.Join(step.do(tx), errUndo) })
			wantError(t, "undone", err, errUndo)
			wantEqual(t, "changes that were undone", len(p.accessChanges(t)), 0)
			p.wantHeld(t, before)

			p.mustUpdate(t, step.do)
			after := p.accessNumbers(t, ann, bob, eve)
			p.wantHeld(t, after)
			changed := slices.Concat(step.want, step.untold)
			for _, account := range []model.AccountID{ann, bob, eve} {
				want := slices.Contains(changed, account)
				if alone { // it has one number for all
					want = len(changed) > 0
				}
				wantEqual(t, "another number of "+account.String(), before[account] != after[account], want)
			}
			p.wantEnded(t, []model.OrganizationID{first, second}, second)
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

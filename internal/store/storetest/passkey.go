package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/erasure"
)

// madePasskey adds a passkey whose credential nobody has.
func madePasskey(tx *store.Tx, key *model.Passkey) error {
	added, err := tx.InsertPasskey(key)
	if err == nil && !added {
		err = errors.New("some account has the credential")
	}
	return err
}

// passkey is one as it is made.
func (p *platform) passkey(account model.AccountID, credential string) model.Passkey {
	return model.Passkey{ID: model.PasskeyID(p.id()), Account: account, Credential: []byte(credential),
		PublicKey: []byte("public " + credential), RelyingParty: "example.com", Created: p.now()}
}

func (p *platform) mustPasskey(t testing.TB, key *model.Passkey) {
	t.Helper()
	p.mustUpdate(t, func(tx *store.Tx) error { return madePasskey(tx, key) })
}

func passkeys(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	organization := p.mustOrganization(t, ann, bob, eve)
	of := func(account model.AccountID) string {
		t.Helper()
		return fmt.Sprintf("%+v", mustRead(t, p, func(tx *store.Tx) ([]model.Passkey, error) { return tx.Passkeys(account) }))
	}
	first, second := p.passkey(ann, "first"), p.passkey(ann, "second")
	second.Eligible, second.Copied, second.Scope, second.Parent = true, true, organization, "parent"
	second.Label, second.Transports, second.Counter = "phone", []string{"internal", "hybrid"}, 1<<32-1
	second.Created, second.LastUsed = p.now().Add(time.Second), p.now().Add(time.Minute)
	p.mustPasskey(t, &first)
	p.mustPasskey(t, &second)
	wantEqual(t, "those of the account", of(ann), fmt.Sprintf("%+v", []model.Passkey{first, second}))
	wantEqual(t, "those of another", of(bob), "[]")

	t.Run("are_found_by_account_and_token", func(t *testing.T) {
		for _, find := range []func(*store.Tx, model.AccountID, model.PasskeyID) (model.Passkey, bool, error){
			(*store.Tx).Passkey, (*store.Tx).LockPasskey} {
			p.mustUpdate(t, func(tx *store.Tx) error {
				got, found, err := find(tx, ann, second.ID)
				wantEqual(t, "found", found, true)
				wantEqual(t, "it", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", second))
				if err != nil {
					return err
				}
				_, found, err = find(tx, bob, second.ID)
				wantEqual(t, "found of another", found, false)
				return err
			})
		}
	})
	t.Run("have_a_credential_that_nobody_else_has", func(t *testing.T) {
		for _, account := range []model.AccountID{ann, bob} {
			again := p.passkey(account, "first")
			p.mustUpdate(t, func(tx *store.Tx) error {
				added, err := tx.InsertPasskey(&again)
				wantEqual(t, "added", added, false)
				return err
			})
		}
		wantEqual(t, "those of another", of(bob), "[]")
	})
	t.Run("are_used", func(t *testing.T) {
		first.Copied, first.Counter, first.LastUsed = true, 7, p.now().Add(time.Hour)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.UsePasskey(&first) })
		wantEqual(t, "those of the account", of(ann), fmt.Sprintf("%+v", []model.Passkey{first, second}))
	})
	t.Run("end_with_their_key", func(t *testing.T) {
		third, fourth := p.passkey(bob, "third"), p.passkey(bob, "fourth")
		third.Parent, fourth.Parent = "revoked", "expired"
		for _, k := range []model.Key{{Key: "revoked"}, {Key: "expired", Expires: p.now().Add(time.Second)}} {
			k.Account, k.SecretHash, k.PreviousHash, k.Counter, k.Created = bob, []byte("x"), []byte{}, k.Key, p.now()
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertKey(&k) })
		}
		p.mustPasskey(t, &third)
		p.mustPasskey(t, &fourth)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteKeys([]string{"revoked"}) })
		wantEqual(t, "what is left", of(bob), fmt.Sprintf("%+v", []model.Passkey{fourth}))
		p.mustUpdate(t, func(tx *store.Tx) error {
			return tx.DeleteExpiredKeys(p.now().Add(time.Minute), store.IdleSince{})
		})
		wantEqual(t, "what is left", of(bob), "[]")
		wantEqual(t, "those whose key nobody knows", of(ann), fmt.Sprintf("%+v", []model.Passkey{first}))
		p.mustPasskey(t, &second)
	})
	t.Run("tell_which_keys_they_proved", func(t *testing.T) {
		k := model.Key{Key: "session", Account: ann, SecretHash: []byte("x"), PreviousHash: []byte{}, Counter: "session",
			Login: true, Session: true, Proof: model.ProofPassword, Created: p.now()}
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertKey(&k) })
		proven := func(by model.Proof) int {
			t.Helper()
			return len(mustRead(t, p, func(tx *store.Tx) ([]string, error) { return tx.KeysProvenBy(ann, by) }))
		}
		wantEqual(t, "by the password", proven(model.ProofPassword), 1)
		until := p.now().Add(time.Hour)
		for _, elevated := range []time.Time{{}, until, {}} {
			p.mustUpdate(t, func(tx *store.Tx) error {
				return tx.ProveKey("session", model.ProofOf(first.ID), "", []byte("y"), p.now(), elevated)
			})
		}
		got := mustRead(t, p, func(tx *store.Tx) (model.Key, error) {
			k, _, err := tx.Key("session")
			return k, err
		})
		k.Proof, k.SecretHash, k.PreviousHash, k.PreviousUntil = model.ProofOf(first.ID), []byte("y"), []byte("y"), p.now()
		k.Elevated = until
		wantEqual(t, "the key", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", k))
		wantEqual(t, "by the password", proven(model.ProofPassword), 0)
		wantEqual(t, "by the passkey", proven(model.ProofOf(first.ID)), 1)
	})
	t.Run("are_allowed_once_more", func(t *testing.T) {
		until := func() time.Time {
			t.Helper()
			return mustRead(t, p, func(tx *store.Tx) (time.Time, error) { return tx.PasskeyAllowed(ann) })
		}
		wantEqual(t, "until", until(), time.Time{})
		for _, want := range []time.Time{p.now().Add(time.Hour), p.now().Add(2 * time.Hour)} {
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.AllowPasskey(ann, want) })
			wantEqual(t, "until", until(), want)
		}
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.ForgetAllowance(ann) })
		wantEqual(t, "until", until(), time.Time{})
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.AllowPasskey(ann, p.now().Add(time.Hour)) })
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeletePasskeyRest(p.now().Add(time.Hour + 1)) })
		wantEqual(t, "once it is over", until(), p.now().Add(time.Hour))
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeletePasskeyRest(p.now().Add(2 * time.Hour)) })
		wantEqual(t, "once it was swept", until(), time.Time{})
	})
	t.Run("are_removed", func(t *testing.T) {
		for _, want := range []bool{true, false} {
			p.mustUpdate(t, func(tx *store.Tx) error {
				was, err := tx.DeletePasskey(ann, first.ID)
				wantEqual(t, "it was there", was, want)
				return err
			})
		}
		wantEqual(t, "what is left", of(ann), fmt.Sprintf("%+v", []model.Passkey{second}))
	})
	t.Run("end_with_their_organization", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error {
			if err := erasure.EndOrganization(tx, organization); err != nil {
				return err
			}
			return tx.Await()
		})
		wantEqual(t, "those of its scope", of(ann), "[]")
	})
	t.Run("end_with_their_account", func(t *testing.T) {
		last := p.passkey(eve, "last")
		p.mustPasskey(t, &last)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.AllowPasskey(eve, p.now()) })
		p.mustUpdate(t, func(tx *store.Tx) error { return erasure.CloseAccount(tx, eve) })
		wantEqual(t, "what is left", of(eve), "[]")
	})
}

func passkeyChallenges(t *testing.T, h conformance.Harness) {
	p, ann, _ := newPair(t, h)
	take := func(mark string) (c model.Challenge, found bool) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			c, found, err = tx.TakeChallenge([]byte(mark), p.now())
			return err
		})
		return c, found
	}
	note := func(c *model.Challenge) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.NoteChallenge(c, p.now()) })
	}
	c := model.Challenge{Mark: []byte("mark"), Purpose: model.ToMakePasskey, Account: ann, Key: "session",
		Expires: p.now().Add(time.Minute)}
	note(&c)
	got, found := take("mark")
	wantEqual(t, "found", found, true)
	wantEqual(t, "it", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", c))
	_, found = take("mark")
	wantEqual(t, "found once more", found, false)
	_, found = take("another")
	wantEqual(t, "found another", found, false)

	t.Run("is_taken_by_one_of_many", func(t *testing.T) {
		note(&c)
		var taken atomic.Int64
		var calls sync.WaitGroup
		for range 8 {
			calls.Go(func() {
				found := false
				err := p.Update(t.Context(), func(tx *store.Tx) (err error) {
					_, found, err = tx.TakeChallenge(c.Mark, p.now())
					return err
				})
				if err != nil {
					t.Error(err)
				}
				if found {
					taken.Add(1)
				}
			})
		}
		calls.Wait()
		wantEqual(t, "taken", taken.Load(), int64(1))
	})
	t.Run("expires", func(t *testing.T) {
		c := model.Challenge{Mark: []byte("late"), Purpose: model.ToSignIn, Expires: p.now().Add(time.Minute)}
		note(&c)
		p.clock.Advance(time.Minute)
		_, found := take("late")
		wantEqual(t, "found", found, false)
	})
	t.Run("is_forgotten_with_others", func(t *testing.T) {
		count := func() int {
			t.Helper()
			return mustRead(t, p, func(tx *store.Tx) (n int, err error) {
				_, err = tx.One(`SELECT COUNT(*) FROM passkey_challenges`+Forging, nil, &n)
				return n, err
			})
		}
		for i := range 7 {
			note(&model.Challenge{Mark: fmt.Appendf(nil, "%d", i), Purpose: model.ToSignIn, Expires: p.now().Add(time.Second)})
		}
		wantEqual(t, "kept", count(), 7)
		p.clock.Advance(time.Second + time.Millisecond)
		note(&model.Challenge{Mark: []byte("a"), Purpose: model.ToSignIn, Expires: p.now().Add(time.Hour)})
		wantEqual(t, "kept", count(), 4)
		note(&model.Challenge{Mark: []byte("b"), Purpose: model.ToSignIn, Expires: p.now().Add(time.Hour)})
		wantEqual(t, "kept", count(), 2)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeletePasskeyRest(p.now().Add(2 * time.Hour)) })
		wantEqual(t, "kept after the sweep", count(), 0)
	})
}

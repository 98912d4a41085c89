package storetest

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/erasure"
	"signet/internal/store/subscriptions"
)

func pushSubscriptions(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	n := 0
	subscription := func(account model.AccountID) *subscriptions.Subscription {
		n++
		return &subscriptions.Subscription{Account: account, ID: model.SubscriptionID(p.id()), Key: "key",
			Host: "push.example.net", Mark: fmt.Appendf(nil, "mark %d", n), Sealed: []byte{0, byte(n)},
			Created: p.now().Add(time.Duration(n) * time.Second)}
	}
	put := func(s *subscriptions.Subscription, most int) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error { return subscriptions.Put(tx, s, most) })
	}
	of := func(account model.AccountID) []subscriptions.Subscription {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]subscriptions.Subscription, error) {
			return subscriptions.Of(tx, account)
		})
	}
	a, b := subscription(ann), subscription(ann)
	t.Run("come_back_as_they_were", func(t *testing.T) {
		a.LastSuccess, a.Rests, a.Pushes, a.Told = p.now(), p.now().Add(time.Second), 7, 6
		a.Unwanted = p.now().Add(time.Minute)
		put(a, 20)
		put(b, 20)
		wantEqual(t, "all", of(ann), []subscriptions.Subscription{*a, *b})
		wantEqual(t, "of another", len(of(bob)), 0)
	})
	t.Run("are_renewed_by_their_account", func(t *testing.T) {
		again := subscription(ann)
		again.Mark, again.Key = a.Mark, "another key"
		put(again, 20)
		a.Key, a.Sealed, a.Created = again.Key, again.Sealed, again.Created
		wantEqual(t, "all", of(ann), []subscriptions.Subscription{*b, *a})
	})
	t.Run("are_one_for_each_browser", func(t *testing.T) {
		again := subscription(bob)
		again.Mark = a.Mark
		put(again, 20)
		wantEqual(t, "those of before", of(ann), []subscriptions.Subscription{*b})
		wantEqual(t, "those of the other", of(bob), []subscriptions.Subscription{*again})
		each := mustRead(t, p, func(tx *store.Tx) ([]subscriptions.Subscription, error) {
			return subscriptions.OfEach(tx, []model.AccountID{ann}, []model.SubscriptionID{again.ID})
		})
		wantEqual(t, "those of both", len(each), 2)
		owners := mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) {
			return subscriptions.Owners(tx, model.AccountID{}, 10)
		})
		wantEqual(t, "owners", len(owners), 2)
		owners = mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) {
			return subscriptions.Owners(tx, owners[0], 10)
		})
		wantEqual(t, "owners after the first", len(owners), 1)
		since := mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) {
			return subscriptions.OwnersSince(tx, again.Created)
		})
		wantEqual(t, "owners since", since, []model.AccountID{bob})
	})
	t.Run("are_one_however_many_calls_come_at_once", func(t *testing.T) {
		same := subscription(bob)
		var calls sync.WaitGroup
		for range 8 {
			s := *same
			s.ID = model.SubscriptionID(p.id())
			calls.Go(func() {
				err := p.Update(t.Context(), func(tx *store.Tx) error { return subscriptions.Put(tx, &s, 20) })
				if err != nil {
					t.Error(err)
				}
			})
		}
		calls.Wait()
		wantEqual(t, "those of the account", len(of(bob)), 2)
	})
	t.Run("are_one_of_two_accounts_that_come_at_once", func(t *testing.T) {
		for range 20 {
			first := subscription(ann)
			second := *first
			second.Account, second.ID = bob, model.SubscriptionID(p.id())
			var calls sync.WaitGroup
			for _, s := range []*subscriptions.Subscription{first, &second} {
				calls.Go(func() {
					err := p.Update(t.Context(), func(tx *store.Tx) error { return subscriptions.Put(tx, s, 20) })
					if err != nil {
						t.Error(err)
					}
				})
			}
			calls.Wait()
			var left []subscriptions.Subscription
			for _, s := range append(of(ann), of(bob)...) {
				if bytes.Equal(s.Mark, first.Mark) {
					left = append(left, s)
				}
			}
			if len(left) != 1 || left[0].ID != first.ID && left[0].ID != second.ID {
				t.Fatalf("of the browser there are %+v, want %+v or %+v", left, first, second)
			}
		}
	})
	t.Run("are_so_many_at_most", func(t *testing.T) {
		c, d := subscription(ann), subscription(ann)
		put(c, 2)
		put(d, 2)
		wantEqual(t, "the newest", of(ann), []subscriptions.Subscription{*c, *d})
		b = c
	})
	t.Run("are_begun_once", func(t *testing.T) {
		rests := p.now().Add(5 * time.Second)
		for i, want := range []bool{true, false} {
			p.mustUpdate(t, func(tx *store.Tx) error {
				begun, err := subscriptions.Begin(tx, b, rests)
				wantEqual(t, fmt.Sprintf("begun the %d. time", i+1), begun, want)
				return err
			})
		}
		p.mustUpdate(t, func(tx *store.Tx) error { return subscriptions.Rest(tx, b, rests.Add(-time.Second)) })
		unwanted := p.now().Add(time.Minute)
		for _, until := range []time.Time{unwanted, unwanted.Add(-time.Second)} {
			p.mustUpdate(t, func(tx *store.Tx) error { return subscriptions.Refuse(tx, b, until) })
		}
		for _, push := range []int64{2, 1} {
			p.mustUpdate(t, func(tx *store.Tx) error {
				return subscriptions.Succeeded(tx, b, push, p.now().Add(time.Duration(2-push)*time.Second))
			})
		}
		b.Pushes, b.Rests, b.LastSuccess, b.Unwanted, b.Told = 1, rests, p.now(), unwanted, 2
		wantEqual(t, "it", of(ann)[0], *b)
		p.mustUpdate(t, func(tx *store.Tx) error { return subscriptions.Rest(tx, b, rests.Add(time.Second)) })
		wantEqual(t, "it rests until", of(ann)[0].Rests, rests.Add(time.Second))
	})
	t.Run("end", func(t *testing.T) {
		for _, want := range []bool{true, false} {
			p.mustUpdate(t, func(tx *store.Tx) error {
				was, err := subscriptions.Delete(tx, ann, b.ID)
				wantEqual(t, "it was there", was, want)
				return err
			})
		}
		wantEqual(t, "what is left", len(of(ann)), 1)
	})
	t.Run("end_with_their_key", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteKeys([]string{"key"}) })
		wantEqual(t, "what is left", len(of(ann))+len(of(bob)), 0)
		expired := model.Key{Key: "expired", Account: ann, SecretHash: []byte("x"), PreviousHash: []byte{},
			Counter: "expired", Created: p.now(), Expires: p.now().Add(time.Second)}
		stays := expired
		stays.Key, stays.Expires = "stays", time.Time{}
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertKey(&expired) })
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertKey(&stays) })
		one, two := subscription(ann), subscription(ann)
		one.Key, two.Key = expired.Key, stays.Key
		put(one, 20)
		put(two, 20)
		p.mustUpdate(t, func(tx *store.Tx) error {
			return tx.DeleteExpiredKeys(p.now().Add(time.Minute), store.IdleSince{})
		})
		wantEqual(t, "what is left", of(ann), []subscriptions.Subscription{*two})
	})
	t.Run("end_with_their_account", func(t *testing.T) {
		for more := true; more; {
			p.mustUpdate(t, func(tx *store.Tx) (err error) {
				more, err = erasure.EraseOwn(tx, ann, 10)
				return err
			})
		}
		wantEqual(t, "what is left", len(of(ann)), 0)
	})
}

func pushRecipients(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	organization := p.mustOrganization(t, ann, bob, eve)
	g := p.mustGroup(t, organization, ann, bob, eve)
	told := func(m *store.MessageRow) map[model.AccountID]subscriptions.Recipient {
		t.Helper()
		out := map[model.AccountID]subscriptions.Recipient{}
		for account, r := range mustRead(t, p, func(tx *store.Tx) (map[model.AccountID]*subscriptions.Recipient, error) {
			return subscriptions.Recipients(tx, m, []model.AccountID{ann, bob, eve}, p.now())
		}) {
			out[account] = *r
		}
		return out
	}
	toBob, toAll := p.letter(organization, ann, bob), p.groupLetter(&g, ann)
	p.mustSend(t, toBob)
	p.mustSend(t, toAll)
	wantEqual(t, "of one", told(toBob), map[model.AccountID]subscriptions.Recipient{bob: {Account: bob}})
	wantEqual(t, "of a group", told(toAll),
		map[model.AccountID]subscriptions.Recipient{bob: {Account: bob}, eve: {Account: eve}})
	p.mustUpdate(t, func(tx *store.Tx) error {
		m := model.Mute{Organization: organization, Entity: model.EntityID(ann), Minutes: 1, Start: p.now()}
		return tx.PutMute(bob, m)
	})
	p.mustUpdate(t, func(tx *store.Tx) error {
		return tx.PutMute(eve, model.Mute{Organization: organization, Minutes: 1, Start: p.now()})
	})
	p.mustUpdate(t, func(tx *store.Tx) error {
		return tx.AskAdvance(organization, toAll.ID, bob, model.Delivered, p.now(), new(bool))
	})
	wantEqual(t, "who muted the sender", told(toBob),
		map[model.AccountID]subscriptions.Recipient{bob: {Account: bob, Muted: true}})
	wantEqual(t, "who muted all", told(toAll), map[model.AccountID]subscriptions.Recipient{
		bob: {Account: bob, Status: model.Delivered}, eve: {Account: eve, Muted: true}})
	p.clock.Advance(time.Minute)
	dnd := p.mustAccount(t, "dnd", func(a *model.Account) { a.DND = true }).ID
	toBusy := p.letter(organization, ann, dnd)
	p.mustSend(t, toBusy)
	got := mustRead(t, p, func(tx *store.Tx) (map[model.AccountID]*subscriptions.Recipient, error) {
		return subscriptions.Recipients(tx, toBusy, []model.AccountID{dnd}, p.now())
	})
	wantEqual(t, "who is not to be disturbed", *got[dnd], subscriptions.Recipient{Account: dnd, Undisturb: true})
	wantEqual(t, "mutes that are over", told(toAll)[eve].Muted, false)
}

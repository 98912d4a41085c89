package storetest

import (
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
)

func requests(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	const window = 24 * time.Hour
	request := func(account model.AccountID, id string) func(*store.Tx) (store.Request, bool, error) {
		return func(tx *store.Tx) (store.Request, bool, error) {
			return tx.Request(account, id, p.now().Add(-window))
		}
	}
	put := func(r store.Request) error {
		return p.Update(t.Context(), func(tx *store.Tx) error { return tx.PutRequest(&r, p.now().Add(-window)) })
	}
	mustPut := func(account model.AccountID, id string) store.Request {
		t.Helper()
		r := store.Request{
			Account: account, ID: id, Fingerprint: []byte{0, 0xff, 7}, Organization: p.organizationID(), Message: p.id(),
			TTL: model.NoTTL, Created: p.now(),
		}
		if err := put(r); err != nil {
			t.Fatal(err)
		}
		return r
	}

	t.Run("come_back_as_they_were", func(t *testing.T) {
		r := mustPut(ann, "request !~ 1")
		wantEqual(t, "request", mustFind(t, p, "it", request(ann, r.ID)), r)
		wantMissing(t, p, "the same id of another account", request(bob, r.ID))
		wantMissing(t, p, "another case", request(ann, "REQUEST !~ 1"))
	})
	t.Run("belong_to_one_message_within_the_window", func(t *testing.T) {
		r := mustPut(ann, "once")
		mustPut(bob, "once")
		p.clock.Advance(window - time.Millisecond)
		again := r
		again.Message, again.Created = p.id(), p.now()
		wantError(t, "second request", put(again), store.ErrConflict)
		wantEqual(t, "request", mustFind(t, p, "it", request(ann, "once")), r)
		p.clock.Advance(time.Millisecond)
		wantMissing(t, p, "one that is too old", request(ann, "once"))
		again.Created, again.TTL = p.now(), 5
		if err := put(again); err != nil {
			t.Errorf("put in place of one that is too old: %v", err)
		}
		wantEqual(t, "request", mustFind(t, p, "it", request(ann, "once")), again)
	})
	t.Run("are_forgotten", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error { // those of the tests before
			_, err := tx.DeleteRequestsBefore(p.now(), 100)
			return err
		})
		p.clock.Advance(time.Hour)
		mustPut(ann, "oldest")
		p.clock.Advance(time.Hour)
		old := mustPut(ann, "old")
		p.clock.Advance(time.Hour)
		kept := mustPut(ann, "young")
		forget := func(want int) {
			t.Helper()
			p.mustUpdate(t, func(tx *store.Tx) error {
				n, err := tx.DeleteRequestsBefore(p.now().Add(-time.Minute), 1)
				wantEqual(t, "requests that are forgotten", n, want)
				return err
			})
			wantMissing(t, p, "the oldest one", request(ann, "oldest"))
		}
		forget(1)
		wantEqual(t, "old one", mustFind(t, p, "it", request(ann, "old")), old)
		forget(1)
		forget(0)
		wantEqual(t, "young one", mustFind(t, p, "it", request(ann, "young")), kept)
	})
	t.Run("are_won_by_one_of_many", func(t *testing.T) {
		const workers = 8
		won := make(chan model.MessageID, workers)
		p.everywhere(t, workers, func(int) error {
			r := store.Request{Account: ann, ID: "wanted", Fingerprint: []byte{}, Message: p.id(), Created: p.now()}
			err := put(r)
			if err == nil {
				won <- r.Message
				return nil
			}
			wantError(t, "a loser", err, store.ErrConflict)
			return nil
		})
		wantEqual(t, "winners", len(won), 1)
		wantEqual(t, "message", mustFind(t, p, "it", request(ann, "wanted")).Message, <-won)
	})
}

package storetest

import (
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/erasure"
)

func joinRequests(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	first, second := p.mustOrganization(t), p.mustOrganization(t)
	type found = func(*store.Tx) (store.JoinRequest, bool, error)
	of := func(organization model.OrganizationID, account model.AccountID) found {
		return func(tx *store.Tx) (store.JoinRequest, bool, error) { return tx.JoinRequest(organization, account) }
	}
	put := func(r store.JoinRequest) (added bool) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			added, err = tx.PutJoinRequest(r)
			return err
		})
		return added
	}
	end := func(organization model.OrganizationID, account model.AccountID) (found bool) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			found, err = tx.DeleteJoinRequest(organization, account)
			return err
		})
		return found
	}
	want := store.JoinRequest{Organization: first, Account: ann, Title: "Dr.", Department: "Chirurgie", Created: p.now()}
	plain := func(organization model.OrganizationID, account model.AccountID) store.JoinRequest {
		return store.JoinRequest{Organization: organization, Account: account, Created: p.now()}
	}

	t.Run("are_put_once", func(t *testing.T) {
		wantMissing(t, p, "before", of(first, ann))
		wantEqual(t, "added", put(want), true)
		wantEqual(t, "added again", put(plain(first, ann)), false)
		wantEqual(t, "request", mustFind(t, p, "it", of(first, ann)), want)
		wantMissing(t, p, "of another organization", of(second, ann))
		wantMissing(t, p, "for another account", of(first, bob))
	})
	t.Run("end_once", func(t *testing.T) {
		for _, r := range []store.JoinRequest{plain(second, ann), plain(first, bob), plain(second, bob)} {
			put(r)
		}
		wantEqual(t, "found", end(first, ann), true)
		wantEqual(t, "found again", end(first, ann), false)
		wantMissing(t, p, "the one that ended", of(first, ann))
		mustFind(t, p, "one of another organization", of(second, ann))
		mustFind(t, p, "one for another account", of(first, bob))
	})
	t.Run("end_with_their_organization", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error { return erasure.EndOrganization(tx, second) })
		for _, account := range []model.AccountID{ann, bob} {
			wantMissing(t, p, "one of the deleted organization", of(second, account))
		}
		mustFind(t, p, "one of its neighbour", of(first, bob))
	})
}

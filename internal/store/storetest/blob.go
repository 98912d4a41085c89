package storetest

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
)

func (p *platform) held(t testing.TB, id model.BlobID) bool {
	t.Helper()
	return mustRead(t, p, func(tx *store.Tx) (bool, error) { return tx.BlobInUse(id) })
}

func (p *platform) erasures(t testing.TB, limit int) map[model.BlobID]bool {
	t.Helper()
	out := map[model.BlobID]bool{}
	for _, id := range p.erasuresAfter(t, model.BlobID{}, limit) {
		out[id] = true
	}
	return out
}

func (p *platform) erasuresAfter(t testing.TB, after model.BlobID, limit int) []model.BlobID {
	t.Helper()
	return mustRead(t, p, func(tx *store.Tx) ([]model.BlobID, error) { return tx.Erasures(after, limit) })
}

func blobs(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	shared, single := model.BlobID(p.id()), model.BlobID(p.id())
	hold := func(id model.BlobID) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.ReferToBlob(id, 1) })
	}
	release := func(id model.BlobID) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DropReference(id) })
	}

	t.Run("stay_until_the_last_lets_go", func(t *testing.T) {
		wantEqual(t, "held before", p.held(t, shared), false)
		hold(shared)
		hold(shared)
		hold(shared)
		hold(single)
		release(shared)
		release(shared)
		wantEqual(t, "held by one", p.held(t, shared), true)
		wantEqual(t, "erasures", p.erasures(t, 10), map[model.BlobID]bool{})
		release(shared)
		wantEqual(t, "held by nobody", p.held(t, shared), false)
		wantEqual(t, "erasures", p.erasures(t, 10), map[model.BlobID]bool{shared: true})
	})
	t.Run("are_put_up_for_erasure_with_the_transaction_or_not_at_all", func(t *testing.T) {
		err := p.Update(t.Context(), func(tx *store.Tx) error {
			return errors.Join(tx.DropReference(single), conformance.ErrMine)
		})
		wantError(t, "update", err, conformance.ErrMine)
		wantEqual(t, "held", p.held(t, single), true)
		wantEqual(t, "erasures", p.erasures(t, 10), map[model.BlobID]bool{shared: true})
	})
	t.Run("are_erased_in_parts", func(t *testing.T) {
		release(single)
		all := p.erasuresAfter(t, model.BlobID{}, 10)
		wantEqual(t, "erasures, one at a time", p.erasuresAfter(t, model.BlobID{}, 1), all[:1])
		wantEqual(t, "the next one", p.erasuresAfter(t, all[0], 1), all[1:])
		wantEqual(t, "after the last", len(p.erasuresAfter(t, all[1], 1)), 0)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteErasures([]model.BlobID{shared, p.id()}) })
		wantEqual(t, "erasures left", p.erasures(t, 10), map[model.BlobID]bool{single: true})
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteErasures(nil) })
		wantEqual(t, "erasures left", len(p.erasures(t, 10)), 1)
	})
	t.Run("are_listed_in_order_and_looked_up_together", func(t *testing.T) {
		var ids []model.BlobID
		for range 5 {
			id := model.BlobID(p.id())
			hold(id)
			ids = append(ids, id)
		}
		slices.SortFunc(ids, func(a, b model.BlobID) int { return bytes.Compare(a[:], b[:]) })
		list := func(after model.BlobID, limit int) []model.BlobID {
			return mustRead(t, p, func(tx *store.Tx) ([]model.BlobID, error) { return tx.BlobsAfter(after, limit) })
		}
		wantEqual(t, "all", list(model.BlobID{}, 10), ids)
		wantEqual(t, "some", list(ids[1], 2), ids[2:4])
		wantEqual(t, "after the last", len(list(ids[4], 2)), 0)
		held := func(ids []model.BlobID) map[model.BlobID]bool {
			return mustRead(t, p, func(tx *store.Tx) (map[model.BlobID]bool, error) { return tx.BlobsInUse(ids) })
		}
		wantEqual(t, "held of some", held([]model.BlobID{ids[0], shared, ids[3]}),
			map[model.BlobID]bool{ids[0]: true, ids[3]: true})
		wantEqual(t, "held of none", len(held(nil)), 0)
	})
	t.Run("of_no_attachment_are_nothing", func(t *testing.T) {
		hold(model.BlobID{})
		release(model.BlobID{})
		wantEqual(t, "held", p.held(t, model.BlobID{}), false)
		wantEqual(t, "erasures", len(p.erasures(t, 10)), 1)
	})
}

func avatars(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	avatar := func(id model.BlobID) func(*store.Tx) (store.Avatar, bool, error) {
		return func(tx *store.Tx) (store.Avatar, bool, error) { return tx.Avatar(id) }
	}
	for _, a := range []store.Avatar{
		{Blob: p.id(), Entity: p.id(), ContentType: "image/png"},
		{Blob: p.id(), Entity: p.id(), Group: true, ContentType: "image/webp"},
	} {
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertAvatar(a) })
		wantEqual(t, "avatar", mustFind(t, p, "it", avatar(a.Blob)), a)
		err := p.Update(t.Context(), func(tx *store.Tx) error { return tx.InsertAvatar(a) })
		wantError(t, "second insert", err, store.ErrConflict)
		for range 2 {
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteAvatar(a.Blob) })
		}
		wantMissing(t, p, "a deleted one", avatar(a.Blob))
	}
}

package storetest

import (
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
)

func mutes(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	first, second := p.organizationID(), p.organizationID()
	person, group := model.EntityID(p.id()), model.EntityID(p.id())
	put := func(account model.AccountID, m model.Mute) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.PutMute(account, m) })
	}
	muted := func(account model.AccountID) []model.Mute {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]model.Mute, error) { return tx.Mutes(account, p.now()) })
	}
	a := model.Mute{Entity: person, Organization: first, Minutes: 10, Start: p.now().Add(-time.Minute)}
	b := model.Mute{Entity: group, Group: true, Organization: first, Minutes: 525600, Start: p.now()}
	all := model.Mute{Organization: second, Minutes: 1, Start: p.now().Add(time.Millisecond)}

	t.Run("come_back_as_they_were", func(t *testing.T) {
		for _, m := range []model.Mute{all, b, a} {
			put(ann, m)
		}
		wantEqual(t, "mutes", muted(ann), []model.Mute{a, b, all})
		wantEqual(t, "mutes of another", len(muted(bob)), 0)
	})
	t.Run("are_replaced", func(t *testing.T) {
		a.Minutes, a.Start = 5, p.now().Add(-time.Second)
		put(ann, a)
		wantEqual(t, "mutes", muted(ann), []model.Mute{a, b, all})
	})
	t.Run("run_out", func(t *testing.T) {
		p.clock.Set(all.Start.Add(time.Minute - time.Millisecond))
		wantEqual(t, "mutes", len(muted(ann)), 3)
		p.clock.Set(all.Start.Add(time.Minute))
		wantEqual(t, "mutes", muted(ann), []model.Mute{a, b})
		p.clock.Set(conformance.Start.AddDate(1, 0, 0))
		wantEqual(t, "mutes a year later", len(muted(ann)), 0)
		p.clock.Set(conformance.Start)
	})
	t.Run("end", func(t *testing.T) {
		put(bob, a)
		for range 2 {
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteMute(ann, first, person) })
		}
		wantEqual(t, "mutes", muted(ann), []model.Mute{b, all})
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteMutes(ann) })
		wantEqual(t, "mutes", len(muted(ann)), 0)
		wantEqual(t, "mutes of another", muted(bob), []model.Mute{a})
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteMutesOf(bob, second) })
		wantEqual(t, "mutes of another", muted(bob), []model.Mute{a})
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteMutesOf(bob, first) })
		wantEqual(t, "mutes of another", len(muted(bob)), 0)
	})
}

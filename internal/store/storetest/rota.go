package storetest

import (
	"testing"
	"time"

	"signet/internal/duty"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/rota"
)

func rotas(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	first, second := p.mustOrganization(t, ann, bob, eve), p.mustOrganization(t, ann)
	g, other := p.mustGroup(t, first, ann), p.mustGroup(t, second, ann)
	of := func(id model.GroupID) func(*store.Tx) (rota.Kept, bool, error) {
		return func(tx *store.Tx) (rota.Kept, bool, error) { return rota.Of(tx, id) }
	}
	put := func(k *rota.Kept) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error { return rota.Put(tx, k) })
	}
	start := time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)
	k := rota.Kept{Group: g.ID, Organization: first, Version: 7, Timezone: "Europe/Berlin", Vacant: true, Rota: duty.Rota{
		Rotation:  duty.Rotation{Accounts: []model.AccountID{bob, {}, ann, bob}, Start: start, Hours: 12},
		Overrides: []duty.Override{{From: start, To: start.Add(time.Hour), Account: eve}},
		Always:    []model.AccountID{ann, bob}, Fallback: []model.AccountID{bob, eve}}}
	onDuty := func(id model.GroupID) bool { return mustFind(t, p, "group", group(id)).Duty }
	due := func() int { return len(p.due(t, p.now(), nil, 10, store.HandOver)) }

	t.Run("come_back_as_they_were", func(t *testing.T) {
		wantMissing(t, p, "one before", of(g.ID))
		wantEqual(t, "mark before", onDuty(g.ID), false)
		put(&k)
		wantEqual(t, "rota", mustFind(t, p, "it", of(g.ID)), k)
		wantEqual(t, "marks", []bool{onDuty(g.ID), onDuty(other.ID)}, []bool{true, false})
		simple := rota.Kept{Group: other.ID, Organization: second, Version: 1, Timezone: "UTC",
			Rota: duty.Rota{Overrides: []duty.Override{{From: start, To: start.Add(time.Minute), Account: ann}}}}
		put(&simple)
		wantEqual(t, "one without a rotation", mustFind(t, p, "it", of(other.ID)), simple)
		k.Version, k.Vacant, k.Rotation.Accounts = 8, false, []model.AccountID{ann, bob, eve}
		put(&k)
		wantEqual(t, "another in its place", mustFind(t, p, "it", of(g.ID)), k)
		p.mustUpdate(t, func(tx *store.Tx) error { return rota.SetVacant(tx, g.ID, true) })
		k.Vacant = true
		wantEqual(t, "with nobody on duty", mustFind(t, p, "it", of(g.ID)), k)
	})
	t.Run("name_accounts", func(t *testing.T) {
		names := func(id model.GroupID, account model.AccountID) bool {
			t.Helper()
			return mustRead(t, p, func(tx *store.Tx) (bool, error) { return rota.Names(tx, id, account) })
		}
		wantEqual(t, "names", []bool{names(g.ID, eve), names(other.ID, eve), names(g.ID, p.id())},
			[]bool{true, false, false})
	})
	t.Run("tell_where_they_name_somebody", func(t *testing.T) {
		places := func(organizations ...model.OrganizationID) []rota.Place {
			t.Helper()
			return mustRead(t, p, func(tx *store.Tx) ([]rota.Place, error) { return rota.PlacesOf(tx, eve, organizations) })
		}
		wantEqual(t, "places", places(first, second), []rota.Place{{Group: g.ID, Organization: first, Part: "rotation"},
			{Group: g.ID, Organization: first, Part: "overrides", From: start, To: start.Add(time.Hour)},
			{Group: g.ID, Organization: first, Part: "fallback"}})
		wantEqual(t, "places elsewhere", len(places(second)), 0)
	})
	t.Run("are_looked_at_when_somebody_is_away_or_leaves", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error { return rota.NoteAway(tx, p.id()) })
		wantEqual(t, "jobs for nobody", due(), 0)
		p.mustUpdate(t, func(tx *store.Tx) error { return rota.NoteAway(tx, ann) })
		wantEqual(t, "jobs for both groups", due(), 2)
		p.mustUpdate(t, func(tx *store.Tx) error { return rota.Leave(tx, ann, first) })
		wantEqual(t, "jobs with that of its organization", due(), 3)
		k.Rotation.Accounts[0], k.Always = model.AccountID{}, []model.AccountID{bob}
		wantEqual(t, "without who left", mustFind(t, p, "it", of(g.ID)), k)
		wantEqual(t, "elsewhere", mustFind(t, p, "it", of(other.ID)).Overrides[0].Account, ann)
		for _, who := range []model.AccountID{ann, eve} {
			p.mustUpdate(t, func(tx *store.Tx) error { return rota.Leave(tx, who, "") })
		}
		k.Rotation.Accounts[2], k.Overrides[0].Account = model.AccountID{}, model.AccountID{}
		k.Fallback = []model.AccountID{bob}
		wantEqual(t, "without who ended", mustFind(t, p, "it", of(g.ID)), k)
		wantEqual(t, "elsewhere", mustFind(t, p, "it", of(other.ID)).Overrides[0].Account, model.AccountID{})
	})
	t.Run("go", func(t *testing.T) {
		for range 2 {
			p.mustUpdate(t, func(tx *store.Tx) error { return rota.Delete(tx, g.ID) })
		}
		wantMissing(t, p, "it", of(g.ID))
		wantEqual(t, "marks", []bool{onDuty(g.ID), onDuty(other.ID)}, []bool{false, true})
	})
	t.Run("have_jobs_that_know_their_turn", func(t *testing.T) {
		want := rota.Turn{Version: 9, Planned: start}
		id, turn := rota.TurnOf(&store.Job{Subject: g.ID[:], State: want.Encode()})
		wantEqual(t, "group", id, g.ID)
		wantEqual(t, "turn", turn, want)
		_, turn = rota.TurnOf(&store.Job{Subject: g.ID[:], State: rota.Turn{}.Encode()})
		wantEqual(t, "no turn", turn, rota.Turn{})
	})
}

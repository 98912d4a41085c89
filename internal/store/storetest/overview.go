package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// overview is what consoles ask of many at a time.
func overview(t *testing.T, h Harness) {
	p, ann, bob, eve := newTrio(t, h)
	first, second := p.mustOrganization(t, ann, bob, eve), p.mustOrganization(t, ann)
	accounts := []model.AccountID{ann, bob, eve}
	slices.SortFunc(accounts, func(a, b model.AccountID) int { return slices.Compare(a[:], b[:]) })

	t.Run("organizations_with_their_counts", func(t *testing.T) {
		names := mustRead(t, p, (*store.Tx).OrganizationNames)
		if len(names) != 2 {
			t.Fatalf("got %v, want two", names)
		}
		for _, id := range []model.OrganizationID{first, second} {
			want := mustFind(t, p, "it", organization(id))
			got := mustRead(t, p, func(tx *store.Tx) ([]model.Organization, error) {
				return tx.OrganizationsAmong([]model.OrganizationID{id, p.organizationID()})
			})
			wantEqual(t, "among", got, []model.Organization{want})
			if !slices.Contains(names, store.OrganizationName{ID: id, Name: want.Name}) {
				t.Errorf("%v lack %s", names, id)
			}
		}
		deleted := p.mustGroup(t, first, ann)
		deleted.Deleted = true
		p.mustGroup(t, first, ann)
		p.mustUpdate(t, func(tx *store.Tx) error {
			return errors.Join(tx.UpdateGroup(&deleted), tx.PutRole(first, bob, model.RoleAdmin, true),
				tx.PutRole(first, ann, model.RoleAdmin, false), tx.SetHold(second, p.now()))
		})
		got := mustRead(t, p, func(tx *store.Tx) (map[model.OrganizationID]*store.OrganizationCounts, error) {
			return tx.CountsOf([]model.OrganizationID{first, second})
		})
		wantEqual(t, "first", *got[first], store.OrganizationCounts{Members: 3, Groups: 1, Requests: 1})
		wantEqual(t, "second", *got[second], store.OrganizationCounts{Members: 1, Holds: 1})
	})
	t.Run("members_and_requests_in_order", func(t *testing.T) {
		members := func(after model.AccountID, limit int) []model.AccountID {
			t.Helper()
			return mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) { return tx.MembersAfter(first, after, limit) })
		}
		wantEqual(t, "all", members(model.AccountID{}, 10), accounts)
		wantEqual(t, "the first", members(model.AccountID{}, 2), accounts[:2])
		wantEqual(t, "the rest", members(accounts[1], 2), accounts[2:])
		p.mustUpdate(t, func(tx *store.Tx) error {
			return errors.Join(tx.PutRole(first, eve, model.RoleAdmin, true), tx.PutRole(first, eve, "help", true),
				tx.PutRole(second, ann, model.RoleAdmin, true))
		})
		asking := func(after model.AccountID, limit int) []model.AccountID {
			t.Helper()
			return mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) {
				return tx.RequestsAfter(first, model.RoleAdmin, after, limit)
			})
		}
		want := slices.DeleteFunc(slices.Clone(accounts), func(id model.AccountID) bool { return id == ann })
		wantEqual(t, "who asks", asking(model.AccountID{}, 10), want)
		wantEqual(t, "the first who asks", asking(model.AccountID{}, 1), want[:1])
		wantEqual(t, "the next", asking(want[0], 1), want[1:])
		pending := mustRead(t, p, func(tx *store.Tx) (map[model.AccountID][]string, error) {
			return tx.PendingRoles(first, []model.AccountID{ann, eve})
		})
		wantEqual(t, "what for", pending, map[model.AccountID][]string{eve: {"admin", "help"}})
	})
	t.Run("keys_of_several_accounts", func(t *testing.T) {
		for i, owner := range []model.AccountID{bob, ann, bob} {
			k := model.Key{Key: "key " + string(rune('a'+i)), Account: owner, SecretHash: []byte{1}, PreviousHash: []byte{},
				Created: p.now()}
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertKey(&k) })
		}
		got := mustRead(t, p, func(tx *store.Tx) (map[model.AccountID][]model.Key, error) { return tx.KeysOfEach(accounts) })
		if len(got[bob]) != 2 || len(got[ann]) != 1 || len(got[eve]) != 0 || got[bob][0].Key != "key a" {
			t.Errorf("got %v", got)
		}
		owners := func(after model.AccountID, limit int) []model.AccountID {
			t.Helper()
			return mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) { return tx.KeyOwnersAfter(after, limit) })
		}
		want := slices.DeleteFunc(slices.Clone(accounts), func(id model.AccountID) bool { return id == eve })
		wantEqual(t, "owners", owners(model.AccountID{}, 10), want)
		wantEqual(t, "the first", owners(model.AccountID{}, 1), want[:1])
		wantEqual(t, "the next", owners(want[0], 10), want[1:])
	})
	t.Run("figures_of_groups", func(t *testing.T) {
		silent, busy := p.mustGroup(t, first, ann), p.mustGroup(t, first, ann, bob, eve)
		p.mustSend(t, p.groupLetter(&busy, ann))
		got := mustRead(t, p, func(tx *store.Tx) (map[model.GroupID]store.GroupFigures, error) {
			return tx.FiguresOfGroups([]model.GroupID{silent.ID, busy.ID, p.id()})
		})
		if f := got[busy.ID]; len(got) != 2 || got[silent.ID] != (store.GroupFigures{Members: 1}) || f.Members != 3 ||
			f.LastMessage.Sub(p.now()).Abs() > time.Minute {
			t.Errorf("got %v", got)
		}
	})
}

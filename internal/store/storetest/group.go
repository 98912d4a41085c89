package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/metadata"
)

func group(id model.GroupID) func(*store.Tx) (model.Group, bool, error) {
	return func(tx *store.Tx) (model.Group, bool, error) { return tx.Group(id) }
}

func groups(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	first, second := p.mustOrganization(t, ann, bob), p.mustOrganization(t, ann, bob)
	g := model.Group{
		ID: p.id(), Organization: first, Name: "Ward 7 ☃", Description: "it's a group", Avatar: "blob:x", CreatedBy: ann,
		Created: p.now(), ReplayHistory: true, Public: true,
	}
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertGroup(&g) })

	t.Run("come_back_as_they_were", func(t *testing.T) {
		wantEqual(t, "group", mustFind(t, p, "it", group(g.ID)), g)
		wantMissing(t, p, "another", group(p.id()))
		err := p.Update(t.Context(), func(tx *store.Tx) error { return tx.InsertGroup(&g) })
		wantError(t, "second insert", err, store.ErrConflict)
	})
	t.Run("change", func(t *testing.T) {
		other := p.mustGroup(t, first, ann)
		g.Name, g.Description, g.Avatar, g.ReplayHistory, g.Public = "n", "", "", false, false
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.UpdateGroup(&g) })
		wantEqual(t, "group", mustFind(t, p, "it", group(g.ID)), g)
		wantEqual(t, "other group", mustFind(t, p, "other", group(other.ID)), other)
	})
	t.Run("of_everybody_are_one_in_an_organization", func(t *testing.T) {
		everyone := func(of model.OrganizationID) (model.GroupID, bool) {
			t.Helper()
			var found bool
			id := mustRead(t, p, func(tx *store.Tx) (id model.GroupID, err error) {
				id, found, err = tx.GroupOfEveryone(of)
				return id, err
			})
			return id, found
		}
		if id, found := everyone(first); found {
			t.Errorf("found %v", id)
		}
		all := model.Group{ID: p.id(), Organization: first, Name: "All", CreatedBy: ann, Created: p.now(), Everyone: true}
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertGroup(&all) })
		wantEqual(t, "group", mustFind(t, p, "it", group(all.ID)), all)
		if id, found := everyone(first); !found || id != all.ID {
			t.Errorf("found %v, %v", id, found)
		}
		if id, found := everyone(second); found {
			t.Errorf("found %v of another organization", id)
		}
		next := all
		next.ID = p.id()
		err := p.Update(t.Context(), func(tx *store.Tx) error { return tx.InsertGroup(&next) })
		wantError(t, "a second one", err, store.ErrConflict)
		all.Deleted = true
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.UpdateGroup(&all) })
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertGroup(&next) })
		if id, found := everyone(first); !found || id != next.ID {
			t.Errorf("found %v, %v once the first was deleted", id, found)
		}
	})
	t.Run("are_listed_by_member_and_by_organization", func(t *testing.T) {
		p, ann, bob := newPair(t, h)
		first, second := p.mustOrganization(t, ann, bob), p.mustOrganization(t, ann, bob)
		a, b, deleted, elsewhere := p.mustGroup(t, first, ann, bob), p.mustGroup(t, first, bob), p.mustGroup(t, first, ann),
			p.mustGroup(t, second, ann)
		deleted.Deleted = true
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.UpdateGroup(&deleted) })
		wantEqual(t, "deleted group", mustFind(t, p, "it", group(deleted.ID)), deleted)
		of := func(read func(tx *store.Tx) ([]model.Group, error)) []model.GroupID {
			t.Helper()
			out := []model.GroupID{}
			for _, g := range mustRead(t, p, read) {
				out = append(out, g.ID)
			}
			slices.SortFunc(out, func(a, b model.GroupID) int { return slices.Compare(a[:], b[:]) })
			return out
		}
		wantEqual(t, "of a member", of(func(tx *store.Tx) ([]model.Group, error) { return tx.GroupsOf(ann, first) }),
			[]model.GroupID{a.ID})
		wantEqual(t, "of another", of(func(tx *store.Tx) ([]model.Group, error) { return tx.GroupsOf(bob, first) }),
			[]model.GroupID{a.ID, b.ID})
		wantEqual(t, "of a member elsewhere",
			of(func(tx *store.Tx) ([]model.Group, error) { return tx.GroupsOf(ann, second) }), []model.GroupID{elsewhere.ID})
		wantEqual(t, "in an organization", of(func(tx *store.Tx) ([]model.Group, error) { return tx.GroupsIn(first) }),
			[]model.GroupID{a.ID, b.ID, deleted.ID})
		wantEqual(t, "among", of(func(tx *store.Tx) ([]model.Group, error) {
			return tx.GroupsAmong([]model.GroupID{deleted.ID, p.id(), elsewhere.ID})
		}), []model.GroupID{deleted.ID, elsewhere.ID})
		wantEqual(t, "among none", of(func(tx *store.Tx) ([]model.Group, error) { return tx.GroupsAmong(nil) }),
			[]model.GroupID{})
	})
	t.Run("of_one_name_are_different_groups", func(t *testing.T) {
		a, b := p.mustGroup(t, first, ann), p.mustGroup(t, second, ann)
		wantEqual(t, "name", a.Name, b.Name)
		mustFind(t, p, "first", group(a.ID))
		mustFind(t, p, "second", group(b.ID))
	})
}

func groupMembers(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	joe := p.mustAccount(t, "joe").ID
	organization := p.mustOrganization(t, ann, bob, eve, joe)
	g, other := p.mustGroup(t, organization, bob, ann), p.mustGroup(t, organization, joe)
	members := func(id model.GroupID) []model.AccountID {
		t.Helper()
		out := mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) { return tx.GroupMembers(id) })
		n := mustRead(t, p, func(tx *store.Tx) (int, error) { return tx.CountGroupMembers(id) })
		wantEqual(t, "count of the members", n, len(out))
		return out
	}
	is := func(account model.AccountID) bool {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) (bool, error) { return tx.IsGroupMember(g.ID, account) })
	}
	add := func(accounts ...model.AccountID) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error {
			position, err := tx.Position(len(accounts), accounts...)
			return errors.Join(err, tx.AddGroupMembers(&g, accounts, position, 0, store.Stay{}))
		})
	}

	t.Run("are_listed_as_they_joined", func(t *testing.T) {
		wantEqual(t, "members", members(g.ID), []model.AccountID{bob, ann})
		add(joe, bob, eve)
		wantEqual(t, "members", members(g.ID), []model.AccountID{bob, ann, joe, eve})
		wantEqual(t, "members of another", members(other.ID), []model.AccountID{joe})
		wantEqual(t, "members of none", len(members(p.id())), 0)
		wantEqual(t, "is member", []bool{is(ann), is(p.id())}, []bool{true, false})
	})
	t.Run("leave", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error {
			return tx.RemoveGroupMembers(g.ID, []model.AccountID{joe, bob, p.id()}, 1)
		})
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.RemoveGroupMembers(g.ID, nil, 1) })
		wantEqual(t, "members", members(g.ID), []model.AccountID{ann, eve})
		wantEqual(t, "is member", []bool{is(ann), is(bob)}, []bool{true, false})
		wantEqual(t, "members of another", members(other.ID), []model.AccountID{joe})
		add(bob)
		wantEqual(t, "members after a return", members(g.ID), []model.AccountID{ann, eve, bob})
	})
	t.Run("get_messages_only_while_they_are_in", func(t *testing.T) {
		m := p.groupLetter(&g, ann)
		p.mustSend(t, m)
		p.wantQueued(t, bob, m)
		p.wantQueued(t, eve, m)
		p.wantQueued(t, joe)
		p.wantUnread(t, joe, 0, 0)
	})
}

func keptMetadata(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	first, second, entity := p.organizationID(), p.organizationID(), model.EntityID(p.id())
	kept := func(o model.OrganizationID) func(*store.Tx) ([]byte, bool, error) {
		return func(tx *store.Tx) ([]byte, bool, error) { return metadata.Of(tx, o, entity) }
	}
	wantMissing(t, p, "any before", kept(first))
	for _, content := range [][]byte{[]byte(`{"a":"1"}`), {}, {0, 0xff}} {
		p.mustUpdate(t, func(tx *store.Tx) error { return putMetadata(tx, first, entity, content) })
		wantEqual(t, "metadata", mustFind(t, p, "it", kept(first)), content)
	}
	wantMissing(t, p, "any in another organization", kept(second))
	p.mustUpdate(t, func(tx *store.Tx) error { return putMetadata(tx, second, entity, []byte("other")) })
	for range 2 {
		p.mustUpdate(t, func(tx *store.Tx) error { return metadata.Delete(tx, first, entity) })
	}
	wantMissing(t, p, "any after", kept(first))
	wantEqual(t, "metadata elsewhere", mustFind(t, p, "it", kept(second)), []byte("other"))

	t.Run("is_summed_up", func(t *testing.T) {
		put := func(o model.OrganizationID, size int) (total int64, grew bool) {
			p.mustUpdate(t, func(tx *store.Tx) (err error) {
				total, grew, err = metadata.Put(tx, o, entity, make([]byte, size))
				return err
			})
			return total, grew
		}
		for _, step := range []struct {
			organization model.OrganizationID
			size         int
			total        int64
			grew         bool
		}{{first, 10, 10, true}, {first, 30, 30, true}, {first, 30, 30, false}, {first, 4, 4, false}, {second, 1, 1, false}} {
			total, grew := put(step.organization, step.size)
			wantEqual(t, fmt.Sprint(step), []any{total, grew}, []any{step.total, step.grew})
		}
		p.everywhere(t, 4, func(worker int) error {
			for round := range 10 {
				err := p.Update(t.Context(), func(tx *store.Tx) error {
					if round%3 == 2 {
						return metadata.Delete(tx, first, entity)
					}
					return putMetadata(tx, first, entity, make([]byte, worker+round))
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		total, _ := put(first, 7)
		wantEqual(t, "after all that", total, int64(7))
	})
}

func putMetadata(tx *store.Tx, organization model.OrganizationID, entity model.EntityID, content []byte) error {
	_, _, err := metadata.Put(tx, organization, entity, content)
	return err
}

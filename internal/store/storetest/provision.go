package storetest

import (
	"slices"
	"sync"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/erasure"
	"signet/internal/store/provision"
)

func provisioned(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	first, second := p.mustOrganization(t, ann, bob, eve), p.mustOrganization(t, ann)
	type lookup = func(*store.Tx) (provision.Person, bool, error)
	of := func(organization model.OrganizationID, account model.AccountID) lookup {
		return func(tx *store.Tx) (provision.Person, bool, error) { return provision.Of(tx, organization, account) }
	}
	put := func(person provision.Person) (free bool) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			free, err = provision.Put(tx, person)
			return err
		})
		return free
	}
	keeps := func(account model.AccountID) bool {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) (bool, error) { return provision.Keeps(tx, account) })
	}
	want := provision.Person{Organization: first, Account: ann, Name: "Ann@Example.com", ExternalID: "E-1"}

	t.Run("are_put", func(t *testing.T) {
		wantMissing(t, p, "before", of(first, ann))
		wantEqual(t, "kept before", keeps(ann), false)
		wantEqual(t, "free", put(want), true)
		wantEqual(t, "person", mustFind(t, p, "it", of(first, ann)), want)
		wantMissing(t, p, "of another organization", of(second, ann))
		wantEqual(t, "kept", []bool{keeps(ann), keeps(bob)}, []bool{true, false})
		want.Name, want.ExternalID = "ann", ""
		wantEqual(t, "free for itself", put(want), true)
		wantEqual(t, "another in its place", mustFind(t, p, "it", of(first, ann)), want)
	})
	t.Run("have_a_name_of_their_own", func(t *testing.T) {
		wantEqual(t, "one that is taken", put(provision.Person{Organization: first, Account: bob, Name: "ANN"}), false)
		wantMissing(t, p, "who did not get it", of(first, bob))
		wantEqual(t, "the same elsewhere", put(provision.Person{Organization: second, Account: ann, Name: "Ann"}), true)
		wantEqual(t, "another", put(provision.Person{Organization: first, Account: bob, Name: "bob", ExternalID: "x"}), true)
	})
	t.Run("are_found", func(t *testing.T) {
		named := func(organization model.OrganizationID, name string) func(*store.Tx) (model.AccountID, bool, error) {
			return func(tx *store.Tx) (model.AccountID, bool, error) { return provision.Named(tx, organization, name) }
		}
		wantEqual(t, "by name", mustFind(t, p, "it", named(first, "BOB")), bob)
		wantMissing(t, p, "elsewhere", named(second, "bob"))
		external := func(id string) []model.AccountID {
			t.Helper()
			return mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) { return provision.External(tx, first, id) })
		}
		put(provision.Person{Organization: first, Account: eve, Name: "eve", ExternalID: "x"})
		both := []model.AccountID{bob, eve}
		slices.SortFunc(both, func(a, b model.AccountID) int { return slices.Compare(a[:], b[:]) })
		wantEqual(t, "by external id", external("x"), both)
		wantEqual(t, "by no external id", len(external("")), 0)
		all := mustRead(t, p, func(tx *store.Tx) (map[model.AccountID]provision.Person, error) {
			return provision.OfEach(tx, first, []model.AccountID{ann, bob, p.id()})
		})
		wantEqual(t, "of several", []string{all[ann].Name, all[bob].Name}, []string{"ann", "bob"})
		wantEqual(t, "how many", len(all), 2)
	})
	t.Run("members_have_pages", func(t *testing.T) {
		members := mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) {
			return tx.MembersAfter(first, model.AccountID{}, 10)
		})
		page := func(skip, limit int) []model.AccountID {
			t.Helper()
			return mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) {
				return provision.MembersFrom(tx, first, skip, limit)
			})
		}
		wantEqual(t, "count", p.mustCountMembers(t, first), 3)
		wantEqual(t, "pages", slices.Concat(page(0, 2), page(2, 2)), members)
		wantEqual(t, "behind the last", len(page(3, 2)), 0)
	})
	t.Run("leave", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error { return provision.Leave(tx, first, ann) })
		wantMissing(t, p, "who left", of(first, ann))
		mustFind(t, p, "the same elsewhere", of(second, ann))
		p.mustUpdate(t, func(tx *store.Tx) error { return erasure.CloseAccount(tx, ann) })
		wantMissing(t, p, "who ended", of(second, ann))
	})
	t.Run("end_with_their_organization", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error { return erasure.EndOrganization(tx, first) })
		for more := true; more; {
			p.mustUpdate(t, func(tx *store.Tx) (err error) {
				_, _, more, err = erasure.EraseMembers(tx, first, 100)
				return err
			})
		}
		for more, at := true, 0; more; {
			p.mustUpdate(t, func(tx *store.Tx) (err error) {
				_, at, more, err = erasure.EraseBesides(tx, first, at, 100)
				return err
			})
		}
		wantMissing(t, p, "one of it", of(first, bob))
	})
}

func directoryGroups(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	organization := p.mustOrganization(t, ann, bob)
	other := p.mustGroup(t, organization, ann)
	kept := model.Group{ID: model.GroupID(p.id()), Organization: organization, Name: "Ward 3", CreatedBy: ann,
		Created: p.now(), Directory: true, ExternalID: "G-1"}
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertGroup(&kept) })
	all := func() []model.Group {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]model.Group, error) { return tx.DirectoryGroups(organization) })
	}
	wantEqual(t, "groups of the directory", all(), []model.Group{kept})
	wantEqual(t, "one of people", mustFind(t, p, "it", group(other.ID)).Directory, false)
	kept.Name, kept.ExternalID = "Ward 4", ""
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.UpdateGroup(&kept) })
	wantEqual(t, "with another name", all(), []model.Group{kept})
	p.mustUpdate(t, func(tx *store.Tx) error {
		position, err := tx.Position(2, ann, bob)
		if err != nil {
			return err
		}
		return tx.AddGroupMembers(&kept, []model.AccountID{bob, ann}, position, 0, store.Stay{})
	})
	members := mustRead(t, p, func(tx *store.Tx) (map[model.GroupID][]model.AccountID, error) {
		return tx.MembersOfEach([]model.GroupID{kept.ID, other.ID})
	})
	wantEqual(t, "members of each", members, map[model.GroupID][]model.AccountID{kept.ID: {bob, ann}, other.ID: {ann}})
	kept.Deleted = true
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.UpdateGroup(&kept) })
	wantEqual(t, "groups when it is deleted", len(all()), 0)
}

func directoryNames(t *testing.T, h conformance.Harness) {
	p, ann, _ := newPair(t, h)
	first, second := p.mustOrganization(t, ann), p.mustOrganization(t, ann)
	kept := func(organization model.OrganizationID, name, external string) *model.Group {
		return &model.Group{ID: model.GroupID(p.id()), Organization: organization, Name: name, CreatedBy: ann,
			Created: p.now(), Directory: true, ExternalID: external}
	}
	insert := func(g *model.Group) error {
		return p.Update(t.Context(), func(tx *store.Tx) error { return tx.InsertGroup(g) })
	}
	update := func(g *model.Group) error {
		return p.Update(t.Context(), func(tx *store.Tx) error { return tx.UpdateGroup(g) })
	}
	named := func(organization model.OrganizationID, name string) []model.Group {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]model.Group, error) {
			return tx.DirectoryGroupNamed(organization, name)
		})
	}
	external := func(id string) []model.Group {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]model.Group, error) { return tx.ExternalGroups(first, id) })
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ward, ice := kept(first, "Stätion 3", "G-1"), kept(first, "ICE", "G-1")
	must(insert(ward))
	must(insert(ice))

	t.Run("find_groups", func(t *testing.T) {
		wantEqual(t, "by name", named(first, "STÄTION 3"), []model.Group{*ward})
		wantEqual(t, "by another name", len(named(first, "Station 3")), 0)
		wantEqual(t, "of another organization", len(named(second, "ICE")), 0)
		wantEqual(t, "by external id", external("G-1"), []model.Group{*ward, *ice})
		wantEqual(t, "by an external id in another case", len(external("g-1")), 0)
	})
	t.Run("are_of_one_group_each", func(t *testing.T) {
		wantError(t, "a second one", insert(kept(first, "ice", "")), store.ErrConflict)
		taken := *ward
		taken.Name = "Ice"
		wantError(t, "a name that is taken", update(&taken), store.ErrConflict)
		wantEqual(t, "it", named(first, "stätion 3"), []model.Group{*ward})
		ice.Name = "Ice"
		must(update(ice))
		must(insert(kept(second, "ice", "")))
		own := kept(first, "ice", "")
		own.Directory = false
		must(insert(own)) // of people
		wantEqual(t, "groups of the name", named(first, "ICE"), []model.Group{*ice})
		ice.Deleted = true
		must(update(ice))
		must(insert(kept(first, "ICE", "")))
		must(update(ice)) // is deleted once more
	})
	t.Run("are_given_to_one_of_those_who_ask_at_once", func(t *testing.T) {
		var before []*model.Group
		for i := range 2 {
			before = append(before, kept(first, string(rune('a'+i)), ""))
			must(insert(before[i]))
		}
		for what, ask := range map[string]func(i int) error{
			"created": func(int) error { return insert(kept(first, "Created at once", "")) },
			"renamed": func(i int) error {
				g := *before[i]
				g.Name = "Renamed at once"
				return update(&g)
			},
		} {
			var calls sync.WaitGroup
			answers := make([]error, 2)
			for i := range answers {
				calls.Go(func() { answers[i] = ask(i) })
			}
			calls.Wait()
			if answers[0] == nil {
				slices.Reverse(answers)
			}
			wantError(t, what+": the one", answers[0], store.ErrConflict)
			must(answers[1])
			wantEqual(t, what+": groups of the name", len(named(first, what+" at once")), 1)
		}
	})
}

package storetest

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/overview"
)

func organization(id model.OrganizationID) func(*store.Tx) (model.Organization, bool, error) {
	return func(tx *store.Tx) (model.Organization, bool, error) { return tx.Organization(id) }
}

func organizations(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	yes, no, ttl := true, false, -1
	o := model.Organization{ID: p.organizationID(), Name: "Nemocnice Žižkov", Created: p.now(), Settings: model.Settings{
		TTL: &ttl, DOR: &yes, Forward: &no,
		Other: map[string]json.RawMessage{"colour": []byte(`"\"red\""`), "number": []byte(`7`)},
	}}
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertOrganization(&o) })

	t.Run("come_back_as_they_were", func(t *testing.T) {
		wantEqual(t, "organization", mustFind(t, p, "it", organization(o.ID)), o)
	})
	t.Run("change", func(t *testing.T) {
		max := 60
		o.Name, o.Settings = "Other", model.Settings{MaxTTL: &max, Attachments: &no}
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.UpdateOrganization(&o) })
		wantEqual(t, "organization", mustFind(t, p, "it", organization(o.ID)), o)
	})
	t.Run("are_told_apart_by_case", func(t *testing.T) {
		upper, lower := o, o
		upper.ID, lower.ID = "ABCDEFGHIJKLMNOPQRSTUVWX", "abcdefghijklmnopqrstuvwx"
		upper.Name, lower.Name = "upper", "lower"
		p.mustUpdate(t, func(tx *store.Tx) error {
			return errors.Join(tx.InsertOrganization(&upper), tx.InsertOrganization(&lower))
		})
		wantEqual(t, "upper", mustFind(t, p, "upper", organization(upper.ID)).Name, "upper")
		wantEqual(t, "lower", mustFind(t, p, "lower", organization(lower.ID)).Name, "lower")
		wantMissing(t, p, "mixed", organization("Abcdefghijklmnopqrstuvwx"))
	})
	t.Run("are_unique", func(t *testing.T) {
		err := p.Update(t.Context(), func(tx *store.Tx) error { return tx.InsertOrganization(&o) })
		wantError(t, "second insert", err, store.ErrConflict)
	})
	t.Run("that_are_not_there_are_not_found", func(t *testing.T) {
		wantMissing(t, p, "nothing", organization(p.organizationID()))
		wantEqual(t, "members", p.mustCountMembers(t, p.organizationID()), 0)
	})
}

func (p *platform) mustCountMembers(t testing.TB, id model.OrganizationID) int {
	t.Helper()
	return mustRead(t, p, func(tx *store.Tx) (int, error) { return tx.CountMembers(id) })
}

func memberships(t *testing.T, h conformance.Harness) {
	p, ann, bob, eve := newTrio(t, h)
	first, second := p.mustOrganization(t), p.mustOrganization(t)
	of := func(account model.AccountID) []model.Membership {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]model.Membership, error) { return tx.Memberships(account) })
	}
	in := func(organization model.OrganizationID, accounts ...model.AccountID) []model.AccountID {
		t.Helper()
		all := mustRead(t, p,
			func(tx *store.Tx) ([]model.Membership, error) { return tx.MembershipsIn(organization, accounts) })
		out := []model.AccountID{}
		for _, m := range all {
			out = append(out, m.Account)
		}
		return out
	}
	want := model.Membership{Organization: first, Account: ann, Title: "Dr.", Department: "Surgery",
		Joined: p.now().Add(time.Second), Since: 42}
	put := func(m model.Membership) (added bool) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			added, err = tx.PutMembership(m)
			return err
		})
		return added
	}

	t.Run("are_put_and_put_again", func(t *testing.T) {
		wantEqual(t, "added", put(want), true)
		wantEqual(t, "memberships", of(ann), []model.Membership{want})
		want.Title, want.Department = "Prof.", ""
		again := want
		again.Since, again.Joined = 77, p.now().Add(time.Hour) // of a member they stay as they were
		wantEqual(t, "added again", put(again), false)
		wantEqual(t, "memberships after the change", of(ann), []model.Membership{want})
	})
	t.Run("are_listed_the_oldest_first", func(t *testing.T) {
		older := model.Membership{Organization: second, Account: ann, Joined: p.now(), Since: 43}
		put(older)
		wantEqual(t, "memberships", of(ann), []model.Membership{older, want})
		wantEqual(t, "of nobody", len(of(p.id())), 0)
		organizations := mustRead(t, p, func(tx *store.Tx) ([]model.OrganizationID, error) { return tx.OrganizationsOf(ann) })
		wantEqual(t, "organizations", organizations, []model.OrganizationID{second, first})
		wantEqual(t, "organizations of nobody",
			len(mustRead(t, p, func(tx *store.Tx) ([]model.OrganizationID, error) { return tx.OrganizationsOf(p.id()) })), 0)
	})
	t.Run("are_found_by_organization", func(t *testing.T) {
		put(model.Membership{Organization: first, Account: bob, Joined: p.now()})
		wantEqual(t, "of those asked for", in(first, eve, ann, bob), []model.AccountID{bob, ann})
		wantEqual(t, "of none", in(first), []model.AccountID{})
		wantEqual(t, "of strangers", in(second, bob, eve), []model.AccountID{})
		wantEqual(t, "count", p.mustCountMembers(t, first), 2)
		for account, want := range map[model.AccountID]bool{ann: true, eve: false} {
			wantEqual(t, "member", mustRead(t, p, func(tx *store.Tx) (bool, error) { return tx.IsMember(first, account) }), want)
		}
		for pair, want := range map[[2]model.AccountID]bool{{ann, bob}: true, {bob, bob}: true, {ann, eve}: false,
			{eve, ann}: false, {eve, eve}: false} {
			p.mustView(t, func(tx *store.Tx) error {
				members, err := tx.AskMembers(first, pair[0], pair[1])
				if err == nil {
					err = tx.Await()
				}
				wantEqual(t, "members both", members.Both(), want)
				return err
			})
		}
		after := func(account model.AccountID, limit int) []model.AccountID {
			t.Helper()
			return mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) {
				return tx.MembersAfter(first, account, limit)
			})
		}
		wantEqual(t, "all", after(model.AccountID{}, 10), []model.AccountID{ann, bob})
		wantEqual(t, "the first", after(model.AccountID{}, 1), []model.AccountID{ann})
		wantEqual(t, "those after the first", after(ann, 10), []model.AccountID{bob})
		some := mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) {
			return tx.MembersAmong(first, []model.AccountID{bob, eve})
		})
		wantEqual(t, "members among some", some, []model.AccountID{bob})
	})
	t.Run("end_with_their_roles", func(t *testing.T) {
		p.mustUpdate(t, func(tx *store.Tx) error {
			return errors.Join(tx.PutRole(first, ann, model.RoleAdmin), tx.PutRole(second, ann, model.RoleAdmin))
		})
		for range 2 { // the second time there is nothing left
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteMembership(first, ann) })
		}
		wantEqual(t, "left", in(first, ann, bob), []model.AccountID{bob})
		wantEqual(t, "administrators left", p.mustHolders(t, first, model.RoleAdmin), nil)
		wantEqual(t, "administrators elsewhere", p.mustHolders(t, second, model.RoleAdmin), []model.AccountID{ann})
		put(want)
		wantEqual(t, "roles after coming back", of(ann)[1].Roles, nil)
	})
	t.Run("are_put_once_by_many_at_the_same_time", func(t *testing.T) {
		d := conformance.NewDatabase(t, h)
		nodes := d.MustOpenNodes(t, h)
		stores := make([]*store.Store, len(nodes))
		for i, e := range nodes {
			var err error
			if stores[i], err = store.Open(t.Context(), e, conformance.Epoch("first")); err != nil {
				t.Fatal(err)
			}
			stores[i].Authenticate(rowKey, nil)
		}
		added := make(chan bool, 8)
		conformance.Everywhere(t, nodes, cap(added), func(_ store.Engine, worker int) error {
			first := false
			err := stores[worker%len(stores)].Update(t.Context(), func(tx *store.Tx) (err error) {
				first, err = tx.PutMembership(want)
				return err
			})
			added <- first && err == nil
			return err
		})
		close(added)
		n := 0
		for first := range added {
			if first {
				n++
			}
		}
		wantEqual(t, "how often it was added", n, 1)
	})
}

func (p *platform) mustHolders(t testing.TB, organization model.OrganizationID, role string) []model.AccountID {
	t.Helper()
	return mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) { return tx.Holders(organization, role) })
}

func roles(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	organization, other := p.mustOrganization(t, ann, bob), p.mustOrganization(t, ann)
	grant := func(account model.AccountID, role string) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.PutRole(organization, account, role) })
	}
	ask := func(account model.AccountID, role string, since time.Time) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.AskForRole(organization, account, role, since) })
	}
	asked := func(account model.AccountID) []overview.PendingRole {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) (map[model.AccountID][]overview.PendingRole, error) {
			return overview.PendingRoles(tx, organization, []model.AccountID{account})
		})[account]
	}
	pending := func(role string) bool {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) (bool, error) { return tx.PendingRole(organization, ann, role) })
	}
	granted := func() []string {
		t.Helper()
		all := mustRead(t, p, func(tx *store.Tx) ([]model.Membership, error) {
			return tx.MembershipsIn(organization, []model.AccountID{ann})
		})
		return all[0].Roles
	}

	t.Run("are_shown_when_granted_and_in_byte_order", func(t *testing.T) {
		for _, role := range []string{"reporting", "help_desk", "helpa", "help", "h0", "h_0", "ha"} {
			grant(ann, role)
		}
		wantEqual(t, "roles", granted(), []string{"h0", "h_0", "ha", "help", "help_desk", "helpa", "reporting"})
	})
	t.Run("that_are_asked_for_are_not_held", func(t *testing.T) {
		ask(ann, model.RoleAdmin, p.now())
		wantEqual(t, "since when", asked(ann), []overview.PendingRole{{Role: model.RoleAdmin, Since: p.now()}})
		wantEqual(t, "pending", pending(model.RoleAdmin), true)
		wantEqual(t, "holders", p.mustHolders(t, organization, model.RoleAdmin), nil)
		grant(bob, model.RoleAdmin)
		wantEqual(t, "holders", p.mustHolders(t, organization, model.RoleAdmin), []model.AccountID{bob})
	})
	t.Run("are_granted_and_stay_granted", func(t *testing.T) {
		grant(ann, model.RoleAdmin)
		wantEqual(t, "pending once granted", pending(model.RoleAdmin), false)
		ask(ann, model.RoleAdmin, p.now())
		wantEqual(t, "pending when asked for again", pending(model.RoleAdmin), false)
		wantEqual(t, "since when", asked(ann), nil)
		wantEqual(t, "holders", p.mustHolders(t, organization, model.RoleAdmin), []model.AccountID{ann, bob})
		wantEqual(t, "holders elsewhere", p.mustHolders(t, other, model.RoleAdmin), nil)
	})
	t.Run("are_taken_away", func(t *testing.T) {
		for range 2 {
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteRole(organization, bob, model.RoleAdmin) })
		}
		wantEqual(t, "holders", p.mustHolders(t, organization, model.RoleAdmin), []model.AccountID{ann})
		ask(bob, "late", p.now())
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteRole(organization, bob, "late") })
		wantEqual(t, "pending after the refusal",
			mustRead(t, p, func(tx *store.Tx) (bool, error) { return tx.PendingRole(organization, bob, "late") }), false)
		again := p.now().Add(time.Hour)
		ask(bob, "late", again)
		wantEqual(t, "since when, asked for once more", asked(bob), []overview.PendingRole{{Role: "late", Since: again}})
	})
}

package service

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/search"
	"signet/internal/store"
	"signet/internal/store/erasure"
	"signet/internal/store/searchindex"
)

// mustSearch searches with a page of 50.
func (f *fixture) mustSearch(actor *model.Actor, c SearchCommand) SearchResult {
	f.t.Helper()
	c.PageSize = 50
	result, err := f.service.Search(context.Background(), actor, c)
	if err != nil {
		f.t.Fatalf("search %+v: %v", c, err)
	}
	return result
}

// shownNames are the display names of hits, in their order.
func shownNames(r SearchResult) []string {
	names := []string{}
	for _, hit := range r.Hits {
		if hit.Group {
			names = append(names, hit.Entity.Group.Name)
		} else {
			names = append(names, hit.Entity.Account.DisplayName)
		}
	}
	return names
}

func (f *fixture) wantNames(actor *model.Actor, c SearchCommand, want ...string) {
	f.t.Helper()
	r := f.mustSearch(actor, c)
	if got := shownNames(r); !slices.Equal(got, want) {
		f.t.Errorf("search %+v\n got %q\nwant %q", c, got, want)
	}
	if r.Total != len(want) {
		f.t.Errorf("search %+v\n counts %d hits, want %d", c, r.Total, len(want))
	}
}

func (f *fixture) wantRefused(actor *model.Actor, q search.Query, kind model.Kind, code, field string) {
	f.t.Helper()
	q.PageSize = 50
	_, err := f.service.Search(context.Background(), actor, SearchCommand{Query: q})
	var refusal *model.Error
	if !errors.As(err, &refusal) || refusal.Kind != kind || refusal.Code != code || refusal.Field != field {
		f.t.Errorf("search %+v: got %v, want %s (%s)", q, err, code, field)
	}
}

// searchFor is a search with one criterion that must hold.
func searchFor(field, text string) SearchCommand {
	return SearchCommand{Query: search.Query{Must: []search.Criterion{{Fields: []string{field}, Text: text}}}}
}

func TestSearchShowsWhoMaySeeIt(t *testing.T) {
	f := newFixture(t)
	ours, theirs := f.organization(), f.organization()
	me := f.named("Bob Ours", ours)
	colleague := f.named("Bob Colleague", ours)
	both := f.account(searchPerson{Account: model.Account{DisplayName: "Bob Both",
		Emails: []model.Email{{Address: "both@example.com"}}}, title: "Ours"}, ours)
	stranger := f.named("Bob Theirs", theirs)
	f.mustUpdate(func(tx *store.Tx) error {
		account, _, err := tx.Account(both)
		if err != nil {
			return err
		}
		return enroll(tx, &account, model.Membership{Organization: theirs, Account: both, Title: "Secret title",
			Joined: f.now})
	})
	mine := f.group(ours, "Bobs of mine", false, me)
	f.group(ours, "Bobs of others", false, colleague)
	public := f.group(ours, "Bobs in public", true, colleague)
	f.group(theirs, "Bobs abroad", true, stranger)
	f.group(theirs, "Bobs and I abroad", false, stranger, me) // a membership that outlived that of the organization
	actor := f.actor(me)

	t.Run("an organization does not see another one", func(t *testing.T) {
		f.wantNames(actor, searchFor("any", "bob"), "Bob Both", "Bob Colleague", "Bob Ours", "Bobs in public",
			"Bobs of mine")
		f.wantNames(actor, SearchCommand{}, "Bob Both", "Bob Colleague", "Bob Ours", "Bobs in public", "Bobs of mine")
		f.wantNames(actor, searchFor("token", stranger.String()))
		f.wantNames(actor, searchFor("any", "secret"))
	})
	t.Run("who is in both shows what it is here", func(t *testing.T) {
		r := f.mustSearch(actor, searchFor("token", both.String()))
		if len(r.Hits) != 1 || r.Hits[0].Organization != ours || r.Hits[0].Entity.Title != "Ours" ||
			r.Hits[0].Entity.Organization != ours || len(r.Hits[0].Entity.Account.Emails) != 1 {
			t.Errorf("got %+v", r.Hits)
		}
	})
	t.Run("and is found in both by who is in both", func(t *testing.T) {
		r := f.mustSearch(f.actor(both), searchFor("token", both.String()))
		organizations := []model.OrganizationID{}
		for _, hit := range r.Hits {
			organizations = append(organizations, hit.Organization)
		}
		want := []model.OrganizationID{ours, theirs}
		slices.Sort(want)
		if !slices.Equal(organizations, want) || r.Total != 2 {
			t.Errorf("got %v of %d, want %v", organizations, r.Total, want)
		}
	})
	t.Run("an administrator finds what members find", func(t *testing.T) {
		admin := f.actor(me)
		admin.Key.Kind = model.Administrative
		admin.Operator = true
		admin.Memberships[0].Roles = []string{model.RoleAdmin}
		f.wantNames(admin, SearchCommand{Query: search.Query{Types: []string{"group"}}}, "Bobs in public", "Bobs of mine")
		f.wantRefused(admin, search.Query{Directory: []model.OrganizationID{theirs}}, model.Forbidden, "not_member",
			"directory")
	})
	t.Run("another directory is refused, there or not", func(t *testing.T) {
		for _, directory := range [][]model.OrganizationID{{theirs}, {ours, theirs}, {"000000000000000000000000"}, {"x"}} {
			f.wantRefused(actor, search.Query{Directory: directory}, model.Forbidden, "not_member", "directory")
		}
		twice := searchFor("name", "of")
		twice.Directory = []model.OrganizationID{ours, ours}
		f.wantNames(actor, twice, "Bobs of mine")
	})
	t.Run("a group shows its members", func(t *testing.T) {
		r := f.mustSearch(actor, SearchCommand{Query: search.Query{Types: []string{"group"}}})
		if len(r.Hits) != 2 || !slices.Equal(r.Hits[0].Entity.Group.Members, public.Members) ||
			!slices.Equal(r.Hits[1].Entity.Group.Members, mine.Members) {
			t.Errorf("got %+v", r.Hits)
		}
	})
	t.Run("a private group is not found by its token either", func(t *testing.T) {
		f.wantNames(f.actor(colleague), searchFor("token", mine.ID.String()))
		f.wantNames(f.actor(colleague), searchFor("token", public.ID.String()), "Bobs in public")
	})
	t.Run("nobody is found without an organization", func(t *testing.T) {
		f.wantNames(f.actor(f.named("Bob Nowhere")), SearchCommand{})
	})
}

func TestSearchFollowsWhatChanges(t *testing.T) {
	f := newFixture(t)
	o := f.organization()
	me := f.named("Me", o)
	other := f.account(searchPerson{Account: model.Account{DisplayName: "Bob Old"}, title: "Nurse"}, o)
	group := f.group(o, "Team", false, other)
	actor, ctx := f.actor(me), context.Background()

	name := "Bob Anew"
	change := people.ProfileCommand{DisplayName: &name}
	if err := directory(f.service).UpdateProfile(ctx, f.actor(other), "me", change); err != nil {
		t.Fatal(err)
	}
	f.wantNames(actor, searchFor("display_name", "old"))
	f.wantNames(actor, searchFor("display_name", "bo"), "Bob Anew")
	f.wantNames(actor, searchFor("title", "nurse"), "Bob Anew")

	f.wantNames(actor, searchFor("name", "team"))
	group.Public = true
	f.mustUpdate(func(tx *store.Tx) error { return search.IndexGroup(tx, &group) })
	f.wantNames(actor, searchFor("name", "team"), "Team")
	group.Public = false
	f.mustUpdate(func(tx *store.Tx) error { return search.IndexGroup(tx, &group) })
	f.wantNames(actor, searchFor("name", "team"))
	f.wantNames(f.actor(other), searchFor("name", "team"), "Team")
	f.mustUpdate(func(tx *store.Tx) error { return searchindex.Remove(tx, o, group.Entity()) })
	f.wantNames(f.actor(other), searchFor("name", "team"))

	if err := directory(f.service).RemoveMember(ctx, f.actor(other), "me", o); err != nil {
		t.Fatal(err)
	}
	f.wantNames(actor, searchFor("any", "bob"))
	f.mustUpdate(func(tx *store.Tx) error { return erasure.EndOrganization(tx, o) })
	f.wantNames(f.actor(me), SearchCommand{})
}

// What changes people is shown at once, though searches show them from memory.
func TestSearchRemembersPeopleAsTheyAre(t *testing.T) {
	f := newFixture(t)
	ours, other := f.organization(), f.organization()
	me := f.named("Me", ours, other)
	bob := f.account(searchPerson{Account: model.Account{Username: "bob", DisplayName: "Bob",
		Emails: []model.Email{{Address: "bob@example.com"}}}, title: "Nurse"}, ours, other)
	actor := f.actor(me)
	actor.Operator, actor.Key.Kind = true, model.Administrative // who is shown what is disabled
	everybody := SearchCommand{Query: search.Query{Disabled: true}}
	for _, change := range []struct {
		of string
		fn func(tx *store.Tx, account model.Account) error
	}{
		{"the profile", func(tx *store.Tx, account model.Account) error {
			account.Status = "away"
			return tx.UpdateProfile(&account)
		}},
		{"the addresses", func(tx *store.Tx, account model.Account) error {
			before := account
			account.Emails = []model.Email{{Address: "robert@example.com"}}
			return tx.UpdatePerson(&before, &account)
		}},
		{"what opens it", func(tx *store.Tx, account model.Account) error { return tx.SetDisabled(account.ID, true) }},
		{"a title", func(tx *store.Tx, account model.Account) error {
			doctor := model.Membership{Organization: other, Account: account.ID, Title: "Doctor", Joined: f.now}
			_, err := tx.PutMembership(doctor)
			return err
		}},
		{"a membership", func(tx *store.Tx, account model.Account) error {
			return tx.DeleteMembership(other, account.ID)
		}},
		{"everything", func(tx *store.Tx, account model.Account) error { return erasure.CloseAccount(tx, account.ID) }},
	} {
		before := f.mustSearch(actor, everybody)
		if kept, known := f.service.persons.Get(bob); !known || len(kept.Memberships) == 0 {
			t.Errorf("before a change of %s nobody is remembered", change.of)
		}
		if again := f.mustSearch(actor, everybody); !reflect.DeepEqual(again, before) {
			t.Errorf("from memory it shows\n%+v\nwant\n%+v", again, before)
		}
		f.mustUpdate(func(tx *store.Tx) error {
			account, _, err := tx.Account(bob)
			if err != nil {
				return err
			}
			return change.fn(tx, account)
		})
		after := f.mustSearch(actor, everybody)
		f.service.Forget()
		if want := f.mustSearch(actor, everybody); !reflect.DeepEqual(after, want) || reflect.DeepEqual(after, before) {
			t.Errorf("after a change of %s it shows\n%+v\nwant\n%+v", change.of, after, want)
		}
	}
}

func TestSearchRendersWhatIsAskedFor(t *testing.T) {
	f := newFixture(t)
	o := f.organization()
	me := f.named("Me", o)
	group := f.group(o, "Mine", false, me)
	kept := map[string]string{"feature_service": "role"}
	if err := f.service.SetMetadata(t.Context(), f.actor(me), group.Entity().String(), o, kept); err != nil {
		t.Fatal(err)
	}
	plain := f.mustSearch(f.actor(me), SearchCommand{})
	if plain.Hits[0].Metadata != nil || plain.Hits[1].Metadata != nil {
		t.Errorf("metadata that nobody asked for: %+v", plain.Hits)
	}
	full := f.mustSearch(f.actor(me), SearchCommand{RenderMetadata: true})
	if full.Hits[0].Metadata == nil || len(full.Hits[0].Metadata) != 0 ||
		full.Hits[1].Metadata["feature_service"] != "role" {
		t.Errorf("metadata: %+v", full.Hits)
	}
	tokens := f.mustSearch(f.actor(me), SearchCommand{TokensOnly: true})
	if len(tokens.Hits) != 2 || tokens.Hits[0].Token != model.EntityID(me) || tokens.Hits[1].Token != group.Entity() ||
		tokens.Hits[0].Entity.Account != nil {
		t.Errorf("tokens: %+v", tokens.Hits)
	}
}

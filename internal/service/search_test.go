package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
)

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

func (f *searchFixture) wantNames(actor *model.Actor, c SearchCommand, want ...string) {
	f.t.Helper()
	r := f.mustSearch(actor, c)
	if got := shownNames(r); !slices.Equal(got, want) {
		f.t.Errorf("search %+v\n got %q\nwant %q", c, got, want)
	}
	if r.Total != len(want) {
		f.t.Errorf("search %+v\n counts %d hits, want %d", c, r.Total, len(want))
	}
}

func (f *searchFixture) wantRefused(actor *model.Actor, c SearchCommand, kind model.Kind, code, field string) {
	f.t.Helper()
	if c.PageSize == 0 {
		c.PageSize = 50
	}
	_, err := f.service.Search(context.Background(), actor, c)
	var refusal *model.Error
	if !errors.As(err, &refusal) || refusal.Kind != kind || refusal.Code != code || refusal.Field != field {
		f.t.Errorf("search %+v: got %v, want %s (%s)", c, err, code, field)
	}
}

func TestSearchMatchesBeginningsOfWords(t *testing.T) {
	f := newSearchFixture(t)
	o := f.organization()
	me := f.account(searchPerson{Account: model.Account{FirstName: "Maria", LastName: "Müller-Lüdenscheidt", DisplayName: "Dr. Maria Müller",
		Username: "mmueller", Emails: []model.Email{{Address: "maria@clinic.example"}, {Address: "mm@home.example"}},
		Phones: []model.Phone{{Number: "+15550100200"}}}, title: "Head Nurse", department: "Ward 7 East"}, o)
	nameless := f.account(searchPerson{}, o) // is called by its token
	f.group(o, "Night Nurses", true)
	actor := f.actor(me)
	const maria, group = "Dr. Maria Müller", "Night Nurses"
	for _, test := range []struct {
		fields, text string
		want         []string
	}{
		{"display_name", "mar", []string{maria}},
		{"display_name", "MÜL", []string{maria}},
		{"display_name", "mul", []string{maria}},
		{"display_name", "muller maria", []string{maria}},
		{"display_name", "d m", []string{maria}},
		{"display_name", "aria", nil},
		{"display_name", "maria x", nil},
		{"display_name", "lud", nil},
		{"last_name", "lud mu", []string{maria}},
		{"last_name", "m", []string{maria}},
		{"first_name", "maria muller", nil},
		{"username", "mmu", []string{maria}},
		{"email", "maria@clinic", []string{maria}},
		{"email", "home", []string{maria}},
		{"phone", "+1555", []string{maria}},
		{"phone", "(1) 555-0100", []string{maria}},
		{"phone", "555", nil},
		{"title", "nurse", []string{maria}},
		{"department", "7", []string{maria}},
		{"department", "east ward", []string{maria}},
		{"name", "night", []string{group}},
		{"name", "maria", nil},
		{"display_name", "ni", []string{group}},
		{"any", "nur", []string{maria, group}},
		{"any", "1555-01", []string{maria}},
		{"any", "maria ward", nil}, // no field has both
		{"title,display_name", "nu", []string{maria, group}},
		{"title,department", "head ward", nil},
		{"token", me.String(), []string{maria}},
		{"token", " " + strings.ToUpper(me.String()) + " ", []string{maria}},
		{"token", me.String()[:8], nil},
		{"any", me.String(), nil},
		{"token,any", nameless.String(), []string{nameless.String()}},
		{"token,name", "night", []string{group}},
		{"nickname", "maria", nil},
		{"nickname,first_name", "maria", []string{maria}},
		{"display_name", "!?", nil},
	} {
		f.wantNames(actor, SearchCommand{Must: []SearchCriterion{{Fields: strings.Split(test.fields, ","), Text: test.text}}}, test.want...)
	}
}

func TestSearchCombinesCriteria(t *testing.T) {
	f := newSearchFixture(t)
	o := f.organization()
	nurse := f.account(searchPerson{Account: model.Account{DisplayName: "Anna Bell"}, title: "Nurse", department: "Ward 1"}, o)
	f.account(searchPerson{Account: model.Account{DisplayName: "Anna Carr"}, title: "Physician", department: "Ward 1"}, o)
	f.account(searchPerson{Account: model.Account{DisplayName: "Bert Anders"}, title: "Nurse", department: "Ward 2"}, o)
	f.group(o, "Annual review", false, nurse)
	f.group(o, "Announcements", true)
	actor := f.actor(nurse)
	for _, test := range []struct {
		name      string
		must, not []SearchCriterion
		want      []string
	}{
		{"none", nil, nil, []string{"Anna Bell", "Anna Carr", "Announcements", "Annual review", "Bert Anders"}},
		{"both hold", append(must("display_name", "an"), must("title", "nur")...), nil, []string{"Anna Bell", "Bert Anders"}},
		{"none of them holds", must("display_name", "an"), append(must("title", "phys"), must("name", "annual")...), []string{"Anna Bell", "Announcements", "Bert Anders"}},
		{"only what must not be", nil, must("department", "ward 1"), []string{"Announcements", "Annual review", "Bert Anders"}},
		{"a blank text is no condition", append(must("display_name", " \t"), must("title", "")...), must("any", " "), []string{"Anna Bell", "Anna Carr", "Announcements", "Annual review", "Bert Anders"}},
		{"what matches nothing excludes nothing", must("display_name", "bert"), must("any", "?!"), []string{"Bert Anders"}},
		{"not this one", must("display_name", "anna"), must("token", nurse.String()), []string{"Anna Carr"}},
		{"this one, and by name", append(must("token", nurse.String()), must("display_name", "bert")...), nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := *f
			f.t = t
			f.wantNames(actor, SearchCommand{Must: test.must, MustNot: test.not}, test.want...)
		})
	}
}

func TestSearchFindsTheTypesAskedFor(t *testing.T) {
	f := newSearchFixture(t)
	o := f.organization()
	me := f.named("Ward clerk", o)
	f.group(o, "Ward private", false, me)
	f.group(o, "Ward public", true)
	for _, test := range []struct {
		types []string
		want  []string
	}{
		{nil, []string{"Ward clerk", "Ward private", "Ward public"}},
		{[]string{"account"}, []string{"Ward clerk"}},
		{[]string{"group"}, []string{"Ward private", "Ward public"}},
		{[]string{"group", "account", "tag"}, []string{"Ward clerk", "Ward private", "Ward public"}},
		{[]string{"tag"}, []string{}},
	} {
		for _, criteria := range [][]SearchCriterion{nil, must("display_name", "wa"), must("name,display_name", "ward")} {
			if len(criteria) > 0 {
				criteria[0].Fields = strings.Split(criteria[0].Fields[0], ",")
			}
			f.wantNames(f.actor(me), SearchCommand{Types: test.types, Must: criteria}, test.want...)
		}
	}
	f.wantNames(f.actor(me), SearchCommand{Types: []string{"group"}, Must: must("token", me.String())})
}

func TestSearchShowsWhoMaySeeIt(t *testing.T) {
	f := newSearchFixture(t)
	ours, theirs := f.organization(), f.organization()
	me := f.named("Bob Ours", ours)
	colleague := f.named("Bob Colleague", ours)
	both := f.account(searchPerson{Account: model.Account{DisplayName: "Bob Both", Emails: []model.Email{{Address: "both@example.com"}}}, title: "Ours"}, ours)
	stranger := f.named("Bob Theirs", theirs)
	f.mustUpdate(func(tx *store.Tx) error {
		account, _, err := tx.Account(both)
		if err != nil {
			return err
		}
		return join(tx, &account, model.Membership{Organization: theirs, Account: both, Title: "Secret title", Joined: f.now})
	})
	mine := f.group(ours, "Bobs of mine", false, me)
	f.group(ours, "Bobs of others", false, colleague)
	public := f.group(ours, "Bobs in public", true, colleague)
	f.group(theirs, "Bobs abroad", true, stranger)
	f.group(theirs, "Bobs and I abroad", false, stranger, me) // a membership that outlived that of the organization
	actor := f.actor(me)

	t.Run("an organization does not see another one", func(t *testing.T) {
		f.wantNames(actor, SearchCommand{Must: must("any", "bob")}, "Bob Both", "Bob Colleague", "Bob Ours", "Bobs in public", "Bobs of mine")
		f.wantNames(actor, SearchCommand{}, "Bob Both", "Bob Colleague", "Bob Ours", "Bobs in public", "Bobs of mine")
		f.wantNames(actor, SearchCommand{Must: must("token", stranger.String())})
		f.wantNames(actor, SearchCommand{Must: must("any", "secret")})
	})
	t.Run("who is in both shows what it is here", func(t *testing.T) {
		r := f.mustSearch(actor, SearchCommand{Must: must("token", both.String())})
		if len(r.Hits) != 1 || r.Hits[0].Organization != ours || r.Hits[0].Entity.Title != "Ours" || r.Hits[0].Entity.Organization != ours || len(r.Hits[0].Entity.Account.Emails) != 1 {
			t.Errorf("got %+v", r.Hits)
		}
	})
	t.Run("and is found in both by who is in both", func(t *testing.T) {
		r := f.mustSearch(f.actor(both), SearchCommand{Must: must("token", both.String())})
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
		f.wantNames(admin, SearchCommand{Types: []string{"group"}}, "Bobs in public", "Bobs of mine")
		f.wantRefused(admin, SearchCommand{Directory: []model.OrganizationID{theirs}}, model.Forbidden, "not_member", "directory")
	})
	t.Run("another directory is refused, there or not", func(t *testing.T) {
		for _, directory := range [][]model.OrganizationID{{theirs}, {ours, theirs}, {"000000000000000000000000"}, {"x"}} {
			f.wantRefused(actor, SearchCommand{Directory: directory}, model.Forbidden, "not_member", "directory")
		}
		f.wantNames(actor, SearchCommand{Directory: []model.OrganizationID{ours, ours}, Must: must("name", "of")}, "Bobs of mine")
	})
	t.Run("a group shows its members", func(t *testing.T) {
		r := f.mustSearch(actor, SearchCommand{Types: []string{"group"}})
		if len(r.Hits) != 2 || !slices.Equal(r.Hits[0].Entity.Group.Members, public.Members) || !slices.Equal(r.Hits[1].Entity.Group.Members, mine.Members) {
			t.Errorf("got %+v", r.Hits)
		}
	})
	t.Run("a private group is not found by its token either", func(t *testing.T) {
		f.wantNames(f.actor(colleague), SearchCommand{Must: must("token", mine.ID.String())})
		f.wantNames(f.actor(colleague), SearchCommand{Must: must("token", public.ID.String())}, "Bobs in public")
	})
	t.Run("nobody is found without an organization", func(t *testing.T) {
		f.wantNames(f.actor(f.named("Bob Nowhere")), SearchCommand{})
	})
}

func TestSearchFollowsWhatChanges(t *testing.T) {
	f := newSearchFixture(t)
	o := f.organization()
	me := f.named("Me", o)
	other := f.account(searchPerson{Account: model.Account{DisplayName: "Bob Old"}, title: "Nurse"}, o)
	group := f.group(o, "Team", false, other)
	actor, ctx := f.actor(me), context.Background()

	name := "Bob Anew"
	if err := f.service.UpdateProfile(ctx, f.actor(other), "me", ProfileCommand{DisplayName: &name}); err != nil {
		t.Fatal(err)
	}
	f.wantNames(actor, SearchCommand{Must: must("display_name", "old")})
	f.wantNames(actor, SearchCommand{Must: must("display_name", "bo")}, "Bob Anew")
	f.wantNames(actor, SearchCommand{Must: must("title", "nurse")}, "Bob Anew")

	f.wantNames(actor, SearchCommand{Must: must("name", "team")})
	group.Public = true
	f.mustUpdate(func(tx *store.Tx) error { return indexGroup(tx, &group) })
	f.wantNames(actor, SearchCommand{Must: must("name", "team")}, "Team")
	group.Public = false
	f.mustUpdate(func(tx *store.Tx) error { return indexGroup(tx, &group) })
	f.wantNames(actor, SearchCommand{Must: must("name", "team")})
	f.wantNames(f.actor(other), SearchCommand{Must: must("name", "team")}, "Team")
	f.mustUpdate(func(tx *store.Tx) error { return unindex(tx, o, group.Entity()) })
	f.wantNames(f.actor(other), SearchCommand{Must: must("name", "team")})

	f.mustUpdate(func(tx *store.Tx) error {
		account, _, err := tx.Account(other)
		if err == nil {
			_, err = f.service.leave(tx, actor, &account, o)
		}
		return err
	})
	f.wantNames(actor, SearchCommand{Must: must("any", "bob")})
	f.mustUpdate(func(tx *store.Tx) error { return tx.DeleteOrganization(o) })
	f.wantNames(actor, SearchCommand{})
}

func TestSearchSorts(t *testing.T) {
	f := newSearchFixture(t)
	o := f.organization()
	var tokens []string
	add := func(name, first, last, department string) {
		id := f.account(searchPerson{Account: model.Account{DisplayName: name, FirstName: first, LastName: last}, department: department}, o)
		tokens = append(tokens, id.String())
	}
	add("b", "Zoe", "Ärmel", "2")
	add("É", "Yves", "Armel", "1")
	add("a", "anna", "Zorn", "2")
	add("D", "Bob", "Berg", "1")
	add("D", "Bob", "Berg", "2")
	me := f.actor(f.named("zz", o))
	for _, test := range []struct {
		sort []string
		want string // last characters of the tokens' order, as indexes
	}{
		{nil, "2 0 3 4 1 5"},
		{[]string{"display_name"}, "2 0 3 4 1 5"},
		{[]string{"-display_name"}, "5 1 3 4 0 2"},
		{[]string{"name"}, "2 0 3 4 1 5"},
		{[]string{"last_name"}, "5 0 1 3 4 2"},
		{[]string{"last_name", "first_name"}, "5 1 0 3 4 2"},
		{[]string{"last_name", "-first_name"}, "5 0 1 3 4 2"},
		{[]string{"-department", "display_name"}, "2 0 4 3 1 5"},
		{[]string{"department", "-display_name", "department"}, "5 1 3 4 0 2"},
		{[]string{"token"}, "0 1 2 3 4 5"},
		{[]string{"-token", "display_name"}, "5 4 3 2 1 0"},
		{[]string{"-display_name", "-token"}, "5 1 4 3 0 2"},
	} {
		all := append(slices.Clone(tokens), me.Account.String())
		for _, limits := range smallLimits {
			got := []string{}
			c := SearchCommand{Sort: test.sort, PageSize: 2}
			for _, hit := range f.mustPages(me, c, limits) {
				got = append(got, fmt.Sprint(slices.Index(all, hit.Token.String())))
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("sorted by %q with %+v: got %q, want %q", test.sort, limits, got, test.want)
			}
		}
	}
	for _, unknown := range []string{"nickname", "", "-", "--display_name", "any", "displayName"} {
		f.wantRefused(me, SearchCommand{Sort: []string{"display_name", unknown}}, model.Invalid, "sort_invalid", "sort")
	}
}

func TestSearchCountsUpToItsLimit(t *testing.T) {
	f := newSearchFixture(t)
	o := f.organization()
	me := f.named("Me", o)
	for i := range 12 {
		f.named(fmt.Sprintf("Bob Bo%d", i), o)
	}
	for _, test := range []struct {
		limit  int
		total  bool
		must   []SearchCriterion
		not    []SearchCriterion
		counts int
	}{
		{10, false, must("display_name", "bo"), nil, 10},
		{11, false, must("display_name", "bo"), nil, 11},
		{12, false, must("display_name", "bo"), nil, 12},
		{13, false, must("display_name", "bo"), nil, 12},
		{10, true, must("display_name", "bo"), nil, 12},
		{10, false, nil, nil, 10},
		{10, true, nil, nil, 13},
		{10, false, nil, must("display_name", "me"), 10},
		{10, true, nil, must("display_name", "me"), 12},
		{10, true, must("any", "bob bo1"), nil, 3},
	} {
		c := SearchCommand{Must: test.must, MustNot: test.not, IncludeTotal: test.total, PageSize: 5}
		q, err := f.service.newSearch(f.actor(me), c)
		if err != nil {
			t.Fatal(err)
		}
		q.limits.counted, q.limits.gathered = test.limit, test.limit
		r, err := q.run(context.Background())
		if err != nil || r.Total != test.counts {
			t.Errorf("%+v with a limit of %d: counts %d (%v), want %d", c, test.limit, r.Total, err, test.counts)
		}
	}
}

func TestSearchRendersWhatIsAskedFor(t *testing.T) {
	f := newSearchFixture(t)
	o := f.organization()
	me := f.named("Me", o)
	group := f.group(o, "Mine", false, me)
	f.mustUpdate(func(tx *store.Tx) error {
		return tx.PutMetadata(o, group.Entity(), []byte(`{"feature_service":"role"}`))
	})
	plain := f.mustSearch(f.actor(me), SearchCommand{})
	if plain.Hits[0].Metadata != nil || plain.Hits[1].Metadata != nil {
		t.Errorf("metadata that nobody asked for: %+v", plain.Hits)
	}
	full := f.mustSearch(f.actor(me), SearchCommand{RenderMetadata: true})
	if full.Hits[0].Metadata == nil || len(full.Hits[0].Metadata) != 0 || full.Hits[1].Metadata["feature_service"] != "role" {
		t.Errorf("metadata: %+v", full.Hits)
	}
	tokens := f.mustSearch(f.actor(me), SearchCommand{TokensOnly: true})
	if len(tokens.Hits) != 2 || tokens.Hits[0].Token != model.EntityID(me) || tokens.Hits[1].Token != group.Entity() || tokens.Hits[0].Entity.Account != nil {
		t.Errorf("tokens: %+v", tokens.Hits)
	}
}

func TestSearchBoundsItsCriteria(t *testing.T) {
	f := newSearchFixture(t)
	me := f.actor(f.named("Me", f.organization()))
	var many []SearchCriterion
	for range maxCriteria {
		many = append(many, must("any", "me")...)
	}
	f.wantNames(me, SearchCommand{Must: many}, "Me")
	f.wantRefused(me, SearchCommand{Must: many, MustNot: must("any", "x")}, model.Invalid, "too_many_criteria", "bool")
	f.wantNames(me, SearchCommand{Must: must("any", strings.Repeat("me ", 50_000))}, "Me")
	f.wantNames(me, SearchCommand{Must: must("any", strings.Repeat("m", 100_000))})
}

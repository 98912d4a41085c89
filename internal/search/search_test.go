package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"signet/internal/model"
)

func TestSearchMatchesBeginningsOfWords(t *testing.T) {
	f := newFixture(t)
	o := f.organization()
	me := f.account(person{Account: model.Account{FirstName: "Maria", LastName: "Müller-Lüdenscheidt",
		DisplayName: "Dr. Maria Müller",
		Username:    "mmueller", Emails: []model.Email{{Address: "maria@clinic.example"}, {Address: "mm@home.example"}},
		Phones: []model.Phone{{Number: "+15550100200"}}}, title: "Head Nurse", department: "Ward 7 East"}, o)
	nameless := f.account(person{}, o) // is called by its token
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
	} {
		f.wantNames(actor, Query{Must: []Criterion{{Fields: strings.Split(test.fields, ","), Text: test.text}}},
			test.want...)
	}
}

func TestSearchCombinesCriteria(t *testing.T) {
	f := newFixture(t)
	o := f.organization()
	nurse := f.account(person{Account: model.Account{DisplayName: "Anna Bell"}, title: "Nurse", department: "Ward 1"}, o)
	f.account(person{Account: model.Account{DisplayName: "Anna Carr"}, title: "Physician", department: "Ward 1"}, o)
	f.account(person{Account: model.Account{DisplayName: "Bert Anders"}, title: "Nurse", department: "Ward 2"}, o)
	f.group(o, "Annual review", false, nurse)
	f.group(o, "Announcements", true)
	actor := f.actor(nurse)
	for _, test := range []struct {
		name      string
		must, not []Criterion
		want      []string
	}{
		{"none", nil, nil, []string{"Anna Bell", "Anna Carr", "Announcements", "Annual review", "Bert Anders"}},
		{"both hold", append(must("display_name", "an"), must("title", "nur")...), nil,
			[]string{"Anna Bell", "Bert Anders"}},
		{"none of them holds", must("display_name", "an"), append(must("title", "phys"), must("name", "annual")...),
			[]string{"Anna Bell", "Announcements", "Bert Anders"}},
		{"only what must not be", nil, must("department", "ward 1"),
			[]string{"Announcements", "Annual review", "Bert Anders"}},
		{"a blank text is no condition", append(must("display_name", " \t"), must("title", "")...), must("any", " "),
			[]string{"Anna Bell", "Anna Carr", "Announcements", "Annual review", "Bert Anders"}},
		{"what matches nothing excludes nothing", must("display_name", "bert"), must("any", "?!"), []string{"Bert Anders"}},
		{"not this one", must("display_name", "anna"), must("token", nurse.String()), []string{"Anna Carr"}},
		{"this one, and by name", append(must("token", nurse.String()), must("display_name", "bert")...), nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := *f
			f.t = t
			f.wantNames(actor, Query{Must: test.must, MustNot: test.not}, test.want...)
		})
	}
}

func TestSearchFindsTheTypesAskedFor(t *testing.T) {
	f := newFixture(t)
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
		for _, criteria := range [][]Criterion{nil, must("display_name", "wa"), must("name,display_name", "ward")} {
			if len(criteria) > 0 {
				criteria[0].Fields = strings.Split(criteria[0].Fields[0], ",")
			}
			f.wantNames(f.actor(me), Query{Types: test.types, Must: criteria}, test.want...)
		}
	}
	f.wantNames(f.actor(me), Query{Types: []string{"group"}, Must: must("token", me.String())})
}

func TestSearchSorts(t *testing.T) {
	f := newFixture(t)
	o := f.organization()
	var tokens []string
	add := func(name, first, last, department string) {
		id := f.account(person{Account: model.Account{DisplayName: name, FirstName: first, LastName: last},
			department: department}, o)
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
			c := Query{Sort: test.sort, PageSize: 2}
			for _, hit := range f.mustPages(me, c, limits) {
				got = append(got, fmt.Sprint(slices.Index(all, hit.Entity.String())))
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("sorted by %q with %+v: got %q, want %q", test.sort, limits, got, test.want)
			}
		}
	}
	for _, unknown := range []string{"nickname", "", "-", "--display_name", "any", "displayName"} {
		f.wantRefused(me, Query{Sort: []string{"display_name", unknown}}, "sort_invalid", "sort")
	}
}

func TestSearchCountsUpToItsLimit(t *testing.T) {
	f := newFixture(t)
	o := f.organization()
	me := f.named("Me", o)
	for i := range 12 {
		f.named(fmt.Sprintf("Bob Bo%d", i), o)
	}
	for _, test := range []struct {
		limit  int
		total  bool
		must   []Criterion
		not    []Criterion
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
		c := Query{Must: test.must, MustNot: test.not, IncludeTotal: test.total, PageSize: 5}
		sizes := limits{counted: test.limit, gathered: test.limit, batch: 1024, prefixes: 64}
		if got := f.mustPage(f.actor(me), c, sizes).Total; got != test.counts {
			t.Errorf("%+v with a limit of %d: counts %d, want %d", c, test.limit, got, test.counts)
		}
	}
}

func TestSearchBoundsItsCriteria(t *testing.T) {
	f := newFixture(t)
	me := f.actor(f.named("Me", f.organization()))
	var many []Criterion
	for range maxCriteria {
		many = append(many, must("any", "me")...)
	}
	f.wantNames(me, Query{Must: many}, "Me")
	f.wantRefused(me, Query{Must: many, MustNot: must("any", "x")}, "too_many_criteria", "bool")
	f.wantNames(me, Query{Must: must("any", strings.Repeat("me ", 50_000))}, "Me")
	f.wantNames(me, Query{Must: must("any", strings.Repeat("m", 100_000))})
}

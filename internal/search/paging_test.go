package search

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/searchindex"
)

// smallLimits make a handful of entities take each of the ways that a search has:
// all are gathered; none are; and in between, with other sizes of what is read.
var smallLimits = []limits{
	{counted: 1000, gathered: 1000, batch: 1024, prefixes: 64},
	{counted: 1, gathered: 1, batch: 2, prefixes: 1},
	{counted: 4, gathered: 6, batch: 3, prefixes: 64},
}

// mustPages returns the hits of all pages, and checks what each says of itself.
func (f *fixture) mustPages(actor *model.Actor, c Query, limits limits) (hits []Hit) {
	f.t.Helper()
	for {
		r := f.mustPage(actor, c, limits)
		if r.First != len(hits) {
			f.t.Errorf("search %+v: the page begins with hit %d, want %d", c, r.First, len(hits))
		}
		hits = append(hits, r.Hits...)
		if len(r.Hits) > c.PageSize || r.Continuation != "" && len(r.Hits) < c.PageSize {
			f.t.Fatalf("search %+v: %d hits on a page of %d", c, len(r.Hits), c.PageSize)
		}
		if c.Continuation = r.Continuation; c.Continuation == "" {
			return hits
		}
	}
}

func TestSearchPagesShowEachHitOnce(t *testing.T) {
	f := newFixture(t)
	o := f.organization()
	me := f.named("Bob 00", o)
	want := []string{"Bob 00"}
	for i := 1; i < 23; i++ {
		name := fmt.Sprintf("Bob Bobson %02d", i/3) // three of each name
		want = append(want, name)
		f.named(name, o)
	}
	slices.Sort(want)
	for _, limits := range smallLimits {
		for _, size := range []int{1, 2, 7, 22, 23, 24, 200} {
			for _, c := range []Query{{}, {Must: must("display_name", "bo")}, {Must: must("any", "b")},
				{MustNot: must("title", "x")},
				{Must: must("display_name", "bob"), Sort: []string{"name", "first_name"}}} {
				c.PageSize = size
				if got := f.shownNames(f.mustPages(f.actor(me), c, limits)); !slices.Equal(got, want) {
					t.Errorf("%+v with %+v:\n got %q\nwant %q", c, limits, got, want)
				}
			}
		}
	}
}

func TestSearchPagesShowOnlyWhatTheWholeTextBegins(t *testing.T) {
	f := newFixture(t)
	o := f.organization()
	me := f.named("Max", o)
	for _, name := range []string{"Mara", "Marc", "Mary Max", "Max Mars", "Maya", "Märta"} {
		f.named(name, o)
	}
	for _, limits := range smallLimits {
		for text, want := range map[string][]string{
			"ma":   {"Mara", "Marc", "Märta", "Mary Max", "Max", "Max Mars", "Maya"},
			"mar":  {"Mara", "Marc", "Märta", "Mary Max", "Max Mars"},
			"mars": {"Max Mars"},
			"m":    {"Mara", "Marc", "Märta", "Mary Max", "Max", "Max Mars", "Maya"},
			"mx":   {},
		} {
			c := Query{Must: must("display_name", text), PageSize: 2}
			if got := f.shownNames(f.mustPages(f.actor(me), c, limits)); !slices.Equal(got, want) {
				t.Errorf("%q with %+v:\n got %q\nwant %q", text, limits, got, want)
			}
		}
	}
}

func TestSearchPagesOfSeveralOrganizations(t *testing.T) {
	f := newFixture(t)
	organizations := []model.OrganizationID{f.organization(), f.organization(), f.organization()}
	me := f.named("Bob everywhere", organizations...)
	f.named("Bob everywhere", organizations...) // the same name, and another token
	for i, o := range organizations {
		f.named(fmt.Sprintf("Bob %d", i), o)
		f.group(o, fmt.Sprintf("Bobs %d", i), true)
		f.group(o, fmt.Sprintf("Bobs %d private", i), false, me)
	}
	for _, limits := range smallLimits {
		for _, c := range []Query{{}, {Must: must("any", "bo")}, {Must: must("any", "bo"), Sort: []string{"-display_name"}},
			{Must: must("display_name", "bob"), Sort: []string{"title"}}, {Sort: []string{"-token"}},
			{MustNot: must("any", "x")}} {
			c.PageSize = 200
			whole := f.mustPage(f.actor(me), c, limits).Hits
			if len(whole) != 2*3+3*3 {
				t.Errorf("%+v: %d hits, want 15", c, len(whole))
			}
			for _, size := range []int{1, 2, 5} {
				c.PageSize = size
				pages := f.mustPages(f.actor(me), c, limits)
				if !slices.EqualFunc(pages, whole, func(a, b Hit) bool {
					return a.Entity == b.Entity &&
						a.Organization == b.Organization
				}) {
					t.Errorf("%+v with %+v: pages of %d differ from the whole", c, limits, size)
				}
			}
		}
	}
}

// Between two pages accounts come, go and are renamed. What was there all the
// time is shown exactly once.
func TestSearchPagesStayStableWhileOthersComeAndGo(t *testing.T) {
	for _, limits := range smallLimits {
		f := newFixture(t)
		o := f.organization()
		me := f.named("Bob Zz", o)
		var steady, fleeting []model.AccountID
		for i := range 20 {
			steady = append(steady, f.named(fmt.Sprintf("Bob %02d", i), o))
			fleeting = append(fleeting, f.named(fmt.Sprintf("Bob %02d", i), o))
		}
		shown := map[model.EntityID]int{}
		c := Query{Must: must("display_name", "bo"), PageSize: 3}
		for page := 0; ; page++ {
			r := f.mustPage(f.actor(me), c, limits)
			for _, hit := range r.Hits {
				shown[hit.Entity]++
			}
			if c.Continuation = r.Continuation; c.Continuation == "" {
				break
			}
			// One comes at the start, one at the end, and the one shown last leaves.
			f.named("Bob 00 first", o)
			if page < 10 {
				f.named(fmt.Sprintf("Bob 99 %d", page), o)
			}
			last := r.Hits[len(r.Hits)-1].Entity
			if slices.Contains(fleeting, model.AccountID(last)) {
				f.mustUpdate(func(tx *store.Tx) error { return searchindex.Remove(tx, o, last) })
			}
		}
		for _, id := range steady {
			if n := shown[model.EntityID(id)]; n != 1 {
				t.Errorf("with %+v an account that was always there is shown %d times", limits, n)
			}
		}
		for id, n := range shown {
			if n != 1 {
				t.Errorf("with %+v %s is shown %d times", limits, id, n)
			}
		}
	}
}

// Writers and readers at the same time, each page being one snapshot.
func TestSearchPagesWhileOthersAreAdded(t *testing.T) {
	f := newFixture(t)
	o := f.organization()
	actor := f.actor(f.named("Bob Me", o))
	var steady []model.EntityID
	for i := range 30 {
		steady = append(steady, model.EntityID(f.named(fmt.Sprintf("Bob %c", 'A'+i%26), o)))
	}
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			p := person{Account: model.Account{DisplayName: fmt.Sprintf("Bob %c%d", 'A'+i%26, i)}}
			err := f.store.Update(context.Background(), func(tx *store.Tx) error {
				_, err := f.insertAccount(tx, p, o)
				return err
			})
			if err != nil {
				done <- err
				return
			}
		}
	}()
	for range 10 {
		shown := map[model.EntityID]int{}
		// A bound on the name, so that the search ends while names are added.
		c := Query{Must: must("display_name", "bob"), Sort: []string{"token"}, PageSize: 7}
		for pages := 0; pages < 8; pages++ {
			r := f.mustPage(actor, c, smallLimits[1])
			for _, hit := range r.Hits {
				shown[hit.Entity]++
			}
			if c.Continuation = r.Continuation; c.Continuation == "" {
				break
			}
		}
		for _, id := range steady {
			if shown[id] != 1 {
				t.Errorf("%s is shown %d times", id, shown[id])
			}
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// Who has the same name comes in the order of the identifiers that was asked for,
// whichever way the search takes.
func TestSearchOrdersTheSameNameByTokenBothWays(t *testing.T) {
	f := newFixture(t)
	o := f.organization()
	var accounts []model.EntityID
	for range 5 {
		accounts = append(accounts, model.EntityID(f.named("Ann", o)))
	}
	me := f.actor(model.AccountID(accounts[0]))
	for _, limits := range smallLimits {
		for _, name := range []string{"display_name", "-display_name"} {
			for token, want := range map[string][]model.EntityID{"token": accounts, "-token": reversed(accounts)} {
				c := Query{Must: must("display_name", "ann"), Sort: []string{name, token}, PageSize: 2}
				var got []model.EntityID
				for _, hit := range f.mustPages(me, c, limits) {
					got = append(got, hit.Entity)
				}
				if !slices.Equal(got, want) {
					t.Errorf("sorted by %s and %s with %+v: %v, want %v", name, token, limits, got, want)
				}
			}
		}
	}
}

func reversed[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

package search

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/searchindex"
)

// plainEntity is an account or a group in an organization, as the plain search of
// the property test has it.
type plainEntity struct {
	organization model.OrganizationID
	token        model.EntityID
	group        bool
	public       bool
	members      []model.AccountID
	fields       map[string][]string
}

// plainSearch is the search said as simply as it can be: it looks at everything.
type plainSearch struct {
	entities []*plainEntity
}

var plainMarks = strings.NewReplacer("é", "e", "É", "e", "Å", "a", "å", "a", "ß", "ss", "İ", "i", "ﬁ", "fi")

func plainFold(text string) string { return strings.ToLower(plainMarks.Replace(text)) }

var notWord = regexp.MustCompile(`[^\p{L}\p{N}]+`)

func plainWords(text string) (out []string) {
	for _, word := range notWord.Split(plainFold(text), -1) {
		if word != "" {
			out = append(out, word)
		}
	}
	return out
}

func (e *plainEntity) matchesField(field, text string) bool {
	switch {
	case field == "token":
		return strings.EqualFold(e.token.String(), strings.TrimSpace(text))
	case field == "any":
		for field := range e.fields {
			if e.matchesField(field, text) {
				return true
			}
		}
		return false
	}
	wanted := plainWords(text)
	has := plainWords(strings.Join(e.fields[field], " "))
	for _, word := range has {
		for i, r := range word {
			if unicode.Is(unicode.Han, r) {
				has = append(has, word[i:])
			}
		}
	}
	begun := func(w string) bool {
		return slices.ContainsFunc(has, func(h string) bool { return strings.HasPrefix(h, w) })
	}
	return len(wanted) > 0 && !slices.ContainsFunc(wanted, func(w string) bool { return !begun(w) })
}

func (e *plainEntity) matches(c Criterion) bool {
	return slices.ContainsFunc(c.Fields, func(field string) bool { return e.matchesField(field, c.Text) })
}

func (e *plainEntity) sortedBy(field string) string {
	if field == "token" {
		return e.token.String()
	}
	if field == "name" {
		field = "display_name"
	}
	if len(e.fields[field]) == 0 {
		return ""
	}
	return plainFold(e.fields[field][0])
}

// find returns the tokens and organizations of all hits, in order.
func (s *plainSearch) find(actor *model.Actor, c Query) (out []placed) {
	var hits []*plainEntity
	blank := func(c Criterion) bool { return len(plainWords(c.Text)) == 0 }
	for _, e := range s.entities {
		kind := "account"
		if e.group {
			kind = "group"
		}
		switch {
		case !actor.MemberOf(e.organization):
		case len(c.Directory) > 0 && !slices.Contains(c.Directory, e.organization):
		case len(c.Types) > 0 && !slices.Contains(c.Types, kind):
		case e.group && !e.public && !slices.Contains(e.members, actor.Account):
		case slices.ContainsFunc(c.Must, func(c Criterion) bool { return !blank(c) && !e.matches(c) }):
		case slices.ContainsFunc(c.MustNot, func(c Criterion) bool { return !blank(c) && e.matches(c) }):
		default:
			hits = append(hits, e)
		}
	}
	slices.SortFunc(hits, func(a, b *plainEntity) int {
		for _, term := range append(slices.Clone(c.Sort), "token") {
			field, descending := strings.CutPrefix(term, "-")
			if c := directed(cmp.Compare(a.sortedBy(field), b.sortedBy(field)), descending); c != 0 {
				return c
			}
			if field == "token" {
				break // the same account, in two organizations
			}
		}
		return cmp.Compare(a.organization, b.organization)
	})
	for _, e := range hits {
		out = append(out, placed{e.organization, e.token})
	}
	return out
}

var (
	plainTexts = []string{"", "Ann", "ANNA", "anna-maria", "Énya", "enya", "Straße", "strasse 4", "Bo", "Bob",
		"bobby bo", "b2", "Åsa", "asa", "İda", "ﬁn", "fin b",
		"田中", "田太郎", "Щука", "a", "ab ac ad", "ann bob", "Bob Ann", "x.y@z", "zz"}
	plainQueries = []string{"a", "an", "ann", "anna", "anna m", "b", "bo", "bob", "bob ann", "B2", "é", "en", "ss",
		"stra", "straß", "STRASSE", "ås", "id", "fi", "ﬁ",
		"田", "田中", "中", "太郎", "щ", "Щу", "ac ab", "z", "zz", "q", "  ", "", "!", "x y", "x.y", "a b", "b a f"}
	plainFields = []string{"display_name", "first_name", "last_name", "username", "email", "title", "department",
		"name", "any", "token", "nickname"}
)

// searchWorld is what a run of the property test makes: drawn first, and then
// written in one transaction.
type searchWorld struct {
	plainSearch
	f             *fixture
	organizations []model.OrganizationID
	accounts      []*model.Account
	steps         []func(tx *store.Tx) error
}

func (w *searchWorld) step(fn func(tx *store.Tx) error) { w.steps = append(w.steps, fn) }

// fill makes organizations, accounts and groups, and then changes some of them.
func (w *searchWorld) fill(t *rapid.T) {
	text := rapid.SampledFrom(plainTexts)
	for range rapid.IntRange(1, 3).Draw(t, "organizations") {
		w.f.made++
		w.organizations = append(w.organizations, model.OrganizationID(fmt.Sprintf("%024d", w.f.made)))
	}
	for range rapid.IntRange(1, 14).Draw(t, "accounts") {
		account := &model.Account{ID: w.f.id(), Created: w.f.now,
			DisplayName: text.Draw(t, "display name"), FirstName: text.Draw(t, "first name"),
			LastName: text.Draw(t, "last name")}
		account.DisplayName = account.ComposeDisplayName()
		w.accounts = append(w.accounts, account)
		w.step(func(tx *store.Tx) error { return tx.InsertAccount(account, "") })
		for _, o := range rapid.SliceOfDistinct(rapid.SampledFrom(w.organizations), rapid.ID).Draw(t, "in") {
			e := &plainEntity{organization: o, token: model.EntityID(account.ID)}
			w.entities = append(w.entities, e)
			w.enter(t, e)
		}
	}
	for range rapid.IntRange(0, 8).Draw(t, "groups") {
		g := &model.Group{ID: w.f.id(), Organization: rapid.SampledFrom(w.organizations).Draw(t, "of"),
			Name: text.Draw(t, "name"), Public: rapid.Bool().Draw(t, "public")}
		members := rapid.SliceOfDistinct(rapid.SampledFrom(w.ids()), rapid.ID).Draw(t, "members")
		w.step(func(tx *store.Tx) error {
			if err := tx.InsertGroup(g); err != nil {
				return err
			}
			return tx.AddGroupMembers(g, members, 1, 0, store.Stay{})
		})
		e := &plainEntity{organization: g.Organization, token: g.Entity(), group: true, members: members}
		w.entities = append(w.entities, e)
		w.setGroup(e, g)
	}
	for range rapid.IntRange(0, 6).Draw(t, "changes") {
		w.change(t)
	}
	w.f.mustUpdate(func(tx *store.Tx) error {
		for _, step := range w.steps {
			if err := step(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *searchWorld) ids() (out []model.AccountID) {
	for _, account := range w.accounts {
		out = append(out, account.ID)
	}
	return out
}

// enter puts an account into an organization, or changes what it is there.
func (w *searchWorld) enter(t *rapid.T, e *plainEntity) {
	text := rapid.SampledFrom(plainTexts)
	i := slices.Index(w.ids(), model.AccountID(e.token))
	account := w.accounts[i]
	m := model.Membership{Organization: e.organization, Account: account.ID, Title: text.Draw(t, "title"),
		Department: text.Draw(t, "department"), Joined: w.f.now}
	w.step(func(tx *store.Tx) error { return enter(tx, account, m) })
	e.fields = map[string][]string{
		"display_name": {account.DisplayName}, "first_name": {account.FirstName}, "last_name": {account.LastName},
		"username": {account.Username},
		"title":    {m.Title}, "department": {m.Department}, "email": nil, "phone": nil,
	}
}

func (w *searchWorld) setGroup(e *plainEntity, g *model.Group) {
	w.step(func(tx *store.Tx) error { return IndexGroup(tx, g) })
	e.public = g.Public
	e.fields = map[string][]string{"display_name": {g.Name}, "name": {g.Name}}
}

// change changes one entity, or takes it out.
func (w *searchWorld) change(t *rapid.T) {
	if len(w.entities) == 0 {
		return
	}
	i := rapid.IntRange(0, len(w.entities)-1).Draw(t, "changed")
	e := w.entities[i]
	switch {
	case rapid.IntRange(0, 3).Draw(t, "leaves") == 0:
		w.step(func(tx *store.Tx) error {
			if !e.group {
				if err := tx.DeleteMembership(e.organization, model.AccountID(e.token)); err != nil {
					return err
				}
			}
			return searchindex.Remove(tx, e.organization, e.token)
		})
		w.entities = slices.Delete(w.entities, i, i+1)
	case e.group:
		w.setGroup(e, &model.Group{ID: model.GroupID(e.token), Organization: e.organization,
			Name: rapid.SampledFrom(plainTexts).Draw(t, "new name"), Public: rapid.Bool().Draw(t, "new public")})
	default:
		w.enter(t, e)
	}
}

// query draws a search.
func (w *searchWorld) query(t *rapid.T, actor *model.Actor) Query {
	queries := rapid.SampledFrom(plainQueries)
	if len(w.entities) > 0 {
		queries = rapid.OneOf(queries, rapid.Map(rapid.SampledFrom(w.entities),
			func(e *plainEntity) string { return e.token.String() }))
	}
	criterion := rapid.Custom(func(t *rapid.T) Criterion {
		return Criterion{Fields: rapid.SliceOfN(rapid.SampledFrom(plainFields), 1, 3).Draw(t, "fields"),
			Text: queries.Draw(t, "text")}
	})
	terms := []string{"display_name", "name", "first_name", "last_name", "title", "department", "token", "username"}
	for _, term := range terms {
		terms = append(terms, "-"+term)
	}
	c := Query{
		Types: rapid.SampledFrom([][]string{nil, {"account"}, {"group"}, {"account", "group"}, {"tag"}}).Draw(t,
			"types"),
		Must:         rapid.SliceOfN(criterion, 0, 3).Draw(t, "must"),
		MustNot:      rapid.SliceOfN(criterion, 0, 2).Draw(t, "must not"),
		Sort:         rapid.SliceOfN(rapid.SampledFrom(terms), 0, 3).Draw(t, "sort"),
		PageSize:     rapid.IntRange(1, 9).Draw(t, "page size"),
		IncludeTotal: rapid.Bool().Draw(t, "include total"),
	}
	if in := actor.Organizations(); len(in) > 0 {
		c.Directory = rapid.SliceOf(rapid.SampledFrom(in)).Draw(t, "directory")
	}
	return c
}

func TestSearchFindsWhatAPlainSearchFinds(t *testing.T) {
	f := newFixture(t)
	rapid.Check(t, func(t *rapid.T) {
		w := searchWorld{f: f}
		w.fill(t)
		for range 4 {
			actor := f.actor(rapid.SampledFrom(w.ids()).Draw(t, "actor"))
			c := w.query(t, actor)
			limits := limits{
				counted: rapid.IntRange(1, 20).Draw(t, "counted"), gathered: rapid.IntRange(1, 20).Draw(t, "gathered"),
				batch: rapid.IntRange(1, 20).Draw(t, "batch"), prefixes: rapid.IntRange(1, 4).Draw(t, "prefixes"),
			}
			plain := c
			if len(plain.Sort) == 0 {
				plain.Sort = []string{"display_name"}
			}
			want := w.find(actor, plain)
			counted := min(len(want), limits.counted)
			if c.IncludeTotal {
				counted = len(want)
			}
			var got []placed
			for page := c; ; {
				r := f.mustPage(actor, page, limits)
				if r.Total != counted || r.First != len(got) {
					t.Fatalf("%+v with %+v: total %d, first %d, want %d and %d", c, limits, r.Total, r.First, counted, len(got))
				}
				for _, hit := range r.Hits {
					got = append(got, placed{hit.Organization, hit.Entity})
				}
				if page.Continuation = r.Continuation; r.Continuation == "" || len(got) > len(want) {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%+v with %+v:\n got %v\nwant %v", c, limits, got, want)
			}
		}
	})
}

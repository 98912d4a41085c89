package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/searchindex"
)

// searchable is an account as the index has it, whose name is its one word.
func searchable(organization model.OrganizationID, entity model.EntityID, name string) *searchindex.Entity {
	e := &searchindex.Entity{Organization: organization, Entity: entity, Kind: searchindex.Account}
	e.Keys[searchindex.DisplayName] = name
	e.Words = searchindex.JoinWords(map[searchindex.Field][]string{searchindex.DisplayName: {name}})
	return e
}

func (p *platform) mustSearch(t testing.TB, organization model.OrganizationID,
	accounts ...model.AccountID) []searchindex.Entity {
	t.Helper()
	var ids []model.EntityID
	for _, account := range accounts {
		ids = append(ids, model.EntityID(account))
	}
	return mustRead(t, p, func(tx *store.Tx) ([]searchindex.Entity, error) {
		return searchindex.Entities(tx,
			organization, ids)
	})
}

func (p *platform) mustIndex(t testing.TB, entities ...*searchindex.Entity) {
	t.Helper()
	p.mustUpdate(t, func(tx *store.Tx) error {
		for _, e := range entities {
			if err := searchindex.Put(tx, e); err != nil {
				return err
			}
		}
		return nil
	})
}

func searchEntities(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	first, second := p.organizationID(), p.organizationID()

	t.Run("come_back_as_they_were", func(t *testing.T) {
		e := &searchindex.Entity{Organization: first, Entity: p.id(), Kind: searchindex.Account}
		for field := searchindex.DisplayName; field <= searchindex.Department; field++ {
			e.Keys[field] = fmt.Sprint("key ", field)
		}
		e.Words = searchindex.JoinWords(map[searchindex.Field][]string{searchindex.Title: {"dr", "prof"},
			searchindex.DisplayName: {"ann"}})
		p.mustIndex(t, e)
		account := model.AccountID(e.Entity)
		wantEqual(t, "entity", p.mustSearch(t, first, account, p.id()), []searchindex.Entity{*e})
		wantEqual(t, "elsewhere", len(p.mustSearch(t, second, account)), 0)
		e.Keys[searchindex.Title], e.Words = "", searchindex.JoinWords(nil)
		p.mustIndex(t, e, e)
		wantEqual(t, "entity after a change", p.mustSearch(t, first, account), []searchindex.Entity{*e})
		for range 2 {
			p.mustUpdate(t, func(tx *store.Tx) error { return searchindex.Remove(tx, first, e.Entity) })
		}
		wantEqual(t, "after its end", len(p.mustSearch(t, first, account)), 0)
	})

	t.Run("are_listed_in_the_order_of_bytes_on_every_engine", func(t *testing.T) {
		organization := p.organizationID()
		// In the order of a language these would be mixed up.
		sorted := []string{"", "A", "B", "Z", "a", "a b", "ab", "a\u0308", "b", "z", "ä", "ß", "я", "日", "\U0001F40E"}
		slices.Sort(sorted)
		for _, i := range []int{4, 1, 12, 0, 7, 3, 14, 9, 2, 13, 5, 8, 11, 6, 10} {
			p.mustIndex(t, searchable(organization, model.EntityID{15: byte(i + 1)}, sorted[i]))
		}
		for _, descending := range []bool{false, true} {
			want := slices.Clone(sorted)
			if descending {
				slices.Reverse(want)
			}
			order := &searchindex.Order{Terms: []searchindex.Term{{Field: searchindex.DisplayName, Descending: descending}}}
			for _, size := range []int{1, 4, 100} {
				got := []string{}
				var after *searchindex.Entity
				for more := true; more; {
					page := mustRead(t, p, func(tx *store.Tx) ([]searchindex.Entity, error) {
						return searchindex.InOrder(tx, organization, searchindex.Account, order, after, size)
					})
					for _, e := range page {
						got = append(got, e.Keys[searchindex.DisplayName])
					}
					if more = len(page) == size; more {
						after = &page[size-1]
					}
				}
				wantEqual(t, fmt.Sprintf("pages of %d, descending %t", size, descending), got, want)
			}
		}
		n := func(limit int) int {
			return mustRead(t, p, func(tx *store.Tx) (int, error) {
				return searchindex.Count(tx, organization, searchindex.Account, limit)
			})
		}
		wantEqual(t, "count", []int{n(100), n(7)}, []int{len(sorted), 7})
	})

	t.Run("are_paged_by_several_fields_while_others_come_and_go", func(t *testing.T) {
		organization := p.organizationID()
		var all []*searchindex.Entity
		for i := range 30 {
			e := searchable(organization, model.EntityID{15: byte(i + 1)}, fmt.Sprint("name", i%3))
			e.Keys[searchindex.Title] = fmt.Sprint("title", i%5)
			all = append(all, e)
		}
		p.mustIndex(t, all...)
		order := &searchindex.Order{Terms: []searchindex.Term{{Field: searchindex.Title, Descending: true},
			{Field: searchindex.DisplayName}}, TokenDescending: true}
		seen := map[model.EntityID]int{}
		var after *searchindex.Entity
		for page := range 10 {
			found := mustRead(t, p, func(tx *store.Tx) ([]searchindex.Entity, error) {
				return searchindex.InOrder(tx, organization, searchindex.Account, order, after, 3)
			})
			for _, e := range found {
				seen[e.Entity]++
			}
			after = &found[2]
			// What sorts before the cursor, and what was seen and goes, moves nothing.
			extra := searchable(organization, model.EntityID{14: 1, 15: byte(page)}, "name0")
			extra.Keys[searchindex.Title] = "title9"
			p.mustIndex(t, extra)
			p.mustUpdate(t, func(tx *store.Tx) error { return searchindex.Remove(tx, organization, found[0].Entity) })
		}
		for _, e := range all {
			if seen[e.Entity] != 1 {
				t.Errorf("%s was shown %d times", e.Entity, seen[e.Entity])
			}
		}
		wantEqual(t, "shown", len(seen), len(all))
	})

	t.Run("that_are_private_groups_are_found_through_their_members", func(t *testing.T) {
		ann, bob := p.mustAccount(t, "ann").ID, p.mustAccount(t, "bob").ID
		organization := p.mustOrganization(t, ann, bob)
		private, public := p.mustGroup(t, organization, ann), p.mustGroup(t, organization, ann)
		a, b := searchable(organization, private.Entity(), "secret"), searchable(organization, public.Entity(), "secret")
		a.Kind, b.Kind = searchindex.PrivateGroup, searchindex.PublicGroup
		p.mustIndex(t, a, b)
		of := func(account model.AccountID) []searchindex.Entity {
			return mustRead(t, p,
				func(tx *store.Tx) ([]searchindex.Entity, error) {
					return searchindex.PrivateGroupsOf(tx, account, organization)
				})
		}
		wantEqual(t, "of a member", of(ann), []searchindex.Entity{*a})
		wantEqual(t, "of another", len(of(bob)), 0)
		for kind, want := range map[searchindex.Kind]int{searchindex.PrivateGroup: 0, searchindex.PublicGroup: 1} {
			r := searchindex.Range{Organization: organization, Kind: kind,
				Fields: searchindex.In(searchindex.DisplayName), Text: "se"}
			wantEqual(t, "words", mustRead(t, p, func(tx *store.Tx) (int,
				error) {
				return searchindex.CountWords(tx, r, 10)
			}), want)
		}
	})
}

func searchWords(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	organization := p.organizationID()
	names := map[string][]string{ // by display name
		"carl": {"carl", "carter"}, "anna": {"anna", "cat"}, "zoe": {"zoe", "ca"}, "ca": {"ca"}, "dan": {"dan", "čapek"},
		"cz": {"cz"}, "dz": {"\U0001D7D8x"},
	}
	for i, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range names {
			if !yield(name) {
				return
			}
		}
	}) {
		e := searchable(organization, model.EntityID{15: byte(i + 1)}, name)
		e.Words = searchindex.JoinWords(map[searchindex.Field][]string{searchindex.DisplayName: names[name]})
		p.mustIndex(t, e)
		p.mustIndex(t, searchable(p.organizationID(), e.Entity, name))
	}
	in := func(text string) searchindex.Range {
		return searchindex.Range{Organization: organization, Kind: searchindex.Account,
			Fields: searchindex.In(searchindex.DisplayName), Text: text}
	}

	t.Run("are_counted_up_to_a_limit", func(t *testing.T) {
		for text, want := range map[string]int{"ca": 5, "c": 6, "cat": 1, "cax": 0, "a": 1, "ann": 1, "č": 1,
			"\U0001D7D8": 1} {
			wantEqual(t, "words that begin with "+text,
				mustRead(t, p, func(tx *store.Tx) (int, error) { return searchindex.CountWords(tx, in(text), 100) }), want)
		}
		wantEqual(t, "at most 2", mustRead(t, p, func(tx *store.Tx) (int,
			error) {
			return searchindex.CountWords(tx, in("ca"), 2)
		}), 2)
		other := in("ca")
		other.Fields = searchindex.In(searchindex.Title)
		wantEqual(t, "in another field", mustRead(t, p, func(tx *store.Tx) (int,
			error) {
			return searchindex.CountWords(tx, other, 100)
		}),
			0)
	})
	t.Run("are_in_several_fields_at_once", func(t *testing.T) {
		e := searchable(p.organizationID(), model.EntityID{14: 8}, "sam")
		count := func(text string, fields ...searchindex.Field) int {
			r := searchindex.Range{Organization: e.Organization, Kind: searchindex.Account,
				Fields: searchindex.In(fields...), Text: text}
			return mustRead(t, p, func(tx *store.Tx) (int, error) { return searchindex.CountWords(tx, r, 10) })
		}
		for _, in := range [][]searchindex.Field{
			{searchindex.DisplayName}, {searchindex.DisplayName, searchindex.Email, searchindex.Department},
			{searchindex.Email, searchindex.Department}, {},
		} {
			words := map[searchindex.Field][]string{searchindex.Phone: {"1"}}
			for _, field := range in {
				words[field] = []string{"sam"}
			}
			e.Words = searchindex.JoinWords(words)
			p.mustIndex(t, e)
			some := 0
			for field := searchindex.DisplayName; field <= searchindex.Department; field++ {
				want := 0
				if slices.Contains(in, field) {
					want, some = 1, 1
				}
				wantEqual(t, fmt.Sprint("in field ", field), count("sa", field), want)
			}
			wantEqual(t, "in all", count("sa", searchindex.DisplayName, searchindex.Title, searchindex.Email,
				searchindex.Department), some)
			wantEqual(t, "another word", count("1", searchindex.Phone, searchindex.Email), 1)
		}
	})
	t.Run("are_listed_by_word", func(t *testing.T) {
		got := pages(t, p, 2, func(tx *store.Tx, after searchindex.Mark, limit int) ([]searchindex.Mark, error) {
			return searchindex.WordsByWord(tx, in("ca"), after, limit)
		})
		wantEqual(t, "words", got, []string{"ca of ca", "ca of zoe", "carl of carl", "carter of carl", "cat of anna"})
	})
	t.Run("are_listed_by_name_in_both_directions", func(t *testing.T) {
		for _, prefix := range []string{"ca", ""} {
			got := pages(t, p, 3, func(tx *store.Tx, after searchindex.Mark, limit int) ([]searchindex.Mark, error) {
				return searchindex.WordsByName(tx, in("ca"), prefix, false, after, limit)
			})
			wantSameUpToWord(t, got, "anna", "ca", "carl", "carl", "zoe")
			got = pages(t, p, 3, func(tx *store.Tx, after searchindex.Mark, limit int) ([]searchindex.Mark, error) {
				return searchindex.WordsByName(tx, in("ca"), prefix, true, after, limit)
			})
			wantSameUpToWord(t, got, "zoe", "carl", "carl", "ca", "anna")
		}
	})
	t.Run("tell_their_prefixes", func(t *testing.T) {
		for text, want := range map[string][]string{"c": {"ca", "cz"}, "ca": {"ca"}, "car": {"ca"}, "d": {"da"}, "x": nil,
			"č": {"ča"}} {
			got := mustRead(t, p, func(tx *store.Tx) ([]string, error) { return searchindex.Prefixes(tx, in(text), 10) })
			wantEqual(t, "prefixes of "+text, got, want)
		}
		wantEqual(t, "at most one", mustRead(t, p, func(tx *store.Tx) ([]string,
			error) {
			return searchindex.Prefixes(tx, in("c"), 1)
		}),
			[]string{"ca"})
	})
	t.Run("follow_their_entity", func(t *testing.T) {
		e := searchable(organization, model.EntityID{14: 9}, "old")
		p.mustIndex(t, e)
		count := func(text string) int {
			return mustRead(t, p, func(tx *store.Tx) (int, error) { return searchindex.CountWords(tx, in(text), 10) })
		}
		wantEqual(t, "before", []int{count("old"), count("new")}, []int{1, 0})
		p.mustIndex(t, searchable(organization, e.Entity, "new"))
		wantEqual(t, "after a change", []int{count("old"), count("new")}, []int{0, 1})
		err := p.Update(t.Context(),
			func(tx *store.Tx) error {
				return errors.Join(searchindex.Remove(tx, organization, e.Entity), conformance.ErrMine)
			})
		wantError(t, "update", err, conformance.ErrMine)
		wantEqual(t, "after a change that failed", count("new"), 1)
		p.mustUpdate(t, func(tx *store.Tx) error { return searchindex.Remove(tx, organization, e.Entity) })
		wantEqual(t, "after its end", count("new"), 0)
	})
}

// pages reads a whole list in pages, each from the last mark of the one before.
func pages(t *testing.T, p *platform, size int,
	read func(*store.Tx, searchindex.Mark, int) ([]searchindex.Mark, error)) (out []string) {
	t.Helper()
	var after searchindex.Mark
	for {
		page := mustRead(t, p, func(tx *store.Tx) ([]searchindex.Mark, error) { return read(tx, after, size) })
		for _, m := range page {
			out = append(out, m.Word+" of "+m.DisplayName)
		}
		if len(page) < size {
			return out
		}
		after = page[size-1]
	}
}

// wantSameUpToWord compares the names of a list by name, in which an entity may
// come once for each of its words, and where a page ended only once.
func wantSameUpToWord(t *testing.T, got []string, want ...string) {
	t.Helper()
	var names []string
	for _, entry := range got {
		var word, name string
		if _, err := fmt.Sscanf(entry, "%s of %s", &word, &name); err != nil {
			t.Fatalf("%q: %v", entry, err)
		}
		names = append(names, name)
	}
	wantEqual(t, "names", slices.Compact(names), slices.Compact(want))
}

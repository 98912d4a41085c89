package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/searchindex"
)

// Fold brings a name into the form by which lists are in order.
func Fold(name string) string { return fold(name) }

// Beginnings returns what reports whether every word of a text begins some word of a name,
// as in a search. A text without a word is no condition.
func Beginnings(text string) func(name string) bool {
	wanted := searchWords(text)
	return func(name string) bool {
		have := indexWords(name)
		for _, begun := range wanted {
			if !slices.ContainsFunc(have, func(word string) bool { return strings.HasPrefix(word, begun) }) {
				return false
			}
		}
		return true
	}
}

// shorten returns as many whole characters of a text as fit into limit bytes.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// keyOf is by what the index sorts a text.
func keyOf(text string) string { return shorten(alike(text), searchindex.MaxKey) }

// texts are an entity's texts that are found and sorted by, by field.
type texts map[searchindex.Field][]string

// entity makes what the index keeps of them.
func (t texts) entity(organization model.OrganizationID, id model.EntityID,
	kind searchindex.Kind) *searchindex.Entity {
	e := &searchindex.Entity{Organization: organization, Entity: id, Kind: kind}
	found := make(map[searchindex.Field][]string, len(t))
	for field, list := range t {
		if len(list) > 0 {
			found[field] = indexWords(strings.Join(list, " "))
			e.Keys[field] = keyOf(list[0])
		}
	}
	e.Words = searchindex.JoinWords(found)
	return e
}

// IndexAccount puts an account into the search index of an organization, in
// place of what is there.
func IndexAccount(tx *store.Tx, a *model.Account, m model.Membership) error {
	t := texts{
		searchindex.DisplayName: {a.DisplayName},
		searchindex.FirstName:   {a.FirstName},
		searchindex.LastName:    {a.LastName},
		searchindex.Username:    {a.Username},
		searchindex.Title:       {m.Title},
		searchindex.Department:  {m.Department},
	}
	for _, e := range a.Emails {
		t[searchindex.Email] = append(t[searchindex.Email], e.Address)
	}
	for _, p := range a.Phones {
		t[searchindex.Phone] = append(t[searchindex.Phone], p.Number)
	}
	kind := searchindex.Account
	if a.Disabled {
		kind = searchindex.DisabledAccount
	}
	return searchindex.Put(tx, t.entity(m.Organization, model.EntityID(a.ID), kind))
}

// IndexGroup puts a group into the search index of its organization, in place of
// what is there. Its name and its display name are one.
func IndexGroup(tx *store.Tx, g *model.Group) error {
	kind := searchindex.PrivateGroup
	if g.Public {
		kind = searchindex.PublicGroup
	}
	return searchindex.Put(tx, texts{searchindex.DisplayName: {g.Name}}.entity(g.Organization, g.Entity(), kind))
}

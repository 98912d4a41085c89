package search

import (
	"slices"
	"strings"

	"signet/internal/model"
	"signet/internal/store/searchindex"
)

// Criterion is one condition of a search: some of the fields has, for every
// word of the text, a word that begins with it. A text without a word is no condition.
type Criterion struct {
	Fields []string // of contract section 5.2; in what others name nothing is found
	Text   string
}

// searchable are the fields of accounts, by name; `any` is all of them.
var searchable = map[string]searchindex.Field{
	"display_name": searchindex.DisplayName,
	"first_name":   searchindex.FirstName,
	"last_name":    searchindex.LastName,
	"username":     searchindex.Username,
	"email":        searchindex.Email,
	"phone":        searchindex.Phone,
	"title":        searchindex.Title,
	"department":   searchindex.Department,
}

// The further names of fields: groups have a name, which is their display name.
const (
	anyField   = "any"
	nameField  = "name"
	tokenField = "token"
)

// IsField reports whether a search knows a field of this name.
func IsField(name string) bool {
	_, known := searchable[name]
	return known || name == anyField || name == nameField || name == tokenField
}

// criterion is a Criterion as it is carried out: an entity matches if one
// of the ways that its kind has matches.
type criterion struct {
	accounts []way
	groups   []way
}

// way is one field in which a criterion may hold.
type way struct {
	field searchindex.Field
	words []string // all of them, none the beginning of another; empty: token decides
	token model.EntityID
}

// newCriteria leaves out what is no condition.
func newCriteria(all []Criterion) []*criterion {
	var out []*criterion
	for _, c := range all {
		if parsed := newCriterion(c); parsed != nil {
			out = append(out, parsed)
		}
	}
	return out
}

// newCriterion returns nil for a criterion that is no condition.
func newCriterion(c Criterion) *criterion {
	wanted := searchWords(ownLetters(c.Text))
	if len(wanted) == 0 {
		return nil
	}
	out := &criterion{}
	for _, name := range c.Fields {
		if name == tokenField {
			if token, ok := model.ParseEntityID(strings.TrimSpace(c.Text)); ok {
				out.accounts = append(out.accounts, way{token: token})
				out.groups = append(out.groups, way{token: token})
			}
			continue
		}
		for known, field := range searchable {
			if name == known || name == anyField {
				out.accounts = append(out.accounts, way{field: field, words: wanted})
			}
		}
		if name == nameField || name == "display_name" || name == anyField {
			out.groups = append(out.groups, way{field: searchindex.DisplayName, words: wanted})
		}
		if name == "phone" || name == anyField {
			if number := dialled(c.Text); number != "" {
				out.accounts = append(out.accounts, way{field: searchindex.Phone, words: []string{number}})
			}
		}
	}
	for _, ways := range []*[]way{&out.accounts, &out.groups} {
		slices.SortFunc(*ways, compareWays)
		*ways = slices.CompactFunc(*ways, func(a, b way) bool { return compareWays(a, b) == 0 })
	}
	return out
}

func compareWays(a, b way) int {
	if a.field != b.field {
		return int(a.field - b.field)
	}
	return slices.Compare(a.words, b.words)
}

// searchWords are the words of a text that something has to begin with: a word
// that is the beginning of another one asks for nothing more.
func searchWords(text string) []string {
	all := words(text)
	needed := all[:0]
	for i, word := range all {
		if i+1 == len(all) || !strings.HasPrefix(all[i+1], word) {
			needed = append(needed, word)
		}
	}
	return needed
}

// dialled returns the digits of a text that is the beginning of a phone number,
// with the marks that contract section 2 drops from numbers; else nothing.
func dialled(text string) string {
	return shorten(strings.TrimPrefix(model.PhoneDigits(text), "+"), searchindex.MaxWord)
}

// ways returns those of a kind of entities.
func (c *criterion) ways(kind searchindex.Kind) []way {
	if kind.Account() {
		return c.accounts
	}
	return c.groups
}

// matches decides whether the criterion holds for an entity.
func (c *criterion) matches(e *searchindex.Entity) bool {
	for _, w := range c.ways(e.Kind) {
		if w.matches(e) {
			return true
		}
	}
	return false
}

func (w *way) matches(e *searchindex.Entity) bool {
	if len(w.words) == 0 {
		return e.Entity == w.token
	}
	for _, word := range w.words {
		if !e.Words.Begin(w.field, word) {
			return false
		}
	}
	return true
}

// longest returns the word that is likely to be the rarest.
func (w *way) longest() string {
	return slices.MaxFunc(w.words, func(a, b string) int { return len(a) - len(b) })
}

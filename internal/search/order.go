package search

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"signet/internal/model"
	"signet/internal/store/searchindex"
)

// order is the order of a search's results: that of the store within each
// organization, and where an account is found in several, by organization.
type order struct{ searchindex.Order }

// newOrder reads by what a call wants to sort: names of fields in snake_case, a
// minus in front for descending. Without any it is the display name.
func newOrder(names []string) (order, error) {
	var o order
	for _, name := range names {
		field, descending := strings.CutPrefix(name, "-")
		if field == tokenField {
			o.TokenDescending = descending
			return o, nil // no two have the same: what follows decides nothing
		}
		if field == nameField {
			field = "display_name"
		}
		known, ok := searchable[field]
		if !ok {
			return o, model.Invalidf("sort_invalid", "sort", "The field to sort by is not known.")
		}
		if !slices.ContainsFunc(o.Terms, func(t searchindex.Term) bool { return t.Field == known }) {
			o.Terms = append(o.Terms, searchindex.Term{Field: known, Descending: descending})
		}
	}
	if len(o.Terms) == 0 {
		o.Terms = []searchindex.Term{{Field: searchindex.DisplayName}}
	}
	return o, nil
}

// byName reports whether the order is by display name and by nothing else. So the
// store lists words: entities of the same name by growing identifiers.
func (o *order) byName() bool {
	return len(o.Terms) == 1 && o.Terms[0].Field == searchindex.DisplayName && !o.TokenDescending
}

// compare puts candidates in order. Their keys of the order's fields are known.
func (o *order) compare(a, b *candidate) int {
	for _, term := range o.Terms {
		if c := directed(cmp.Compare(a.key(term.Field), b.key(term.Field)), term.Descending); c != 0 {
			return c
		}
	}
	return cmp.Or(
		directed(bytes.Compare(a.entity[:], b.entity[:]), o.TokenDescending),
		cmp.Compare(a.organization, b.organization),
	)
}

func directed(c int, descending bool) int {
	if descending {
		return -c
	}
	return c
}

package service

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"signet/internal/model"
	"signet/internal/store"
)

// searchOrder is the order of a search's results: that of the store within each
// organization, and where an account is found in several, by organization.
type searchOrder struct{ store.SearchOrder }

// newSearchOrder reads what a call wants to sort by: names of fields in
// snake_case, a minus in front for descending. None is by display name.
func newSearchOrder(names []string) (searchOrder, error) {
	var order searchOrder
	for _, name := range names {
		field, descending := strings.CutPrefix(name, "-")
		if field == tokenField {
			order.TokenDescending = descending
			return order, nil // no two have the same: what follows decides nothing
		}
		if field == nameField {
			field = "display_name"
		}
		known, ok := searchable[field]
		if !ok {
			return order, model.Invalidf("sort_invalid", "sort", "The field to sort by is not known.")
		}
		if !slices.ContainsFunc(order.Terms, func(t store.SearchTerm) bool { return t.Field == known }) {
			order.Terms = append(order.Terms, store.SearchTerm{Field: known, Descending: descending})
		}
	}
	if len(order.Terms) == 0 {
		order.Terms = []store.SearchTerm{{Field: store.SearchDisplayName}}
	}
	return order, nil
}

// byName reports whether the order is by display name and by nothing else, as the store
// lists words by it: entities of the same name by growing identifiers.
func (o *searchOrder) byName() bool {
	return len(o.Terms) == 1 && o.Terms[0].Field == store.SearchDisplayName && !o.TokenDescending
}

// compare puts candidates in order. Their keys of the order's fields are known.
func (o *searchOrder) compare(a, b *candidate) int {
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

package search

import (
	"signet/internal/continuation"
	"signet/internal/model"
	"signet/internal/store/searchindex"
)

// cursor is where the next page of a search begins.
type cursor struct {
	Keys         []string             `json:"k"` // by the order's terms
	Entity       model.EntityID       `json:"e"`
	Organization model.OrganizationID `json:"o"`
	Before       int                  `json:"n"` // how many results came on the pages before
}

// newCursor returns the cursor after a result.
func newCursor(o *order, last *candidate, before int) cursor {
	c := cursor{Entity: last.entity, Organization: last.organization, Before: before}
	c.Keys = make([]string, len(o.Terms))
	for i, term := range o.Terms {
		c.Keys[i] = last.key(term.Field)
	}
	return c
}

// last returns the result that the next page follows on, as far as the order
// looks at it.
func (c *cursor) last(o *order) *candidate {
	row := &searchindex.Entity{Organization: c.Organization, Entity: c.Entity}
	for i, term := range o.Terms {
		row.Keys[term.Field] = c.Keys[i]
	}
	return found(row)
}

// openContinuation reads what a client brought back.
func (s *Search) openContinuation(text string) (c cursor, err error) {
	err = s.list().Open(text, &c)
	if err == nil && (len(c.Keys) != len(s.order.Terms) || c.Before < 0) {
		err = continuation.Invalid()
	}
	return c, err
}

// list binds continuations to the account and to what it searches for. How many results a
// page has, and how much of them is shown, may change from page to page.
func (s *Search) list() *continuation.List {
	q := &s.query
	return &continuation.List{Secret: s.secret, Purpose: "search continuation 1",
		Asked: []any{s.account, q.Types, q.Directory, q.Must, q.MustNot, q.Sort, q.Disabled, q.Sifted}}
}

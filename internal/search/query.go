// Package search finds accounts and groups by the beginnings of their words
// (contract, section 5.2). It makes the words that the store's index keeps of
// them, reads what a caller looks for, and finds a page of hits in the index.
//
// It owns how texts are compared, the order of hits, and continuations. It does
// not know who may search where, which its caller decides, nor how a hit is shown.
package search

import (
	"slices"

	"signet/internal/model"
	"signet/internal/store/searchindex"
)

// Query says what to look for (contract, section 5.2).
type Query struct {
	Types         []string // account, group; others match nothing; none: both
	Directory     []model.OrganizationID
	Must, MustNot []Criterion
	Sort          []string // names of fields in snake_case; a minus in front: descending
	PageSize      int
	Continuation  string // of the page before; empty: the first page
	IncludeTotal  bool   // count past what is counted anyway
	Sifted        []any  // by what the caller sifts the hits: a continuation is for the same
	Disabled      bool   // accounts that are disabled too
}

// maxCriteria is how many conditions a search may have.
const maxCriteria = 64

// Hit is an account or a group in one of the organizations that were searched.
type Hit struct {
	Organization model.OrganizationID
	Entity       model.EntityID
	Group        bool
}

// Page is one page of hits.
type Page struct {
	Hits         []Hit
	Total        int    // exact up to 1,000, and past it where that was asked for
	First        int    // how many hits came on the pages before
	Continuation string // for the next page; empty on the last

	after func(i int) (string, error)
}

// After returns the continuation for what follows on one of the page's hits.
func (p *Page) After(i int) (string, error) { return p.after(i) }

// limits are the sizes at which a search changes its ways. Tests make them small.
type limits struct {
	// counted is up to how many hits are counted unasked.
	counted int
	// gathered is up to how many hits are gathered and sorted where the order is
	// not that of the display names. Only these are stored beside the words; other
	// orders have to look at all entities in between.
	gathered int
	// batch is how many candidates are read at a time, at most.
	batch int
	// prefixes is up to how many different second letters a text of one letter is
	// looked up with each; past it all of its words are sorted.
	prefixes int
}

// Search is a query that was read and found right.
type Search struct {
	secret        []byte // continuations are sealed with
	account       model.AccountID
	query         Query
	organizations []model.OrganizationID
	kinds         []searchindex.Kind // of the kinds that all of the organization find
	groups        bool
	must, mustNot []*criterion
	order         order
	after         *candidate // the last result of the page before
	before        int        // how many results came before
	limits        limits
}

// New reads the query of an account, which may search in these organizations.
// Continuations are sealed with the installation's secret. The error is a refusal:
// too_many_criteria, sort_invalid or continuation_invalid.
func New(secret []byte, account model.AccountID, organizations []model.OrganizationID, q Query) (*Search, error) {
	s := &Search{
		secret: secret, account: account, query: q,
		limits: limits{counted: 1000, gathered: 10_000, batch: 1024, prefixes: 64},
	}
	s.organizations = slices.Sorted(slices.Values(organizations))
	s.organizations = slices.Compact(s.organizations)
	if len(q.Types) == 0 || slices.Contains(q.Types, "account") {
		s.kinds = append(s.kinds, searchindex.Account)
		if q.Disabled {
			s.kinds = append(s.kinds, searchindex.DisabledAccount)
		}
	}
	if len(q.Types) == 0 || slices.Contains(q.Types, "group") {
		s.kinds = append(s.kinds, searchindex.PublicGroup)
		s.groups = true
	}
	if len(q.Must)+len(q.MustNot) > maxCriteria {
		return nil, model.Invalidf("too_many_criteria", "bool", "At most %d criteria are allowed.", maxCriteria)
	}
	s.must, s.mustNot = newCriteria(q.Must), newCriteria(q.MustNot)
	var err error
	if s.order, err = newOrder(q.Sort); err != nil {
		return nil, err
	}
	if q.Continuation == "" {
		return s, nil
	}
	from, err := s.openContinuation(q.Continuation)
	if err != nil {
		return nil, err
	}
	s.after, s.before = from.last(&s.order), from.Before
	return s, nil
}

// matches decides whether an entity of the index is a hit. The caller has to
// know that the account may see it.
func (s *Search) matches(e *searchindex.Entity) bool {
	for _, c := range s.must {
		if !c.matches(e) {
			return false
		}
	}
	for _, c := range s.mustNot {
		if c.matches(e) {
			return false
		}
	}
	return true
}

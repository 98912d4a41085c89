package service

import (
	"context"
	"slices"

	"signet/internal/model"
	"signet/internal/store"
)

// SearchCommand says what to look for (contract, section 5.2).
type SearchCommand struct {
	Types          []string // account, group; others match nothing; none: both
	Directory      []model.OrganizationID
	Must, MustNot  []SearchCriterion
	Sort           []string // names of fields in snake_case; a minus in front: descending
	PageSize       int
	Continuation   string // of the page before; empty: the first page
	IncludeTotal   bool   // count past what is counted anyway
	RenderMetadata bool
	TokensOnly     bool // the hits' entities are not wanted
}

// SearchHit is an account or a group in one of the caller's organizations.
type SearchHit struct {
	Organization model.OrganizationID
	Token        model.EntityID
	Group        bool
	Entity       model.Entity      // unless only tokens were asked for
	Metadata     map[string]string // nil unless it was asked for
}

// SearchResult is one page.
type SearchResult struct {
	Hits         []SearchHit
	Total        int    // exact up to 1,000, and past it where that was asked for
	First        int    // how many hits came on the pages before
	Continuation string // for the next page; empty on the last
}

// Search finds accounts and groups of the caller's organizations (contract,
// call 24). What is not the caller's to see is never looked at: only the indexes
// of its own organizations are read, and of the groups that are not public only
// its own. An administrator finds what a member finds.
func (s *Service) Search(ctx context.Context, actor *model.Actor, c SearchCommand) (SearchResult, error) {
	q, err := s.newSearch(actor, c)
	if err != nil {
		return SearchResult{}, err
	}
	return q.run(ctx)
}

// searchLimits are the sizes at which a search changes its ways. Tests make them
// small.
type searchLimits struct {
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

// search is a search as it is carried out.
type search struct {
	service       *Service
	tx            *store.Tx
	actor         *model.Actor
	command       SearchCommand
	organizations []model.OrganizationID
	kinds         []store.SearchKind // of what everybody in the organization finds
	groups        bool
	must, mustNot []*criterion
	order         searchOrder
	after         *candidate // the last result of the page before
	before        int

	limits  searchLimits
	driver  *criterion // the one of must whose words are looked up; nil: all entities are gone through
	checked bool       // a candidate has to be looked at to know whether it matches
}

func (s *Service) newSearch(actor *model.Actor, c SearchCommand) (*search, error) {
	q := &search{service: s, actor: actor, command: c, limits: searchLimits{counted: 1000, gathered: 10_000, batch: 1024, prefixes: 64}}
	for _, organization := range c.Directory {
		if !actor.MemberOf(organization) {
			refusal := model.Forbiddenf("not_member", "The API key does not have access: its account is not in that organization.")
			refusal.Field = "directory"
			return nil, refusal
		}
	}
	q.organizations = slices.Clone(c.Directory)
	if len(q.organizations) == 0 {
		q.organizations = actor.Organizations()
	}
	slices.Sort(q.organizations)
	q.organizations = slices.Compact(q.organizations)
	if len(c.Types) == 0 || slices.Contains(c.Types, "account") {
		q.kinds = append(q.kinds, store.SearchAccount)
	}
	if len(c.Types) == 0 || slices.Contains(c.Types, "group") {
		q.kinds = append(q.kinds, store.SearchPublicGroup)
		q.groups = true
	}
	if len(c.Must)+len(c.MustNot) > maxCriteria {
		return nil, model.Invalidf("too_many_criteria", "bool", "At most %d criteria are allowed.", maxCriteria)
	}
	q.must, q.mustNot = newCriteria(c.Must), newCriteria(c.MustNot)
	var err error
	if q.order, err = newSearchOrder(c.Sort); err != nil || c.Continuation == "" {
		return q, err
	}
	from, err := s.openContinuation(c.Continuation, q.binding(), &q.order)
	if err != nil {
		return nil, err
	}
	q.after, q.before = from.last(&q.order), from.Before
	return q, nil
}

func newCriteria(all []SearchCriterion) []*criterion {
	var out []*criterion
	for _, c := range all {
		if parsed := newCriterion(c); parsed != nil {
			out = append(out, parsed)
		}
	}
	return out
}

// matches decides whether an entity of the index is a hit. The caller has to
// know that the actor may see it.
func (q *search) matches(e *store.SearchEntity) bool {
	for _, c := range q.must {
		if !c.matches(e) {
			return false
		}
	}
	for _, c := range q.mustNot {
		if c.matches(e) {
			return false
		}
	}
	return true
}

// run carries the search out.
func (q *search) run(ctx context.Context) (result SearchResult, err error) {
	err = q.service.store.View(ctx, func(tx *store.Tx) error {
		q.tx = tx
		result, err = q.page(ctx)
		return err
	})
	return result, err
}

// page finds the hits that follow on the page before.
//
// A search of few hits gathers them all and sorts them. One of many does not look
// at all of them: it goes through what is stored in the order that was asked for
// until the page is full. Which of the two it is turns out while counting.
func (q *search) page(ctx context.Context) (SearchResult, error) {
	result := SearchResult{First: q.before}
	own, err := q.own()
	if err != nil {
		return result, err
	}
	if err := q.choose(); err != nil {
		return result, err
	}
	hits, all := own, false
	if q.driver == nil && len(q.mustNot) == 0 {
		result.Total, err = q.countAll(len(own))
	} else {
		hits, result.Total, all, err = q.gather(own)
	}
	if err != nil {
		return result, err
	}
	if all {
		hits = q.following(hits)
	} else if hits, err = q.merge(own, q.command.PageSize+1); err != nil {
		return result, err
	}
	more := len(hits) > q.command.PageSize
	if more {
		hits = hits[:q.command.PageSize]
		next := newContinuation(&q.order, &hits[len(hits)-1], q.before+len(hits))
		if result.Continuation, err = q.service.sealContinuation(next, q.binding()); err != nil {
			return result, err
		}
	}
	if !q.command.IncludeTotal {
		result.Total = min(result.Total, q.limits.counted)
	}
	result.Hits, err = q.present(ctx, hits)
	return result, err
}

// own finds those hits that are not found through the words that everybody in
// the organization searches: the actor's own private groups, and what criteria
// name by its token.
func (q *search) own() (hits []candidate, err error) {
	var tokens []model.EntityID
	for _, c := range q.must {
		for _, w := range append(slices.Clone(c.accounts), c.groups...) {
			if len(w.words) == 0 {
				tokens = append(tokens, w.token)
			}
		}
	}
	for _, organization := range q.organizations {
		if q.groups {
			groups, err := q.tx.PrivateGroupsOf(q.actor.Account, organization)
			if err != nil {
				return nil, err
			}
			hits = q.appendMatching(hits, groups)
		}
		if len(tokens) > 0 {
			named, err := q.named(organization, tokens)
			if err != nil {
				return nil, err
			}
			hits = q.appendMatching(hits, named)
		}
	}
	return hits, nil
}

// named returns those of the entities that everybody in the organization may
// find, and that are of a kind that is looked for.
func (q *search) named(organization model.OrganizationID, tokens []model.EntityID) ([]store.SearchEntity, error) {
	rows, err := q.tx.SearchEntities(organization, tokens)
	return slices.DeleteFunc(rows, func(e store.SearchEntity) bool { return !slices.Contains(q.kinds, e.Kind) }), err
}

func (q *search) appendMatching(hits []candidate, rows []store.SearchEntity) []candidate {
	for i := range rows {
		if q.matches(&rows[i]) {
			hits = append(hits, *found(&rows[i]))
		}
	}
	return hits
}

// choose picks the criterion whose words are looked up: the one with the fewest.
func (q *search) choose() error {
	q.checked = len(q.must) > 1 || len(q.mustNot) > 0
	fewest := q.limits.counted + 1
	for i, c := range q.must {
		n := 0
		if len(q.must) > 1 {
			var err error
			if n, err = q.estimate(c, fewest); err != nil {
				return err
			}
		}
		if i == 0 || n < fewest {
			q.driver, fewest = c, n
		}
		if fewest == 0 {
			break
		}
	}
	if q.driver != nil {
		for _, kind := range q.kinds {
			q.checked = q.checked || slices.ContainsFunc(q.driver.ways(kind), func(w way) bool { return len(w.words) > 1 })
		}
	}
	return nil
}

// estimate returns how many words a criterion would have to look at, at most limit.
func (q *search) estimate(c *criterion, limit int) (n int, err error) {
	for _, r := range q.ranges(c) {
		words, err := q.tx.CountWords(r, limit-n)
		if n += words; err != nil || n >= limit {
			return n, err
		}
	}
	return n, nil
}

// ranges lists the words that a criterion looks up: of each way to match, those
// that begin with its longest word.
func (q *search) ranges(c *criterion) (out []store.SearchRange) {
	for _, organization := range q.organizations {
		for _, kind := range q.kinds {
			for _, w := range c.ways(kind) {
				if len(w.words) > 0 {
					out = append(out, store.SearchRange{Organization: organization, Kind: kind, Field: w.field, Text: w.longest()})
				}
			}
		}
	}
	return out
}

// countAll counts what a search without criteria finds.
func (q *search) countAll(own int) (int, error) {
	total := own
	for _, organization := range q.organizations {
		for _, kind := range q.kinds {
			limit := q.limits.counted
			if q.command.IncludeTotal {
				limit = uncounted
			}
			n, err := q.tx.CountSearchEntities(organization, kind, limit)
			if err != nil {
				return 0, err
			}
			total += n
		}
	}
	return total, nil
}

package search

import (
	"math"
	"slices"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/searchindex"
)

// uncounted is more than there ever is to count.
const uncounted = math.MaxInt32

// run is a search as it is carried out in a transaction.
type run struct {
	*Search
	tx      *store.Tx
	driver  *criterion // the one of must whose words are looked up; nil: all entities are gone through
	checked bool       // a candidate has to be looked at to know whether it matches
}

// Page finds the hits that follow on the page before. What the account may not see
// it never looks at: it reads the indexes of the organizations that were named, and
// of the groups that are not public only the account's own.
//
// A search of few hits gathers them all and sorts them. One of many does not look
// at all of them: it goes through what is stored in the order that was asked for
// until the page is full. Which of the two it is turns out while counting.
func (s *Search) Page(tx *store.Tx) (Page, error) {
	q := &run{Search: s, tx: tx}
	result := Page{First: q.before}
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
	} else if hits, err = q.merge(own, q.query.PageSize+1); err != nil {
		return result, err
	}
	more := len(hits) > q.query.PageSize
	if more {
		hits = hits[:q.query.PageSize]
	}
	result.after = func(i int) (string, error) {
		return q.list().Seal(newCursor(&q.order, &hits[i], q.before+i+1))
	}
	if more {
		if result.Continuation, err = result.after(len(hits) - 1); err != nil {
			return result, err
		}
	}
	if !q.query.IncludeTotal {
		result.Total = min(result.Total, q.limits.counted)
	}
	result.Hits = make([]Hit, len(hits))
	for i := range hits {
		h := &hits[i]
		result.Hits[i] = Hit{h.organization, h.entity, !h.kind.Account()}
	}
	return result, nil
}

// own finds the hits that are not in the words that all of the organization search: the
// account's own private groups, and what criteria name by its token.
func (q *run) own() (hits []candidate, err error) {
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
			groups, err := searchindex.PrivateGroupsOf(q.tx, q.account, organization)
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

// named returns those of the entities that all of the organization may find and that are
// of a kind that is looked for.
func (q *run) named(organization model.OrganizationID, tokens []model.EntityID) ([]searchindex.Entity, error) {
	rows, err := searchindex.Entities(q.tx, organization, tokens)
	return slices.DeleteFunc(rows, func(e searchindex.Entity) bool { return !slices.Contains(q.kinds, e.Kind) }), err
}

func (q *run) appendMatching(hits []candidate, rows []searchindex.Entity) []candidate {
	for i := range rows {
		if q.matches(&rows[i]) {
			hits = append(hits, *found(&rows[i]))
		}
	}
	return hits
}

// choose picks the criterion whose words are looked up: the one with the fewest.
func (q *run) choose() error {
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
func (q *run) estimate(c *criterion, limit int) (n int, err error) {
	for _, r := range q.ranges(c) {
		words, err := searchindex.CountWords(q.tx, r, limit-n)
		if n += words; err != nil || n >= limit {
			return n, err
		}
	}
	return n, nil
}

// ranges lists the words that a criterion looks up: of each way to match, those that begin
// with its longest word. Ways that look for the same word in several fields share a range.
func (q *run) ranges(c *criterion) (out []searchindex.Range) {
	for _, organization := range q.organizations {
		for _, kind := range q.kinds {
			own := len(out) // from here on
			for _, w := range c.ways(kind) {
				if len(w.words) == 0 {
					continue
				}
				r := searchindex.Range{Organization: organization, Kind: kind, Fields: searchindex.In(w.field), Text: w.longest()}
				i := slices.IndexFunc(out[own:], func(other searchindex.Range) bool { return other.Text == r.Text })
				if i < 0 {
					out = append(out, r)
				} else {
					out[own+i].Fields |= r.Fields
				}
			}
		}
	}
	return out
}

// countAll counts what a search without criteria finds.
func (q *run) countAll(own int) (int, error) {
	total := own
	for _, organization := range q.organizations {
		for _, kind := range q.kinds {
			limit := q.limits.counted
			if q.query.IncludeTotal {
				limit = uncounted
			}
			n, err := searchindex.Count(q.tx, organization, kind, limit)
			if err != nil {
				return 0, err
			}
			total += n
		}
	}
	return total, nil
}

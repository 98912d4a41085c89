package service

import (
	"math"
	"slices"

	"signet/internal/model"
	"signet/internal/store"
)

// uncounted is more than there ever is to count.
const uncounted = math.MaxInt32

// candidate is an entity that may be a hit, and that the actor may see.
type candidate struct {
	organization model.OrganizationID
	entity       model.EntityID
	kind         store.SearchKind
	name         string              // its display name, as a key
	row          *store.SearchEntity // nil until it is needed
}

func found(row *store.SearchEntity) *candidate {
	return &candidate{row.Organization, row.Entity, row.Kind, row.Keys[store.SearchDisplayName], row}
}

// key returns what the candidate is sorted by. Other keys than the display name
// need the row.
func (c *candidate) key(field store.SearchField) string {
	if field == store.SearchDisplayName {
		return c.name
	}
	return c.row.Keys[field]
}

// source is a list of candidates that is read piece by piece.
type source struct {
	next  func(limit int) ([]candidate, error) // fewer than limit only at the end
	ready []candidate
	ended bool
}

// fill makes the next candidate ready, if there is one.
func (s *source) fill(limit int) (err error) {
	if len(s.ready) > 0 || s.ended {
		return nil
	}
	s.ready, err = s.next(limit)
	s.ended = len(s.ready) < limit
	return err
}

// byWord lists what has a word of a range, in the order of the words.
func (q *search) byWord(r store.SearchRange) *source {
	var at store.SearchMark
	return &source{next: func(limit int) ([]candidate, error) {
		marks, err := q.tx.WordsByWord(r, at, limit)
		if len(marks) > 0 {
			at = marks[len(marks)-1]
		}
		return fromMarks(&r, marks), err
	}}
}

// byName lists the same in the order of the display names, from after the page
// before on. It takes several lists for a text of one letter.
func (q *search) byName(r store.SearchRange) ([]*source, error) {
	prefixes, err := q.tx.Prefixes(r, q.limits.prefixes+1)
	if err != nil {
		return nil, err
	}
	if len(prefixes) > q.limits.prefixes {
		prefixes = []string{""}
	}
	sources := make([]*source, len(prefixes))
	for i, prefix := range prefixes {
		var at store.SearchMark
		if q.after != nil {
			at = store.SearchMark{DisplayName: q.after.name, Entity: q.after.entity}
		}
		sources[i] = &source{next: func(limit int) ([]candidate, error) {
			marks, err := q.tx.WordsByName(r, prefix, q.order.Terms[0].Descending, at, limit)
			if len(marks) > 0 {
				at = marks[len(marks)-1]
			}
			return fromMarks(&r, marks), err
		}}
	}
	return sources, nil
}

func fromMarks(r *store.SearchRange, marks []store.SearchMark) []candidate {
	out := make([]candidate, len(marks))
	for i, m := range marks {
		out[i] = candidate{organization: r.Organization, entity: m.Entity, kind: r.Kind, name: m.DisplayName}
	}
	return out
}

// inOrder lists all entities of a kind in the order that was asked for, from
// after one on, or from the start.
func (q *search) inOrder(organization model.OrganizationID, kind store.SearchKind, after *candidate) *source {
	var at *store.SearchEntity
	if after != nil {
		at = after.row
	}
	return &source{next: func(limit int) ([]candidate, error) {
		rows, err := q.tx.EntitiesInOrder(organization, kind, &q.order.SearchOrder, at, limit)
		out := make([]candidate, len(rows))
		for i := range rows {
			out[i] = *found(&rows[i])
			at = &rows[i]
		}
		return out, err
	}}
}

// gather collects the hits, in no order, starting from those that are known. It
// gives up, with all being false, when they turn out to be many; where the total
// was asked for it counts on.
func (q *search) gather(known []candidate) (hits []candidate, total int, all bool, err error) {
	most := q.limits.counted
	if !q.order.byName() {
		most = max(most, q.limits.gathered)
	}
	seen := map[placed]bool{}
	hits = slices.Clone(known)
	for i := range known {
		seen[known[i].place()] = true
	}
	total = len(hits)
	for _, s := range q.scans() {
		for {
			if err := s.fill(q.limits.batch); err != nil {
				return nil, 0, false, err
			}
			if len(s.ready) == 0 {
				break
			}
			fresh := slices.DeleteFunc(s.ready, func(c candidate) bool {
				old := seen[c.place()]
				seen[c.place()] = true
				return old
			})
			s.ready = nil
			if fresh, err = q.check(fresh); err != nil {
				return nil, 0, false, err
			}
			total += len(fresh)
			if total <= most {
				hits = append(hits, fresh...)
			} else if !q.command.IncludeTotal {
				return nil, total, false, nil
			}
		}
	}
	return hits, total, total <= most, nil
}

// scans lists what has to be gone through to find all hits, in no order.
func (q *search) scans() (out []*source) {
	if q.driver != nil {
		for _, r := range q.ranges(q.driver) {
			out = append(out, q.byWord(r))
		}
		return out
	}
	for _, organization := range q.organizations {
		for _, kind := range q.kinds {
			out = append(out, q.inOrder(organization, kind, nil))
		}
	}
	return out
}

// placed is an entity in an organization.
type placed struct {
	organization model.OrganizationID
	entity       model.EntityID
}

func (c *candidate) place() placed { return placed{c.organization, c.entity} }

// check drops the candidates that are no hits. It looks at them only where that
// is needed, to decide or to sort.
func (q *search) check(candidates []candidate) ([]candidate, error) {
	if !q.checked && q.order.byName() {
		return candidates, nil
	}
	if err := q.load(candidates); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(candidates, func(c candidate) bool { return c.row == nil || !q.matches(c.row) }), nil
}

// load gives the candidates their rows.
func (q *search) load(candidates []candidate) error {
	missing := map[model.OrganizationID][]model.EntityID{}
	for i := range candidates {
		if c := &candidates[i]; c.row == nil {
			missing[c.organization] = append(missing[c.organization], c.entity)
		}
	}
	rows := map[placed]*store.SearchEntity{}
	for organization, ids := range missing {
		loaded, err := q.tx.SearchEntities(organization, ids)
		if err != nil {
			return err
		}
		for i := range loaded {
			rows[placed{organization, loaded[i].Entity}] = &loaded[i]
		}
	}
	for i := range candidates {
		if c := &candidates[i]; c.row == nil {
			c.row = rows[c.place()]
		}
	}
	return nil
}

// following sorts hits, and drops those of the pages before.
func (q *search) following(hits []candidate) []candidate {
	if q.after != nil {
		hits = slices.DeleteFunc(hits, func(c candidate) bool { return q.order.compare(&c, q.after) <= 0 })
	}
	slices.SortFunc(hits, func(a, b candidate) int { return q.order.compare(&a, &b) })
	return hits
}

// merge goes through everything in order, from after the page before on, until
// it has as many hits as are needed.
func (q *search) merge(own []candidate, need int) ([]candidate, error) {
	sources, err := q.ordered(own)
	if err != nil {
		return nil, err
	}
	var hits []candidate
	var last *candidate
	for size := need; len(hits) < need; size = min(2*size, q.limits.batch) {
		var chunk []candidate
		for len(chunk) < size {
			c, err := q.first(sources, size)
			if err != nil {
				return nil, err
			}
			if c == nil {
				break
			}
			if last == nil || q.order.compare(last, c) != 0 {
				chunk, last = append(chunk, *c), c
			}
		}
		if len(chunk) == 0 {
			break
		}
		passed, err := q.check(chunk)
		if err != nil {
			return nil, err
		}
		hits = append(hits, passed...)
	}
	return hits[:min(len(hits), need)], nil
}

// first takes the candidate that comes first out of sorted sources, or returns
// nil where they are empty.
func (q *search) first(sources []*source, size int) (*candidate, error) {
	var best *source
	for _, s := range sources {
		// Many sources share a page: each is likely to hold little of it.
		if err := s.fill(min(size, max(16, 4*size/len(sources)))); err != nil {
			return nil, err
		}
		if len(s.ready) > 0 && (best == nil || q.order.compare(&s.ready[0], &best.ready[0]) < 0) {
			best = s
		}
	}
	if best == nil {
		return nil, nil
	}
	c := &best.ready[0]
	best.ready = best.ready[1:]
	return c, nil
}

// ordered lists the sources that together hold every hit after the page before,
// each in order.
func (q *search) ordered(own []candidate) ([]*source, error) {
	again, err := q.again()
	if err != nil {
		return nil, err
	}
	sources := []*source{{ready: q.following(append(again, own...)), ended: true}}
	if q.driver != nil && q.order.byName() {
		for _, r := range q.ranges(q.driver) {
			lists, err := q.byName(r)
			if err != nil {
				return nil, err
			}
			sources = append(sources, lists...)
		}
		return sources, nil
	}
	// The criteria decide on each entity.
	for _, organization := range q.organizations {
		for _, kind := range q.kinds {
			sources = append(sources, q.inOrder(organization, kind, q.after))
		}
	}
	return sources, nil
}

// again finds the last result of the page before in the organizations that come
// after the one that it was shown for. Lists that begin after it leave it out.
func (q *search) again() (out []candidate, err error) {
	for _, organization := range q.organizations {
		if q.after == nil || organization <= q.after.organization {
			continue
		}
		rows, err := q.named(organization, []model.EntityID{q.after.entity})
		if err != nil {
			return nil, err
		}
		out = q.appendMatching(out, rows)
	}
	return out, nil
}

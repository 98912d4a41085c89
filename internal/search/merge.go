package search

import (
	"slices"

	"signet/internal/model"
)

// following sorts hits, and drops those of the pages before.
func (q *run) following(hits []candidate) []candidate {
	if q.after != nil {
		hits = slices.DeleteFunc(hits, func(c candidate) bool { return q.order.compare(&c, q.after) <= 0 })
	}
	slices.SortFunc(hits, func(a, b candidate) int { return q.order.compare(&a, &b) })
	return hits
}

// merge goes through everything in order, from after the page before on, until
// it has as many hits as are needed.
func (q *run) merge(own []candidate, need int) ([]candidate, error) {
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
func (q *run) first(sources []*source, size int) (*candidate, error) {
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
func (q *run) ordered(own []candidate) ([]*source, error) {
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
func (q *run) again() (out []candidate, err error) {
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

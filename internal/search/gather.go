package search

import (
	"slices"
)

// gather collects the hits, in no order, starting from those that are known. It
// gives up, with all being false, when they turn out to be many; where the total
// was asked for it counts on.
func (q *run) gather(known []candidate) (hits []candidate, total int, all bool, err error) {
	most := q.limits.counted
	if !q.order.byName() {
		most = max(most, q.limits.gathered)
	}
	seen := map[placed]bool{}
	hits = slices.Clone(known)
	for i := range known {
		seen[known[i].placed()] = true
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
				old := seen[c.placed()]
				seen[c.placed()] = true
				return old
			})
			s.ready = nil
			if fresh, err = q.check(fresh); err != nil {
				return nil, 0, false, err
			}
			total += len(fresh)
			if total <= most {
				hits = append(hits, fresh...)
			} else if !q.query.IncludeTotal {
				return nil, total, false, nil
			}
		}
	}
	return hits, total, total <= most, nil
}

// scans lists what has to be gone through to find all hits, in no order.
func (q *run) scans() (out []*source) {
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

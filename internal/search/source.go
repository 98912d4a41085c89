package search

import (
	"signet/internal/model"
	"signet/internal/store/searchindex"
)

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
func (q *run) byWord(r searchindex.Range) *source {
	var at searchindex.Mark
	return &source{next: func(limit int) ([]candidate, error) {
		marks, err := searchindex.WordsByWord(q.tx, r, at, limit)
		if len(marks) > 0 {
			at = marks[len(marks)-1]
		}
		return fromMarks(&r, marks), err
	}}
}

// byName lists the same in the order of the display names, from after the page
// before on. It takes several lists for a text of one letter.
func (q *run) byName(r searchindex.Range) ([]*source, error) {
	prefixes, err := searchindex.Prefixes(q.tx, r, q.limits.prefixes+1)
	if err != nil {
		return nil, err
	}
	if len(prefixes) > q.limits.prefixes {
		prefixes = []string{""}
	}
	sources := make([]*source, len(prefixes))
	for i, prefix := range prefixes {
		var at searchindex.Mark
		if q.after != nil {
			at = searchindex.Mark{DisplayName: q.after.name, Entity: q.after.entity}
		}
		sources[i] = &source{next: func(limit int) ([]candidate, error) {
			marks, err := searchindex.WordsByName(q.tx, r, prefix, q.order.Terms[0].Descending, at, limit)
			if len(marks) > 0 {
				at = marks[len(marks)-1]
			}
			return fromMarks(&r, marks), err
		}}
	}
	return sources, nil
}

func fromMarks(r *searchindex.Range, marks []searchindex.Mark) []candidate {
	out := make([]candidate, len(marks))
	for i, m := range marks {
		out[i] = candidate{organization: r.Organization, entity: m.Entity, kind: r.Kind, name: m.DisplayName}
	}
	return out
}

// inOrder lists all entities of a kind in the order that was asked for, from
// after one on, or from the start.
func (q *run) inOrder(organization model.OrganizationID, kind searchindex.Kind, after *candidate) *source {
	var at *searchindex.Entity
	if after != nil {
		at = after.row
	}
	return &source{next: func(limit int) ([]candidate, error) {
		rows, err := searchindex.InOrder(q.tx, organization, kind, &q.order.Order, at, limit)
		out := make([]candidate, len(rows))
		for i := range rows {
			out[i] = *found(&rows[i])
			at = &rows[i]
		}
		return out, err
	}}
}

package search

import (
	"slices"

	"signet/internal/model"
	"signet/internal/store/searchindex"
)

// candidate is an entity that may be a hit, and that the account may see.
type candidate struct {
	organization model.OrganizationID
	entity       model.EntityID
	kind         searchindex.Kind
	name         string              // its display name, as a key
	row          *searchindex.Entity // nil until it is needed
}

func found(row *searchindex.Entity) *candidate {
	return &candidate{row.Organization, row.Entity, row.Kind, row.Keys[searchindex.DisplayName], row}
}

// key returns what the candidate is sorted by. Other keys than the display name
// need the row.
func (c *candidate) key(field searchindex.Field) string {
	if field == searchindex.DisplayName {
		return c.name
	}
	return c.row.Keys[field]
}

// placed is an entity in an organization.
type placed struct {
	organization model.OrganizationID
	entity       model.EntityID
}

func (c *candidate) placed() placed { return placed{c.organization, c.entity} }

// check drops the candidates that are no hits. It looks at them only where that
// is needed, to decide or to sort.
func (q *run) check(candidates []candidate) ([]candidate, error) {
	if !q.checked && q.order.byName() {
		return candidates, nil
	}
	if err := q.load(candidates); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(candidates, func(c candidate) bool { return c.row == nil || !q.matches(c.row) }), nil
}

// load gives the candidates their rows.
func (q *run) load(candidates []candidate) error {
	missing := map[model.OrganizationID][]model.EntityID{}
	for i := range candidates {
		if c := &candidates[i]; c.row == nil {
			missing[c.organization] = append(missing[c.organization], c.entity)
		}
	}
	rows := map[placed]*searchindex.Entity{}
	for organization, ids := range missing {
		loaded, err := searchindex.Entities(q.tx, organization, ids)
		if err != nil {
			return err
		}
		for i := range loaded {
			rows[placed{organization, loaded[i].Entity}] = &loaded[i]
		}
	}
	for i := range candidates {
		if c := &candidates[i]; c.row == nil {
			c.row = rows[c.placed()]
		}
	}
	return nil
}

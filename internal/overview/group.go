package overview

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/store"
	stored "signet/internal/store/overview"
	"signet/internal/store/searchindex"
)

// Group is a group with its counts, without its members.
type Group struct {
	model.Group
	stored.GroupFigures
}

// groupCursor is a group in the order of their names.
type groupCursor struct {
	Name  string         `json:"n"` // folded, as the search index has it
	Group model.EntityID `json:"g"`
}

func (p groupCursor) compare(o groupCursor) int {
	return cmp.Or(cmp.Compare(p.Name, o.Name), bytes.Compare(p.Group[:], o.Group[:]))
}

// byName is the order of the display names.
var byName = searchindex.Order{Terms: []searchindex.Term{{Field: searchindex.DisplayName}}}

// Groups lists the groups of an organization by name, public ones and others: those some
// word of whose name begins with each word of query.
func (c *Overview) Groups(ctx context.Context, actor *model.Actor, organization model.OrganizationID, query string,
	ask Ask) (out Page[Group], err error) {
	list := c.list(actor, "groups", organization, query)
	var from groupCursor
	if ask.Continuation != "" {
		if err := list.Open(ask.Continuation, &from); err != nil {
			return out, err
		}
	}
	matches := search.Beginnings(query)
	err = c.read(ctx, actor, model.ActionGroupRead, organization, func(tx *store.Tx) error {
		out = Page[Group]{Results: make([]Group, 0, ask.Size)}
		from := from
		for looked := 0; ; looked += piece {
			cursors, groups, err := groupsAfter(tx, organization, &from)
			if err != nil {
				return err
			}
			for i := range groups {
				if groups[i] == nil || !matches(groups[i].Name) {
					continue
				}
				if len(out.Results) == ask.Size {
					out.Continuation, err = list.Seal(from)
					return err
				}
				out.Results, from = append(out.Results, *groups[i]), cursors[i]
			}
			if len(cursors) < piece {
				return nil
			}
			if from = cursors[len(cursors)-1]; looked+piece >= mostLooked {
				out.Continuation, err = list.Seal(from)
				return err
			}
		}
	})
	return out, err
}

// groupsAfter returns the next groups of an organization with their cursors, each in its
// place; nil is one that is being deleted.
func groupsAfter(tx *store.Tx, organization model.OrganizationID, from *groupCursor) ([]groupCursor, []*Group, error) {
	var after *searchindex.Entity
	if *from != (groupCursor{}) {
		after = &searchindex.Entity{Organization: organization, Entity: from.Group}
		after.Keys[searchindex.DisplayName] = from.Name
	}
	var found []searchindex.Entity
	for _, kind := range []searchindex.Kind{searchindex.PublicGroup, searchindex.PrivateGroup} {
		entities, err := searchindex.InOrder(tx, organization, kind, &byName, after, piece)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, entities...)
	}
	cursors := make([]groupCursor, len(found))
	for i, e := range found {
		cursors[i] = groupCursor{e.Keys[searchindex.DisplayName], e.Entity}
	}
	slices.SortFunc(cursors, groupCursor.compare)
	cursors = cursors[:min(len(cursors), piece)]
	if len(cursors) == 0 {
		return nil, nil, nil
	}
	ids := make([]model.GroupID, len(cursors))
	for i, p := range cursors {
		ids[i] = model.GroupID(p.Group)
	}
	groups, err := tx.GroupsAmong(ids)
	if err != nil {
		return nil, nil, err
	}
	figures, err := stored.FiguresOfGroups(tx, ids)
	if err != nil {
		return nil, nil, err
	}
	byID := byToken(groups, func(g *model.Group) model.GroupID { return g.ID })
	out := make([]*Group, len(ids))
	for i, id := range ids {
		if g := byID[id]; g != nil && !g.Deleted {
			g.Count = figures[id].Members
			out[i] = &Group{*g, figures[id]}
		}
	}
	return cursors, out, nil
}

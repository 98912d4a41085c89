package service

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/scim"
	"signet/internal/search"
	"signet/internal/store"
)

// This file is about the groups that the directory of an organization keeps by SCIM (contract, section 9). A directory
// sees those that it made, and no other: a group that people made is not its own because the names are alike.

// scimName is the attribute of a group's name.
const scimName = "displayName"

// ScimGroupQuery is which groups are asked for.
type ScimGroupQuery struct {
	Filter      *scim.Filter
	Skip, Limit int  // of those that match
	Members     bool // are wanted, too
}

// ScimGroupPage is some of the groups that match a query.
type ScimGroupPage struct {
	Groups []scim.Group // fewer than asked for where they have very many members
	Total  int          // of all that match
	Looked int          // groups and members that were read for it
}

// mostScimMembers is how many members of groups one page names at most, but that of its first group.
const mostScimMembers = 40_000

// ScimGroups lists groups that a directory keeps, in the order of their tokens.
func (s *Service) ScimGroups(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	q ScimGroupQuery) (page ScimGroupPage, err error) {
	if err := actor.MayAdminister(organization); err != nil {
		return page, err
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		page = ScimGroupPage{}
		all, err := scimCandidates(tx, organization, q.Filter.Pins())
		if err != nil {
			return err
		}
		page.Looked = len(all)
		asks := q.Filter.Asks("members")
		if asks {
			if err := page.fill(tx, all); err != nil {
				return err
			}
		}
		all = slices.DeleteFunc(all, func(g model.Group) bool {
			shown := scimGroup(&g)
			return !shown.Matches(q.Filter)
		})
		page.Total = len(all)
		some := all[min(q.Skip, len(all)):min(q.Skip+q.Limit, len(all))]
		if q.Members && !asks {
			if err := page.fill(tx, some); err != nil {
				return err
			}
		}
		named := 0
		for i := range some {
			if named += len(some[i].Members); q.Members && named > mostScimMembers && i > 0 {
				break
			}
			page.Groups = append(page.Groups, scimGroup(&some[i]))
		}
		return nil
	})
	if err == nil {
		err = s.recordGroupRead(ctx, actor, model.ActionGroupRead, organization, model.GroupID{})
	}
	return page, err
}

// scimCandidates lists the groups that may match, in the order of their tokens: by what a filter demands for certain,
// where an index has that, else all.
func scimCandidates(tx *store.Tx, organization model.OrganizationID, pins []scim.Pin) ([]model.Group, error) {
	for _, pin := range pins {
		switch pin.Attribute {
		case "id":
			id, ok := model.ParseGroupID(pin.Value)
			if !ok {
				return nil, nil
			}
			g, found, err := tx.Group(id)
			if err != nil || !found || !keptBy(&g, organization) {
				return nil, err
			}
			return []model.Group{g}, nil
		case "externalId":
			return tx.ExternalGroups(organization, pin.Value)
		case scimName:
			return tx.DirectoryGroupNamed(organization, pin.Value)
		}
	}
	return tx.DirectoryGroups(organization)
}

// keptBy reports whether the directory of an organization keeps a group.
func keptBy(g *model.Group, organization model.OrganizationID) bool {
	return !g.Deleted && g.Directory && g.Organization == organization
}

// fill reads the members of groups.
func (page *ScimGroupPage) fill(tx *store.Tx, groups []model.Group) error {
	ids := make([]model.GroupID, len(groups))
	for i := range groups {
		ids[i] = groups[i].ID
	}
	members, err := tx.MembersOfEach(ids)
	for i := range groups {
		groups[i].Members = members[groups[i].ID]
		page.Looked += len(groups[i].Members)
	}
	return err
}

// scimGroup is a group as SCIM shows it, with members that have no names.
func scimGroup(g *model.Group) scim.Group {
	out := scim.Group{ID: g.ID.String(), ExternalID: g.ExternalID, Name: g.Name, Created: g.Created,
		Members: make([]scim.Member, len(g.Members))}
	for i, member := range g.Members {
		out.Members[i].ID = member.String()
	}
	return out
}

// directoryGroup loads a group that the directory of an organization keeps, with its members.
func directoryGroup(tx *store.Tx, actor *model.Actor, organization model.OrganizationID, id model.GroupID) (
	g model.Group, err error) {
	if err := actor.MayAdminister(organization); err != nil {
		return g, err
	}
	g, found, err := tx.Group(id)
	if err == nil && (!found || !keptBy(&g, organization)) {
		err = model.Missing()
	}
	if err == nil {
		g.Members, err = tx.GroupMembers(id)
	}
	return g, err
}

// ScimGroup shows a group with the names of its members.
func (s *Service) ScimGroup(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	id model.GroupID) (out scim.Group, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		g, err := directoryGroup(tx, actor, organization, id)
		if err != nil {
			return err
		}
		out = scimGroup(&g)
		return nameMembers(tx, &out, g.Members)
	})
	if err == nil {
		err = s.recordGroupRead(ctx, actor, model.ActionGroupRead, organization, id)
	}
	return out, err
}

// nameMembers says what the members of a group are called.
func nameMembers(tx *store.Tx, out *scim.Group, members []model.AccountID) error {
	accounts, err := tx.Accounts(members)
	names := make(map[model.AccountID]string, len(accounts))
	for i := range accounts {
		names[accounts[i].ID] = accounts[i].DisplayName
	}
	for i, member := range members {
		out.Members[i].Name = names[member]
	}
	return err
}

// ScimCreateGroup makes a group that a directory keeps from then on. Who asks for it is not in it.
func (s *Service) ScimCreateGroup(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	wanted scim.Group) (out scim.Group, err error) {
	if err := actor.MayAdminister(organization); err != nil {
		return out, err
	}
	members := make([]string, len(wanted.Members))
	for i, m := range wanted.Members {
		if members[i] = m.ID; !isAccount(m.ID) {
			return out, notMembers([]string{m.ID})
		}
	}
	g, err := s.CreateGroup(ctx, actor, GroupCommand{CallOrganization: organization, Name: &wanted.Name, Members: members,
		ExcludeCreator: true, Directory: true, ExternalID: wanted.ExternalID})
	if err != nil {
		return out, err
	}
	return scimGroup(&g), nil
}

// isAccount reports whether a text can be the token of an account: an address is none.
func isAccount(text string) bool {
	_, ok := model.ParseAccountID(text)
	return ok
}

// wantFreeName refuses a name that another group of a directory has. field is where the caller gave it.
func wantFreeName(tx *store.Tx, g *model.Group, field string) error {
	if !g.Directory {
		return nil
	}
	same, err := tx.DirectoryGroupNamed(g.Organization, g.Name)
	if err == nil && slices.ContainsFunc(same, func(other model.Group) bool { return other.ID != g.ID }) {
		err = scim.NameTaken(field)
	}
	return err
}

// nameTaken is the answer to a group that could not be stored since another call has given its name to another one in
// this moment. Any other error stays what it is.
func nameTaken(err error, g *model.Group, field string) error {
	if g.Directory && errors.Is(err, store.ErrConflict) {
		return scim.NameTaken(field)
	}
	return err
}

// ScimChangeGroup changes the name of a group and who is in it, all or nothing. match is an If-Match; empty: whatever
// the group is.
func (s *Service) ScimChangeGroup(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	id model.GroupID, match string, change scim.Change[scim.Group]) (out scim.Group, err error) {
	err = s.changeGroup(ctx, actor, id, func(in *groupChange) error {
		g, err := directoryGroup(in.Tx, in.actor, organization, id)
		if err != nil {
			return err
		}
		current := scimGroup(&g)
		if err := scim.WantVersion(match, current.Version()); err != nil {
			return err
		}
		wanted, err := change(current)
		if err != nil {
			return err
		}
		leaving, entering, err := s.scimMoves(in.Tx, &g, &wanted)
		if err != nil {
			return err
		}
		before := g
		g.Name, g.ExternalID = wanted.Name, wanted.ExternalID
		if err := in.applyScim(&before, &g, leaving, entering); err != nil {
			return err
		}
		out = scimGroup(&g)
		action := model.ActionGroupUpdate
		switch renamed := g.Name != before.Name || g.ExternalID != before.ExternalID; {
		case renamed:
		case len(leaving)+len(entering) == 0:
			return nil // a directory that says once more what is so leaves no line
		case len(leaving) == 0:
			action = model.ActionGroupMemberAdd
		case len(entering) == 0:
			action = model.ActionGroupMemberRemove
		}
		return s.recordOnGroup(ctx, in.Tx, in.actor, action, organization, id)
	})
	return out, err
}

// applyScim stores what a group is, moves its members, and tells them.
func (c *groupChange) applyScim(before, g *model.Group, leaving, entering []model.AccountID) error {
	if g.Name != before.Name {
		if err := wantFreeName(c.Tx, g, scimName); err != nil {
			return err
		}
	}
	if g.ExternalID != before.ExternalID || g.Name != before.Name {
		if err := c.UpdateGroup(g); err != nil {
			return nameTaken(err, g, scimName)
		}
	}
	if g.Name == before.Name {
		return c.plan.MoveMembers(c.pen, c.actor, g, leaving, entering)
	}
	if err := search.IndexGroup(c.Tx, g); err != nil {
		return err
	}
	moves, err := c.plan.Moves(c.pen, c.actor, g, leaving, entering)
	if err != nil {
		return err
	}
	sort, err := c.noteSettings(before, g)
	if err != nil {
		return err
	}
	update := fanout.Update(g, g.Members, c.actor.Account, cmp.Or(sort, moves.Sort))
	return c.plan.Do(g, append(moves.Pieces, update)...)
}

// scimMoves says who leaves and who enters a group. Whoever enters it belongs to the organization.
func (s *Service) scimMoves(tx *store.Tx, g *model.Group, wanted *scim.Group) (leaving, entering []model.AccountID,
	err error) {
	var strangers []string
	members := make([]model.AccountID, 0, len(wanted.Members))
	seen := map[model.AccountID]bool{}
	for _, m := range wanted.Members {
		member, ok := model.ParseAccountID(m.ID)
		if !ok {
			strangers = append(strangers, m.ID)
			continue
		}
		if !seen[member] { // a token has two spellings
			seen[member] = true
			members = append(members, member)
		}
	}
	wanted.Members = wanted.Members[:0]
	for _, member := range members {
		wanted.Members = append(wanted.Members, scim.Member{ID: member.String()})
	}
	leaving, entering = fanout.Without(g.Members, members), fanout.Without(members, g.Members)
	present, err := tx.MembersAmong(g.Organization, entering)
	if err != nil {
		return nil, nil, err
	}
	for _, stranger := range fanout.Without(entering, present) {
		strangers = append(strangers, stranger.String())
	}
	if len(strangers) > 0 {
		return nil, nil, notMembers(strangers)
	}
	return leaving, entering, s.withinGroupLimit(len(members))
}

// ScimDeleteGroup ends a group for all its members. match is an If-Match; empty: whatever the group is.
func (s *Service) ScimDeleteGroup(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	id model.GroupID, match string) error {
	return s.deleteGroup(ctx, actor, id, func(in *groupChange) (model.Group, error) {
		g, err := directoryGroup(in.Tx, in.actor, organization, id)
		if err == nil {
			err = scim.WantVersion(match, scimGroup(&g).Version())
		}
		return g, err
	})
}

package service

import (
	"context"
	"slices"
	"strings"
	"time"

	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/store"
)

const (
	maxGroupName = 256
	// crowd is how many changed members one call tells of one by one; past it
	// each member gets one update instead (contract, section 6, bang).
	crowd = 20
	// replayLimit is how many earlier messages a new member gets.
	replayLimit = 1000
)

// GroupCommand is what a call wants a group to be; what is nil stays as it is.
type GroupCommand struct {
	CallOrganization model.OrganizationID
	Name             *string
	Description      *string
	Avatar           *Upload
	AvatarURL        *string
	Members          []string // addresses; nil: not given
	ReplayHistory    *bool
	Public           *bool
	ExcludeCreator   bool
	Metadata         map[string]string
}

func (c *GroupCommand) validate() error {
	if c.Name != nil {
		if err := tooLong("name", *c.Name, maxGroupName); err != nil {
			return err
		}
	}
	if c.Description != nil {
		if err := tooLong("description", *c.Description, maxFreeText); err != nil {
			return err
		}
	}
	return validAvatarURL(c.AvatarURL)
}

// groupOf loads a group that is not deleted, with its members and what the actor
// may do with it. What the actor may not see is Missing.
func groupOf(tx *store.Tx, actor *model.Actor, id model.GroupID) (g model.Group, rights groupRights, err error) {
	g, found, err := tx.Group(id)
	if err == nil && (!found || g.Deleted) {
		err = model.Missing()
	}
	if err != nil {
		return g, rights, err
	}
	if rights, err = rightsInGroup(tx, actor, &g); err != nil {
		return g, rights, err
	}
	if !rights.see {
		return g, rights, model.Missing()
	}
	g.Members, err = tx.GroupMembers(id)
	return g, rights, err
}

// Group shows a group to one who may see it (contract, call 6).
func (s *Service) Group(ctx context.Context, actor *model.Actor, id model.GroupID) (g model.Group, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		g, _, err = groupOf(tx, actor, id)
		return err
	})
	return g, err
}

// GroupMembers shows the members of a group.
func (s *Service) GroupMembers(ctx context.Context, actor *model.Actor, id model.GroupID) (out []model.Entity, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		out = nil
		g, _, err := groupOf(tx, actor, id)
		if err != nil {
			return err
		}
		p := presenter{service: s, tx: tx, actor: actor}
		for _, account := range g.Members {
			e, err := p.entity(g.Organization, model.EntityID(account), false)
			if err != nil {
				return err
			}
			out = append(out, e)
		}
		return nil
	})
	return out, err
}

// CreateGroup makes a group and puts its members in (contract, call 5).
func (s *Service) CreateGroup(ctx context.Context, actor *model.Actor, c GroupCommand) (g model.Group, err error) {
	if err := c.validate(); err != nil {
		return g, err
	}
	if c.Metadata != nil {
		if err := s.validMetadata(c.Metadata); err != nil {
			return g, err
		}
	}
	named, err := s.groupPlace(ctx, actor, &c)
	if err != nil {
		return g, err
	}
	id, now := model.GroupID(newID()), s.now()
	var metadata []byte
	var told []model.AccountID
	err = s.vault.Update(ctx, func(leases *content.Leases) (err error) {
		if c.Metadata == nil {
			return nil
		}
		err = s.store.View(ctx, func(tx *store.Tx) error {
			_, err := groupOrganization(tx, actor, named)
			return err
		})
		if err == nil {
			metadata, err = s.vault.SealMetadata(ctx, leases, named, model.EntityID(id), c.Metadata)
		}
		return err
	}, func(tx *store.Tx) error {
		organization, err := groupOrganization(tx, actor, named)
		if err != nil {
			return err
		}
		g = model.Group{ID: id, Organization: organization.ID, CreatedBy: actor.Account, Created: now,
			ReplayHistory: c.ReplayHistory != nil && *c.ReplayHistory, Public: c.Public != nil && *c.Public}
		if g.Public && !model.Allows(organization.Settings.AllowPublicGroups) {
			return publicGroupsOff()
		}
		members, err := s.membersNamed(tx, actor, g.Organization, c.Members)
		if err != nil {
			return err
		}
		if !c.ExcludeCreator && actor.MemberOf(g.Organization) && !slices.Contains(members, actor.Account) {
			members = append([]model.AccountID{actor.Account}, members...)
		}
		if err := s.withinGroupLimit(len(members)); err != nil {
			return err
		}
		if c.Description != nil {
			g.Description = *c.Description
		}
		if g.Name, err = groupName(tx, c.Name, members); err != nil {
			return err
		}
		if err := setGroupAvatar(tx, &g, &c); err != nil {
			return err
		}
		if err := tx.InsertGroup(&g); err != nil {
			return err
		}
		if c.Metadata != nil {
			if err := tx.PutMetadata(g.Organization, g.Entity(), metadata); err != nil {
				return err
			}
		}
		g.Members = members
		told = members
		if err := s.enterGroup(tx, &g, members); err != nil {
			return err
		}
		// Everybody is told of its own entering, and of nobody else's: n events,
		// not n times n.
		if err := s.tellEach(tx, &g, actor.Account, members, now); err != nil {
			return err
		}
		if err := search.IndexGroup(tx, &g); err != nil || actor.MemberOf(g.Organization) {
			return err
		}
		return s.recordOnGroup(ctx, tx, actor, model.ActionGroupCreate, g.Organization, id)
	})
	if err != nil {
		c.Avatar.doubt(err)
		return model.Group{}, err
	}
	s.hub.Wake(told...)
	return g, nil
}

// groupOrganization is an organization in which the actor may make a group.
func groupOrganization(tx *store.Tx, actor *model.Actor, named model.OrganizationID) (model.Organization, error) {
	if err := tx.ShareOrganization(named); err != nil {
		return model.Organization{}, err
	}
	member, err := tx.IsMember(named, actor.Account)
	if err == nil && !member && !(actor.Operator && actor.Administrative()) {
		err = model.Missing()
	}
	if err != nil {
		return model.Organization{}, err
	}
	o, found, err := tx.Organization(named)
	if err == nil && !found {
		err = model.Missing()
	}
	return o, err
}

func publicGroupsOff() *model.Error {
	return model.Invalidf("public_groups_off", "is_public", "The organization has public groups turned off.")
}

func (s *Service) withinGroupLimit(n int) error {
	if limit := s.limits.GroupMembers; limit > 0 && n > limit {
		return model.Invalidf("too_many_members", "members", "A group has at most %d members.", limit)
	}
	return nil
}

// membersNamed resolves member addresses, in order and without repeats. All must
// belong to the organization; the error names those that do not.
func (s *Service) membersNamed(tx *store.Tx, actor *model.Actor, organization model.OrganizationID, addresses []string) ([]model.AccountID, error) {
	var out []model.AccountID
	known := map[model.AccountID]bool{}
	named := map[model.AccountID]string{}
	var strangers []string
	for _, address := range addresses {
		entity, _, found, err := s.resolve(tx, actor, address, false)
		if err != nil {
			return nil, err
		}
		account := model.AccountID(entity)
		switch {
		case !found:
			strangers = append(strangers, address)
		case !known[account]:
			known[account], named[account] = true, address
			out = append(out, account)
		}
	}
	present, err := tx.MembershipsIn(organization, out)
	if err != nil {
		return nil, err
	}
	in := map[model.AccountID]bool{}
	for _, m := range present {
		in[m.Account] = true
	}
	for _, account := range out {
		if !in[account] {
			strangers = append(strangers, named[account])
		}
	}
	if len(strangers) > 0 {
		return nil, notMembers(strangers)
	}
	return out, nil
}

func notMembers(addresses []string) *model.Error {
	slices.Sort(addresses)
	return model.Invalidf("members_unknown", "members", "These do not belong to the organization: %s", strings.Join(addresses, ", "))
}

// groupName is the name that was given, or the first three members' names.
func groupName(tx *store.Tx, name *string, members []model.AccountID) (string, error) {
	if name != nil && strings.TrimSpace(*name) != "" {
		return strings.TrimSpace(*name), nil
	}
	first := members[:min(3, len(members))]
	accounts, err := tx.Accounts(first)
	if err != nil {
		return "", err
	}
	var names []string
	for _, id := range first {
		for _, a := range accounts {
			if a.ID == id {
				names = append(names, a.DisplayName)
			}
		}
	}
	joined := []rune(strings.Join(names, ", "))
	return string(joined[:min(len(joined), maxGroupName)]), nil
}

// UpdateGroup changes a group (contract, call 7).
func (s *Service) UpdateGroup(ctx context.Context, actor *model.Actor, id model.GroupID, c GroupCommand) (g model.Group, err error) {
	if err := c.validate(); err != nil {
		return g, err
	}
	now := s.now()
	var told []model.AccountID
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		told = nil
		if err := tx.LockGroup(id); err != nil {
			return err
		}
		actor, err := s.stillActs(tx, actor)
		if err != nil {
			return err
		}
		var rights groupRights
		if g, rights, err = groupOf(tx, actor, id); err != nil {
			return err
		}
		if !rights.change || (c.Public != nil && *c.Public != g.Public || c.ReplayHistory != nil && *c.ReplayHistory != g.ReplayHistory) && !rights.control {
			return notAllowed()
		}
		if c.Members != nil {
			if told, err = s.replaceMembers(tx, actor, &g, c.Members, now); err != nil {
				return err
			}
		}
		if c.Public != nil && *c.Public && !g.Public {
			o, _, err := tx.Organization(g.Organization)
			if err != nil {
				return err
			}
			if !model.Allows(o.Settings.AllowPublicGroups) {
				return publicGroupsOff()
			}
		}
		assign(&g.Public, c.Public)
		assign(&g.ReplayHistory, c.ReplayHistory)
		assign(&g.Description, c.Description)
		if c.Name != nil && strings.TrimSpace(*c.Name) != "" {
			g.Name = strings.TrimSpace(*c.Name)
		}
		if err := setGroupAvatar(tx, &g, &c); err != nil {
			return err
		}
		if err := tx.UpdateGroup(&g); err != nil {
			return err
		}
		if err := search.IndexGroup(tx, &g); err != nil {
			return err
		}
		told = append(told, g.Members...)
		if err := tellAll(tx, &g); err != nil || rights.member {
			return err
		}
		return s.recordOnGroup(ctx, tx, actor, model.ActionGroupUpdate, g.Organization, id)
	})
	if err != nil {
		c.Avatar.doubt(err)
		return model.Group{}, err
	}
	s.hub.Wake(told...)
	return g, nil
}

func assign[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// replaceMembers makes the members those that are named, and returns who is
// told of those who left. A caller who is a member stays one: published clients
// name the others only, and go on writing to the group. It leaves by the call
// that removes members.
func (s *Service) replaceMembers(tx *store.Tx, actor *model.Actor, g *model.Group, addresses []string, now time.Time) (told []model.AccountID, err error) {
	wanted, err := s.membersNamed(tx, actor, g.Organization, addresses)
	if err != nil {
		return nil, err
	}
	if slices.Contains(g.Members, actor.Account) && !slices.Contains(wanted, actor.Account) {
		wanted = append(wanted, actor.Account)
	}
	if err := s.withinGroupLimit(len(wanted)); err != nil {
		return nil, err
	}
	var leaving, entering []model.AccountID
	for _, account := range g.Members {
		if !slices.Contains(wanted, account) {
			leaving = append(leaving, account)
		}
	}
	for _, account := range wanted {
		if !slices.Contains(g.Members, account) {
			entering = append(entering, account)
		}
	}
	history, err := history(tx, g, entering, now)
	if err != nil {
		return nil, err
	}
	// The update that ends the call tells enough where very many come and go.
	tell := len(leaving)+len(entering) <= crowd
	if told, err = s.removeFromGroup(tx, actor, g, leaving, tell); err != nil {
		return nil, err
	}
	return told, s.addToGroup(tx, actor, g, entering, history, tell, now)
}

// DeleteGroup ends a group for all its members. Deleting it again is fine for
// who was in it (contract, call 8).
func (s *Service) DeleteGroup(ctx context.Context, actor *model.Actor, id model.GroupID) error {
	var told []model.AccountID
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		told = nil
		if err := tx.LockGroup(id); err != nil {
			return err
		}
		g, found, err := tx.Group(id)
		if err != nil {
			return err
		}
		if !found {
			return model.Missing()
		}
		// Of a deleted organization nothing is known any more, erased already or not.
		if _, found, err = tx.Organization(g.Organization); err == nil && !found {
			err = model.Missing()
		}
		if err != nil {
			return err
		}
		rights, err := rightsInGroup(tx, actor, &g)
		if err != nil {
			return err
		}
		switch {
		case g.Deleted && (rights.member || rights.control):
			return nil
		case g.Deleted || !rights.see && !rights.control:
			return model.Missing()
		case !rights.control:
			return notAllowed()
		}
		members, err := tx.GroupMembers(id)
		if err != nil {
			return err
		}
		g.Deleted = true
		if err := tx.UpdateGroup(&g); err != nil {
			return err
		}
		if err := tx.UnindexEntity(g.Organization, g.Entity()); err != nil {
			return err
		}
		told = members
		if err := s.exitGroup(tx, &g, members); err != nil {
			return err
		}
		if err := tx.NoteDeparture(g.Organization); err != nil { // its history is for nobody any more
			return err
		}
		return s.recordOnGroup(ctx, tx, actor, model.ActionGroupDelete, g.Organization, id)
	})
	if err != nil {
		return err
	}
	s.hub.Wake(told...)
	return nil
}

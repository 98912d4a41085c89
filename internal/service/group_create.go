package service

import (
	"context"
	"slices"

	"signet/internal/content"
	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/store"
	"signet/internal/store/piecework"
)

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
	named, err := s.groupOrganization(ctx, actor, &c)
	if err != nil {
		return g, err
	}
	id, now := model.GroupID(newID()), s.now()
	var metadata []byte
	var plan *fanout.Plan
	err = s.vault.Update(ctx, func(leases *content.Leases) (err error) {
		if c.Metadata == nil {
			return nil
		}
		// The organization's key is for those who may make a group there.
		err = s.store.View(ctx, func(tx *store.Tx) error {
			_, err := groupOrganization(tx, actor, named)
			return err
		})
		if err == nil {
			metadata, err = s.vault.SealMetadata(ctx, leases, named, model.EntityID(id), c.Metadata)
		}
		return err
	}, func(tx *store.Tx) error {
		actor, err := s.access.StillActs(tx, actor)
		if err != nil {
			return err
		}
		if g, err = s.newGroup(tx, actor, named, &c); err != nil {
			return err
		}
		g.ID, g.Created = id, now
		if err := setGroupAvatar(tx, &g, &c); err != nil {
			return err
		}
		plan = s.fanout.Plan(tx, now)
		return s.insertGroup(ctx, tx, plan, actor, &g, metadata)
	})
	if err != nil {
		c.Avatar.Doubt(err)
		return model.Group{}, err
	}
	return g, s.fanout.Carry(ctx, plan)
}

// newGroup is the group that a call asks for, with its members: all but what tells it
// from others. It asks for everything that may refuse it.
func (s *Service) newGroup(
	tx *store.Tx, actor *model.Actor, named model.OrganizationID, c *GroupCommand,
) (g model.Group, err error) {
	organization, err := groupOrganization(tx, actor, named)
	if err == nil {
		err = s.countGroup(tx, actor)
	}
	if err != nil {
		return g, err
	}
	g = model.Group{
		Organization: organization.ID, CreatedBy: actor.Account,
		ReplayHistory: c.ReplayHistory != nil && *c.ReplayHistory, Public: c.Public != nil && *c.Public,
	}
	if g.Public && !model.Allows(organization.Settings.AllowPublicGroups) {
		return g, publicGroupsOff()
	}
	if g.Members, err = s.membersNamed(tx, actor, g.Organization, c.Members); err != nil {
		return g, err
	}
	if !c.ExcludeCreator && actor.MemberOf(g.Organization) && !slices.Contains(g.Members, actor.Account) {
		g.Members = append([]model.AccountID{actor.Account}, g.Members...)
	}
	if err := s.withinGroupLimit(len(g.Members)); err != nil {
		return g, err
	}
	assign(&g.Description, c.Description)
	g.Name, err = groupName(tx, c.Name, g.Members)
	return g, err
}

// insertGroup stores a new group with its sealed metadata, tells its members, and
// records it where its maker is not of the organization.
func (s *Service) insertGroup(
	ctx context.Context, tx *store.Tx, plan *fanout.Plan, actor *model.Actor, g *model.Group, metadata []byte,
) error {
	if err := tx.InsertGroup(g); err != nil {
		return err
	}
	if metadata != nil {
		if err := s.putMetadata(tx, g.Organization, g.Entity(), metadata); err != nil {
			return err
		}
	}
	// Everybody is told of its own entering, and of nobody else's: n events,
	// not n times n.
	self := model.AccountID{}
	err := plan.Do(g, fanout.Friends(g, piecework.Enter, true, g.Members),
		fanout.Bang(g, actor, self, true, g.Created, g.Members))
	if err != nil {
		return err
	}
	if err := search.IndexGroup(tx, g); err != nil || actor.MemberOf(g.Organization) {
		return err
	}
	return s.recordOnGroup(ctx, tx, actor, model.ActionGroupCreate, g.Organization, g.ID)
}

// groupOrganization is an organization in which the actor may make a group.
func groupOrganization(tx *store.Tx, actor *model.Actor, named model.OrganizationID) (model.Organization, error) {
	if err := tx.ShareOrganization(named); err != nil {
		return model.Organization{}, err
	}
	member, err := tx.IsMember(named, actor.Account)
	member = member && actor.Key.Covers(named)
	if err == nil && !member && !actor.Operates() {
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

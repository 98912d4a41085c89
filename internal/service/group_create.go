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
	var likely []model.OrganizationID
	if actor.MemberOf(named) { // the organization's key is for those who may make a group there
		likely = append(likely, named)
	}
	err = s.vault.Noting(ctx, now, func(pen *content.Pen) error {
		if metadata, err = s.groupMetadata(ctx, actor, pen, named, id, c.Metadata); err != nil {
			return err
		}
		return s.store.Update(ctx, func(tx *store.Tx) error {
			if err := pen.Fresh(); err != nil {
				return err
			}
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
			return s.insertGroup(ctx, &groupChange{tx, plan, pen, actor}, &g, metadata)
		})
	}, likely...)
	if err != nil {
		c.Avatar.Doubt(err)
		return model.Group{}, err
	}
	return g, s.fanout.Carry(ctx, plan)
}

// groupMetadata seals the metadata of a new group; nil is none.
func (s *Service) groupMetadata(ctx context.Context, actor *model.Actor, pen *content.Pen, named model.OrganizationID,
	id model.GroupID, metadata map[string]string) ([]byte, error) {
	if metadata == nil {
		return nil, nil
	}
	// The organization's key is for those who may make a group there.
	err := s.store.View(ctx, func(tx *store.Tx) error {
		_, err := groupOrganization(tx, actor, named)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.vault.SealMetadata(ctx, &pen.Leases, named, model.EntityID(id), metadata)
}

// newGroup is the group that a call asks for, with its members: all but what tells it
// from others. It asks for everything that may refuse it.
func (s *Service) newGroup(
	tx *store.Tx, actor *model.Actor, named model.OrganizationID, c *GroupCommand,
) (g model.Group, err error) {
	everyone := c.Everyone != nil && *c.Everyone
	if everyone && actor.MayAdminister(named) == nil { // nobody comes or goes meanwhile
		if err := tx.LockOrganization(named); err != nil {
			return g, err
		}
	}
	organization, err := groupOrganization(tx, actor, named)
	if err == nil {
		err = s.countGroup(tx, actor)
	}
	if err != nil {
		return g, err
	}
	g = model.Group{
		Organization: organization.ID, CreatedBy: actor.Account, Everyone: everyone,
		ReplayHistory: c.ReplayHistory != nil && *c.ReplayHistory, Public: c.Public != nil && *c.Public,
		Directory: c.Directory, ExternalID: c.ExternalID,
	}
	if everyone {
		return g, fillWithEveryone(tx, actor, &g, &organization, c)
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
	if g.Name, err = groupName(tx, c.Name, g.Members); err != nil {
		return g, err
	}
	return g, wantFreeName(tx, &g, scimName)
}

// insertGroup stores a new group with its sealed metadata, notes that, tells its members, and
// records it where its maker is not of the organization.
func (s *Service) insertGroup(ctx context.Context, in *groupChange, g *model.Group, metadata []byte) error {
	if err := in.InsertGroup(g); err != nil {
		return nameTaken(err, g, scimName)
	}
	if metadata != nil {
		if err := s.putMetadata(in.Tx, g.Organization, g.Entity(), metadata); err != nil {
			return err
		}
	}
	change := content.Change{Event: model.NoteCreated, Caller: in.actor.Account, Subjects: g.Members}
	if g.Everyone { // who that is says nothing of anybody
		change.Subjects, change.Unnamed = nil, len(g.Members)
	}
	sort, err := in.pen.Write(in.Tx, g, change)
	if err != nil {
		return err
	}
	// Everybody is told of its own entering, and of nobody else's: n events,
	// not n times n.
	self := model.AccountID{}
	err = in.plan.Do(g, fanout.Friends(g, piecework.Enter, true, g.Members, sort),
		fanout.Bang(g, in.actor, self, true, g.Created, sort, g.Members))
	if err != nil {
		return err
	}
	if err := search.IndexGroup(in.Tx, g); err != nil || in.actor.MemberOf(g.Organization) && !g.Everyone &&
		!g.Directory {
		return err
	}
	return s.recordOnGroup(ctx, in.Tx, in.actor, model.ActionGroupCreate, g.Organization, g.ID)
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

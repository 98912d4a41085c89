package service

import (
	"context"

	"signet/internal/content"
	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/erasure"
	"signet/internal/store/metadata"
	"signet/internal/store/piecework"
	"signet/internal/store/rota"
	"signet/internal/store/searchindex"
)

const (
	maxGroupName = 256
)

// GroupCommand is what a call wants a group to be; what is nil stays as it is.
type GroupCommand struct {
	CallOrganization model.OrganizationID
	Name             *string
	Description      *string
	Avatar           *content.Upload
	AvatarURL        *string
	Members          []string // addresses; nil: not given
	ReplayHistory    *bool
	Public           *bool
	Everyone         *bool // all members of the organization, now and later; only when it is made
	ExcludeCreator   bool
	Metadata         map[string]string
	Directory        bool // a directory keeps it; only when it is made
	ExternalID       string
}

func (c *GroupCommand) validate() error {
	if c.Name != nil {
		if err := model.TooLong("name", *c.Name, maxGroupName); err != nil {
			return err
		}
	}
	if c.Description != nil {
		if err := model.TooLong("description", *c.Description, model.MaxFreeText); err != nil {
			return err
		}
	}
	return model.ValidAvatarURL(c.AvatarURL)
}

// groupOf loads a group that is not deleted, with its members and what the actor
// may do with it. What the actor may not see is Missing.
func groupOf(tx *store.Tx, actor *model.Actor, id model.GroupID) (g model.Group, rights groupRights, err error) {
	if g, rights, err = groupInSight(tx, actor, id); err == nil {
		g.Members, err = tx.GroupMembers(id)
	}
	return g, rights, err
}

// groupInSight is groupOf without the members, which may be many.
func groupInSight(tx *store.Tx, actor *model.Actor, id model.GroupID) (g model.Group, rights groupRights, err error) {
	g, found, err := tx.Group(id)
	if err == nil && found && !g.Deleted {
		rights, err = rightsInGroup(tx, actor, &g)
	}
	if err == nil && !rights.see {
		err = model.Missing()
	}
	return g, rights, err
}

// Group shows a group to one who may see it (contract, call 6).
func (s *Service) Group(ctx context.Context, actor *model.Actor, id model.GroupID) (g model.Group, err error) {
	var rights groupRights
	err = s.store.View(ctx, func(tx *store.Tx) error {
		g, rights, err = groupOf(tx, actor, id)
		return err
	})
	if err == nil && rights.overseen {
		err = s.recordGroupRead(ctx, actor, model.ActionGroupRead, g.Organization, id)
	}
	return g, err
}

// GroupMembers shows the members of a group.
func (s *Service) GroupMembers(
	ctx context.Context, actor *model.Actor, id model.GroupID,
) (out []model.Entity, err error) {
	var g model.Group
	var rights groupRights
	err = s.store.View(ctx, func(tx *store.Tx) error {
		if g, rights, err = groupOf(tx, actor, id); err != nil {
			return err
		}
		if g.Everyone && len(g.Members) > model.MostMembersShown {
			return model.Invalidf("members_not_listed", "", "The group has %d members: find people with a search.",
				len(g.Members))
		}
		p := presenter{service: s, tx: tx, actor: actor}
		if err := p.meet(g.Members); err != nil {
			return err
		}
		out = make([]model.Entity, len(g.Members))
		for i, member := range g.Members {
			if out[i], err = p.entity(g.Organization, model.EntityID(member), false); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && rights.overseen {
		err = s.recordGroupRead(ctx, actor, model.ActionGroupRead, g.Organization, id)
	}
	return out, err
}

// DeleteGroup ends a group for all its members. Its former
// members may delete it again (contract, call 8).
func (s *Service) DeleteGroup(ctx context.Context, actor *model.Actor, id model.GroupID) error {
	return s.deleteGroup(ctx, actor, id, func(in *groupChange) (model.Group, error) {
		return groupToDelete(in.Tx, in.actor, id)
	})
}

// deleteGroup ends a group that find loads, unless the actor may not end it or it is deleted already.
func (s *Service) deleteGroup(ctx context.Context, actor *model.Actor, id model.GroupID,
	find func(*groupChange) (model.Group, error)) error {
	return s.changeGroup(ctx, actor, id, func(in *groupChange) error {
		g, err := find(in)
		if err != nil || g.Deleted {
			return err
		}
		members, err := in.GroupMembers(id)
		if err != nil {
			return err
		}
		g.Deleted = true
		if err := setGroupAvatar(in.Tx, &g, &GroupCommand{AvatarURL: new("")}); err != nil {
			return err
		}
		if err := in.UpdateGroup(&g); err != nil {
			return err
		}
		if err := metadata.Delete(in.Tx, g.Organization, g.Entity()); err != nil {
			return err
		}
		if err := searchindex.Remove(in.Tx, g.Organization, g.Entity()); err != nil {
			return err
		}
		if g.Duty {
			if err := rota.Delete(in.Tx, id); err != nil {
				return err
			}
		}
		if err := in.plan.Do(&g, fanout.Friends(&g, piecework.Tell, false, members, 0)); err != nil {
			return err
		}
		if err := erasure.NoteDeparture(in.Tx, g.Organization); err != nil { // its history is for nobody any more
			return err
		}
		if err := in.NoteJob(&store.Job{Kind: store.EraseNotes, Subject: id[:]}); err != nil {
			return err
		}
		return s.recordOnGroup(ctx, in.Tx, in.actor, model.ActionGroupDelete, g.Organization, id)
	})
}

// groupToDelete is a group that the actor may delete, deleted already or not.
func groupToDelete(tx *store.Tx, actor *model.Actor, id model.GroupID) (model.Group, error) {
	g, _, err := tx.Group(id)
	if err != nil {
		return g, err
	}
	// Of a deleted organization nothing is known any more, erased already or not; nor is there
	// one where there is no group.
	_, found, err := tx.Organization(g.Organization)
	if err == nil && !found {
		err = model.Missing()
	}
	if err != nil {
		return g, err
	}
	rights, err := rightsInGroup(tx, actor, &g)
	switch {
	case err != nil:
		return g, err
	case g.Deleted && (rights.member || rights.control):
		return g, nil
	case g.Deleted || !rights.see && !rights.control:
		return g, model.Missing()
	case !rights.control:
		return g, model.NotAllowed()
	}
	return g, nil
}

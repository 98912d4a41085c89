package service

import (
	"context"
	"slices"
	"strings"
	"time"

	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/store"
)

// changeGroup carries out a change of a group, of who is in it or what it is. Nobody
// else changes the group meanwhile, and the actor's key opens still: change is given the
// actor as it is inside the transaction. It returns whose queues it changed.
func (s *Service) changeGroup(
	ctx context.Context, actor *model.Actor, id model.GroupID,
	change func(tx *store.Tx, actor *model.Actor) (told []model.AccountID, err error),
) error {
	var told []model.AccountID
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.LockGroup(id); err != nil {
			return err
		}
		current, err := s.access.StillActs(tx, actor)
		if err != nil {
			return err
		}
		told, err = change(tx, current)
		return err
	})
	if err == nil {
		s.hub.Wake(told...)
	}
	return err
}

// UpdateGroup changes a group (contract, call 7).
func (s *Service) UpdateGroup(
	ctx context.Context, actor *model.Actor, id model.GroupID, c GroupCommand,
) (g model.Group, err error) {
	if err := c.validate(); err != nil {
		return g, err
	}
	now := s.now()
	err = s.changeGroup(ctx, actor, id, func(tx *store.Tx, actor *model.Actor) (told []model.AccountID, err error) {
		var rights groupRights
		if g, rights, err = groupOf(tx, actor, id); err != nil {
			return nil, err
		}
		if !rights.change || c.wantsControl(&g) && !rights.control {
			return nil, model.NotAllowed()
		}
		if c.Members != nil {
			if told, err = s.replaceMembers(tx, actor, &g, c.Members, now); err != nil {
				return nil, err
			}
		}
		if err := applyToGroup(tx, &g, &c); err != nil {
			return nil, err
		}
		told = append(told, g.Members...)
		if err := tellAll(tx, &g); err != nil || rights.member {
			return told, err
		}
		return told, s.recordOnGroup(ctx, tx, actor, model.ActionGroupUpdate, g.Organization, id)
	})
	if err != nil {
		c.Avatar.doubt(err)
		return model.Group{}, err
	}
	return g, nil
}

// wantsControl reports whether a call changes what is for those who control the group.
func (c *GroupCommand) wantsControl(g *model.Group) bool {
	return c.Public != nil && *c.Public != g.Public || c.ReplayHistory != nil && *c.ReplayHistory != g.ReplayHistory
}

// applyToGroup changes what a group is, and stores it.
func applyToGroup(tx *store.Tx, g *model.Group, c *GroupCommand) error {
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
	if err := setGroupAvatar(tx, g, c); err != nil {
		return err
	}
	if err := tx.UpdateGroup(g); err != nil {
		return err
	}
	return search.IndexGroup(tx, g)
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
func (s *Service) replaceMembers(tx *store.Tx, actor *model.Actor, g *model.Group, addresses []string,
	now time.Time) (told []model.AccountID, err error) {
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

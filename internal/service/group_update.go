package service

import (
	"context"
	"slices"

	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/store"
	"signet/internal/store/piecework"
)

// changeGroup changes a group or its members. It locks the group, makes sure that the
// actor's key still opens, and passes change the actor as it is inside the transaction.
func (s *Service) changeGroup(
	ctx context.Context, actor *model.Actor, id model.GroupID,
	change func(tx *store.Tx, plan *fanout.Plan, actor *model.Actor) error,
) error {
	for {
		var plan *fanout.Plan
		var moving *model.Group // members still come or go by an earlier call
		err := s.store.Update(ctx, func(tx *store.Tx) error {
			moving = nil
			if err := tx.LockGroup(id); err != nil {
				return err
			}
			current, err := s.access.StillActs(tx, actor)
			if err != nil {
				return err
			}
			g, _, err := tx.Group(id)
			if err != nil {
				return err
			}
			waits, err := piecework.HasPieces(tx, g.Organization, id, piecework.Enter, piecework.Leave)
			if err != nil {
				return err
			}
			if waits {
				moving = &g
				return nil
			}
			plan = s.fanout.Plan(tx, s.now())
			return change(tx, plan, current)
		})
		if err != nil {
			return err
		}
		if moving == nil {
			return s.fanout.Carry(ctx, plan)
		}
		if err := s.fanout.Finish(ctx, moving); err != nil {
			return err
		}
	}
}

// UpdateGroup changes a group (contract, call 7).
func (s *Service) UpdateGroup(
	ctx context.Context, actor *model.Actor, id model.GroupID, c GroupCommand,
) (g model.Group, err error) {
	if err := c.validate(); err != nil {
		return g, err
	}
	err = s.changeGroup(ctx, actor, id, func(tx *store.Tx, plan *fanout.Plan, actor *model.Actor) (err error) {
		var rights groupRights
		if g, rights, err = groupOf(tx, actor, id); err != nil {
			return err
		}
		if !rights.change || c.wantsControl(&g) && !rights.control {
			return model.NotAllowed()
		}
		var leaving, entering []model.AccountID
		if c.Members != nil {
			if leaving, entering, err = s.membersToMove(tx, actor, &g, c.Members); err != nil {
				return err
			}
		}
		if err := applyToGroup(tx, &g, &c); err != nil {
			return err
		}
		pieces, tell := plan.Moves(actor, &g, leaving, entering)
		if tell {
			pieces = append(pieces, fanout.Update(&g, g.Members))
		}
		if err := plan.Do(&g, pieces...); err != nil || rights.member {
			return err
		}
		return s.recordOnGroup(ctx, tx, actor, model.ActionGroupUpdate, g.Organization, id)
	})
	if err != nil {
		c.Avatar.Doubt(err)
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
	if c.Name != nil && model.TidyName(*c.Name) != "" {
		g.Name = model.TidyName(*c.Name)
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

// membersToMove says who leaves and who enters a group whose members are to be those that
// are named. A caller who is a member stays one: published clients name the others only,
// and go on writing to the group. It leaves by the call that removes members.
func (s *Service) membersToMove(tx *store.Tx, actor *model.Actor, g *model.Group, addresses []string) (leaving,
	entering []model.AccountID, err error) {
	wanted, err := s.membersNamed(tx, actor, g.Organization, addresses)
	if err != nil {
		return nil, nil, err
	}
	if slices.Contains(g.Members, actor.Account) && !slices.Contains(wanted, actor.Account) {
		wanted = append(wanted, actor.Account)
	}
	return fanout.Without(g.Members, wanted), fanout.Without(wanted, g.Members), s.withinGroupLimit(len(wanted))
}

package service

import (
	"cmp"
	"context"
	"slices"

	"signet/internal/content"
	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/store"
	"signet/internal/store/piecework"
)

// groupChange is a transaction that changes a group.
type groupChange struct {
	*store.Tx
	plan  *fanout.Plan
	pen   *content.Pen
	actor *model.Actor // as it is inside the transaction
}

// note writes down what the actor changed of a group.
func (c *groupChange) note(g *model.Group, event model.NoteEvent) (sort int64, err error) {
	return c.pen.Write(c.Tx, g, content.Change{Event: event, Caller: c.actor.Account})
}

// changeGroup changes a group or its members. It locks the group, and makes sure that the
// actor's key still opens.
func (s *Service) changeGroup(ctx context.Context, actor *model.Actor, id model.GroupID,
	change func(*groupChange) error) error {
	// The organization's key is for those who see the group.
	var of []model.OrganizationID
	err := s.store.View(ctx, func(tx *store.Tx) error {
		g, _, err := groupInSight(tx, actor, id)
		if err == nil {
			of = append(of[:0], g.Organization)
		}
		return err
	})
	if err != nil && !model.IsNotFound(err) {
		return err
	}
	return s.vault.Noting(ctx, s.now(), func(pen *content.Pen) error {
		return s.changeGroupWith(ctx, pen, actor, id, change)
	}, of...)
}

func (s *Service) changeGroupWith(ctx context.Context, pen *content.Pen, actor *model.Actor, id model.GroupID,
	change func(*groupChange) error) error {
	var plan *fanout.Plan
	err := s.onceMoved(ctx, func() (moving *model.Group, err error) {
		err = s.store.Update(ctx, func(tx *store.Tx) error {
			if err := pen.Fresh(); err != nil {
				return err
			}
			if err := tx.LockGroup(id); err != nil {
				return err
			}
			current, err := s.access.StillActs(tx, actor)
			if err != nil {
				return err
			}
			if moving, err = groupMoving(tx, id); err != nil || moving != nil {
				return err
			}
			plan = s.fanout.Plan(tx, s.now())
			return change(&groupChange{tx, plan, pen, current})
		})
		return moving, err
	})
	if err != nil {
		return err
	}
	return s.fanout.Carry(ctx, plan)
}

// onceMoved tries what changes the members of a group until these no longer come or go by an earlier call: try returns
// the group while they do, and has changed nothing then.
func (s *Service) onceMoved(ctx context.Context, try func() (moving *model.Group, err error)) error {
	for {
		moving, err := try()
		if err != nil || moving == nil {
			return err
		}
		if err := s.fanout.Finish(ctx, moving); err != nil {
			return err
		}
	}
}

// groupMoving returns a group, which is locked, while members still come or go by an earlier call; else nil.
func groupMoving(tx *store.Tx, id model.GroupID) (*model.Group, error) {
	g, _, err := tx.Group(id)
	if err != nil {
		return nil, err
	}
	waits, err := piecework.HasPieces(tx, g.Organization, id, piecework.Enter, piecework.Leave)
	if err != nil || !waits {
		return nil, err
	}
	return &g, nil
}

// UpdateGroup changes a group (contract, call 7).
func (s *Service) UpdateGroup(
	ctx context.Context, actor *model.Actor, id model.GroupID, c GroupCommand,
) (g model.Group, err error) {
	if err := c.validate(); err != nil {
		return g, err
	}
	err = s.changeGroup(ctx, actor, id, func(in *groupChange) (err error) {
		var rights groupRights
		if g, rights, err = groupToUpdate(in.Tx, in.actor, id); err != nil {
			return err
		}
		if !rights.change && !(rights.control && c.onlyControls()) || c.wantsControl(&g) && !rights.control {
			return model.NotAllowed()
		}
		if err := c.keepsEveryone(&g); err != nil {
			return err
		}
		var leaving, entering []model.AccountID
		if c.Members != nil {
			if leaving, entering, err = s.membersToMove(in.Tx, in.actor, &g, c.Members); err != nil {
				return err
			}
		}
		before := g
		if err := applyToGroup(in.Tx, &g, &c); err != nil {
			return err
		}
		moves, err := in.plan.Moves(in.pen, in.actor, &g, leaving, entering)
		if err != nil {
			return err
		}
		sort, err := in.noteSettings(&before, &g)
		if err != nil {
			return err
		}
		update := fanout.Update(&g, g.Members, in.actor.Account, cmp.Or(sort, moves.Sort))
		if err := in.plan.Do(&g, append(moves.Pieces, update)...); err != nil || !rights.recorded {
			return err
		}
		return s.recordOnGroup(ctx, in.Tx, in.actor, model.ActionGroupUpdate, g.Organization, id)
	})
	if err != nil {
		c.Avatar.Doubt(err)
		return model.Group{}, err
	}
	return g, nil
}

// noteSettings notes which of a group's settings have changed, and returns the sort of the last note,
// 0 where nothing has.
func (c *groupChange) noteSettings(before, g *model.Group) (sort int64, err error) {
	for _, setting := range []struct {
		changed bool
		event   model.NoteEvent
	}{
		{g.Name != before.Name, model.NoteRenamed},
		{g.ReplayHistory && !before.ReplayHistory, model.NoteHistoryOn},
		{!g.ReplayHistory && before.ReplayHistory, model.NoteHistoryOff},
		{g.Public && !before.Public, model.NotePublic},
		{!g.Public && before.Public, model.NotePrivate},
	} {
		if setting.changed && err == nil {
			sort, err = c.note(g, setting.event)
		}
	}
	return sort, err
}

// groupToUpdate is a group that the actor sees or controls, with its members. Who made it controls it though it is in
// it no more, or never was.
func groupToUpdate(tx *store.Tx, actor *model.Actor, id model.GroupID) (g model.Group, rights groupRights, err error) {
	g, found, err := tx.Group(id)
	if err == nil && found && !g.Deleted {
		rights, err = rightsInGroup(tx, actor, &g)
	}
	switch {
	case err != nil:
		return g, rights, err
	case !rights.see && !rights.control:
		return g, rights, model.Missing()
	}
	g.Members, err = tx.GroupMembers(id)
	return g, rights, err
}

// onlyControls reports whether a call names nothing but what is for those who control the group.
func (c *GroupCommand) onlyControls() bool {
	return c.Name == nil && c.Description == nil && c.Members == nil && c.Avatar == nil && c.AvatarURL == nil &&
		(c.Public != nil || c.ReplayHistory != nil)
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
		if err := wantFreeName(tx, g, "name"); err != nil {
			return err
		}
	}
	if err := setGroupAvatar(tx, g, c); err != nil {
		return err
	}
	if err := tx.UpdateGroup(g); err != nil {
		return nameTaken(err, g, "name")
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

package service

import (
	"context"

	"signet/internal/fanout"
	"signet/internal/model"
)

// AddGroupMembers puts accounts into a group; one that is there stays there
// (contract, call 9).
func (s *Service) AddGroupMembers(ctx context.Context, actor *model.Actor, id model.GroupID, addresses []string) error {
	if len(addresses) == 0 {
		return membersRequired()
	}
	return s.changeGroup(ctx, actor, id, func(in *groupChange) error {
		g, rights, err := groupOf(in.Tx, in.actor, id)
		if err != nil {
			return err
		}
		if err := membersFixed(&g, "members"); err != nil {
			return err
		}
		named, err := s.membersNamed(in.Tx, in.actor, g.Organization, addresses)
		if err != nil {
			return err
		}
		alone := len(named) == 1 && named[0] == in.actor.Account
		if !rights.change && !(g.Public && alone && !g.Directory) {
			return model.NotAllowed()
		}
		entering := fanout.Without(named, g.Members)
		if err := s.withinGroupLimit(len(g.Members) + len(entering)); err != nil {
			return err
		}
		if err := in.plan.MoveMembers(in.pen, in.actor, &g, nil, entering); err != nil {
			return err
		}
		if rights.member || !rights.change { // the rest may only join what is public
			return nil
		}
		return s.recordOnGroup(ctx, in.Tx, in.actor, model.ActionGroupMemberAdd, g.Organization, id)
	})
}

func membersRequired() *model.Error {
	return model.Invalidf("members_required", "members", "Members are required.")
}

// RemoveGroupMembers takes accounts out of a group; one that is not there is
// fine. A member may always take out itself (contract, call 10).
func (s *Service) RemoveGroupMembers(ctx context.Context, actor *model.Actor, id model.GroupID,
	addresses []string) error {
	if len(addresses) == 0 {
		return membersRequired()
	}
	return s.changeGroup(ctx, actor, id, func(in *groupChange) error {
		g, rights, err := groupOf(in.Tx, in.actor, id)
		if err != nil {
			return err
		}
		if err := membersFixed(&g, "members"); err != nil {
			return err
		}
		if !rights.change {
			return model.NotAllowed()
		}
		var leaving []model.AccountID
		members := map[model.AccountID]bool{}
		for _, account := range g.Members {
			members[account] = true
		}
		for _, address := range addresses {
			account, err := s.access.ResolveAccount(in.Tx, in.actor, address)
			if err != nil && !model.IsNotFound(err) {
				return err
			}
			if err == nil && members[account] {
				leaving, members[account] = append(leaving, account), false
			}
		}
		if err := in.plan.MoveMembers(in.pen, in.actor, &g, leaving, nil); err != nil || rights.member {
			return err
		}
		return s.recordOnGroup(ctx, in.Tx, in.actor, model.ActionGroupMemberRemove, g.Organization, id)
	})
}

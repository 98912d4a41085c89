package service

import (
	"context"

	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/store"
)

// AddGroupMembers puts accounts into a group; one that is there stays there
// (contract, call 9).
func (s *Service) AddGroupMembers(ctx context.Context, actor *model.Actor, id model.GroupID, addresses []string) error {
	if len(addresses) == 0 {
		return membersRequired()
	}
	return s.changeGroup(ctx, actor, id, func(tx *store.Tx, plan *fanout.Plan, actor *model.Actor) error {
		g, rights, err := groupOf(tx, actor, id)
		if err != nil {
			return err
		}
		named, err := s.membersNamed(tx, actor, g.Organization, addresses)
		if err != nil {
			return err
		}
		alone := len(named) == 1 && named[0] == actor.Account
		if !rights.change && !(g.Public && alone) {
			return model.NotAllowed()
		}
		entering := fanout.Without(named, g.Members)
		if err := s.withinGroupLimit(len(g.Members) + len(entering)); err != nil {
			return err
		}
		if err := plan.MoveMembers(actor, &g, nil, entering); err != nil {
			return err
		}
		if rights.member || !rights.change { // the rest may only join what is public
			return nil
		}
		return s.recordOnGroup(ctx, tx, actor, model.ActionGroupMemberAdd, g.Organization, id)
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
	return s.changeGroup(ctx, actor, id, func(tx *store.Tx, plan *fanout.Plan, actor *model.Actor) error {
		g, rights, err := groupOf(tx, actor, id)
		if err != nil {
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
			account, err := s.access.ResolveAccount(tx, actor, address)
			if err != nil && !model.IsNotFound(err) {
				return err
			}
			if err == nil && members[account] {
				leaving, members[account] = append(leaving, account), false
			}
		}
		if err := plan.MoveMembers(actor, &g, leaving, nil); err != nil || rights.member {
			return err
		}
		return s.recordOnGroup(ctx, tx, actor, model.ActionGroupMemberRemove, g.Organization, id)
	})
}

package service

import (
	"context"
	"slices"
	"time"

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
		entering := without(named, g.Members)
		if err := s.withinGroupLimit(len(g.Members) + len(entering)); err != nil {
			return err
		}
		if err := s.moveMembers(plan, actor, &g, nil, entering); err != nil {
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
		if err := s.moveMembers(plan, actor, &g, leaving, nil); err != nil || rights.member {
			return err
		}
		return s.recordOnGroup(ctx, tx, actor, model.ActionGroupMemberRemove, g.Organization, id)
	})
}

// moveMembers takes members out of a group and puts accounts into it that are not there,
// with its history, and tells everybody: each of every change with a bang, or where that
// would be very many, with one update. g.Members has those who are in it afterwards.
func (s *Service) moveMembers(plan *fanout.Plan, actor *model.Actor, g *model.Group, leaving,
	entering []model.AccountID) error {
	if len(leaving)+len(entering) == 0 {
		return nil
	}
	pieces, _ := s.moves(actor, g, leaving, entering)
	return plan.Do(g, pieces...)
}

// moves are the pieces of that. each reports whether they tell of each change.
func (s *Service) moves(actor *model.Actor, g *model.Group, leaving, entering []model.AccountID) (pieces []store.Piece,
	each bool) {
	before, staying := g.Members, without(g.Members, leaving)
	g.Members = append(staying, entering...)
	pieces = []store.Piece{friends(g, store.Leave, false, leaving), friends(g, store.Enter, true, entering)}
	if len(leaving)*len(before)+len(entering)*len(g.Members) > bangLimit {
		return append(pieces, update(g, g.Members)), false
	}
	now := s.now()
	for _, subject := range leaving {
		pieces = append(pieces, bang(g, actor, subject, false, now, before))
	}
	for _, subject := range entering {
		pieces = append(pieces, bang(g, actor, subject, true, now, g.Members))
	}
	return pieces, true
}

// without returns the accounts that are not among others.
func without(accounts, others []model.AccountID) []model.AccountID {
	among := make(map[model.AccountID]bool, len(others))
	for _, account := range others {
		among[account] = true
	}
	return slices.DeleteFunc(slices.Clone(accounts), func(a model.AccountID) bool { return among[a] })
}

// friends tells accounts that a group is in their roster, or is not any more.
func friends(g *model.Group, deed store.Deed, added bool, accounts []model.AccountID) store.Piece {
	change := store.Payload{Added: added, Entity: g.Entity(), Group: true, Name: g.Name}
	return store.Piece{Deed: deed, Kind: model.EventFriends, Payload: change.Encode(), Accounts: accounts}
}

// bang tells readers that an account came into a group or left it. A zero subject is the
// reader itself.
func bang(g *model.Group, caller *model.Actor, subject model.AccountID, added bool, now time.Time,
	readers []model.AccountID) store.Piece {
	change := store.Payload{Added: added, Caller: caller.Account, Account: subject, Entity: g.Entity(),
		Time: now.UnixMilli(), Name: g.Name}
	return store.Piece{Deed: store.Tell, Kind: model.EventBang, Payload: change.Encode(), Accounts: readers}
}

// update tells readers what a group is now.
func update(g *model.Group, readers []model.AccountID) store.Piece {
	change := store.Payload{Entity: g.Entity(), Group: true, Name: g.Name}
	return store.Piece{Deed: store.Tell, Kind: model.EventUpdate, Payload: change.Encode(), Accounts: readers}
}

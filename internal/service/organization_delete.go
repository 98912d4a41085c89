package service

import (
	"context"
	"slices"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
)

// DeleteOrganization ends an organization: from the answer on it has no members
// and is not shown. The sweep erases its content in pieces, so that a large one delays
// no other call. The keys that act there alone end like revoked ones. The name must be
// repeated.
func (s *Service) DeleteOrganization(ctx context.Context, actor *model.Actor, id model.OrganizationID,
	name string) error {
	var members, former []model.AccountID // former members may have keys that act there alone
	var left map[model.AccountID][]model.OrganizationID
	err := s.administer(ctx, actor, model.ActionOrganizationDelete, id, func(tx *store.Tx, line *model.AuditEntry) error {
		o, found, err := tx.Organization(id)
		if err != nil {
			return err
		}
		if !found {
			return model.Missing()
		}
		if model.TidyName(name) != o.Name {
			return model.Invalidf("name_mismatch", "name", "The name must repeat the organization's name.")
		}
		if held, err := tx.Held(id); err != nil {
			return err
		} else if held {
			return model.UnderHold()
		}
		if members, err = tx.MembersOf(id); err != nil {
			return err
		}
		if err := tx.LockGroupsIn(id); err != nil {
			return err
		}
		if former, err = tx.KeyHolders(id); err != nil {
			return err
		}
		former = slices.DeleteFunc(former, func(a model.AccountID) bool { return slices.Contains(members, a) })
		position, err := tx.Position(1, slices.Concat(members, former)...)
		if err != nil {
			return err
		}
		for _, account := range members {
			if err := tx.WithdrawEventsOf(account, id, position); err != nil {
				return err
			}
			if err := tx.DeleteConversationsOf(account, id); err != nil {
				return err
			}
		}
		for _, account := range members { // the event names no organization: they are in this one no more
			if err := tx.InsertEvent(account, position, "", model.EventSettings, model.MessageID{},
				store.Payload{}.Encode()); err != nil {
				return err
			}
		}
		if err := tx.DeleteOrganization(id); err != nil {
			return err
		}
		left, err = tx.OrganizationsOfEach(members)
		return err
	})
	if err != nil {
		return err
	}
	s.messages.ForgetAll()
	s.membershipChanged(slices.Concat(members, former)...)
	for _, account := range former {
		s.hub.CloseScope(account, id, live.Revoked)
	}
	for _, account := range members {
		s.endStreams(account, id, len(left[account]) > 0)
	}
	s.eraseSoon()
	return nil
}

package service

import (
	"context"
	"slices"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
)

// Typing tells the recipient's open streams that the actor writes, or has
// stopped. It is never queued (contract, calls 17 and 18).
func (s *Service) Typing(ctx context.Context, actor *model.Actor, recipient string, active bool) error {
	if recipient == "" {
		return model.Invalidf("recipient_required", "recipient", "A recipient is required.")
	}
	typing := model.Typing{Sender: actor.Account, Active: active}
	var readers []model.AccountID
	var within []model.OrganizationID
	err := s.store.View(ctx, func(tx *store.Tx) error {
		readers, typing.Group = nil, model.GroupID{}
		entity, group, found, theirs, err := s.access.ResolvePlaced(tx, actor, recipient)
		if err != nil {
			return err
		}
		if !found {
			return model.Missing()
		}
		if group {
			typing.Group = model.GroupID(entity)
			g, rights, err := groupOf(tx, actor, typing.Group)
			if err != nil {
				return err
			}
			if !rights.member {
				return model.Missing()
			}
			if g.Everyone && !writesToEveryone(actor, g.Organization) {
				if !active {
					return nil
				}
				return onlyAdministratorsWrite()
			}
			within = []model.OrganizationID{g.Organization}
			for _, account := range g.Members {
				if account != actor.Account {
					readers = append(readers, account)
				}
			}
			return nil
		}
		within = slices.DeleteFunc(theirs, func(o model.OrganizationID) bool { return !actor.MemberOf(o) })
		if len(within) == 0 {
			return model.Missing()
		}
		readers = append(readers, model.AccountID(entity))
		return nil
	}, store.Short)
	if model.IsNotFound(err) && !active {
		return nil // clients end their typing before every send, to any recipient
	}
	if err != nil {
		return err
	}
	s.hub.Signal(ctx, live.Signal{Kind: model.EventTyping, Feature: live.FeatureTyping, Typing: &typing, Within: within},
		readers...)
	return nil
}

package service

import (
	"context"
	"slices"

	"signet/internal/model"
	"signet/internal/store"
)

// groupOrganization is the organization of a new group: the one that the call names, else of
// the caller's the one that the first member named has belonged to longest (contract,
// section 1). One that all members belong to goes before the others.
func (s *Service) groupOrganization(ctx context.Context, actor *model.Actor,
	c *GroupCommand) (chosen model.OrganizationID, err error) {
	own := actor.Organizations()
	switch {
	case c.CallOrganization != "":
		return c.CallOrganization, nil
	case len(own) == 0:
		return "", model.OrganizationRequired(model.OrganizationHeader)
	case len(own) == 1:
		return own[0], nil
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		chosen = own[0]
		var members []model.AccountID
		for _, address := range c.Members {
			// Nobody is as somebody out of sight: the group is refused for either.
			entity, _, _, err := s.access.Resolve(tx, actor, address, false)
			if err != nil {
				return err
			}
			members = append(members, model.AccountID(entity))
		}
		if len(members) == 0 {
			return nil
		}
		first, err := tx.OrganizationsOf(members[0])
		if err != nil {
			return err
		}
		first = slices.DeleteFunc(first, func(o model.OrganizationID) bool { return !actor.MemberOf(o) })
		if len(first) == 0 {
			return nil
		}
		places, err := tx.OrganizationsOfEach(members)
		if err != nil {
			return err
		}
		chosen = first[0]
		for _, o := range first {
			if !slices.ContainsFunc(members, func(m model.AccountID) bool { return !slices.Contains(places[m], o) }) {
				chosen = o
				break
			}
		}
		return nil
	})
	return chosen, err
}

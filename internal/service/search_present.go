package service

import (
	"context"

	"signet/internal/model"
	"signet/internal/store"
)

// present shows hits to the actor, in their order.
func (q *search) present(ctx context.Context, hits []candidate) ([]SearchHit, error) {
	out := make([]SearchHit, len(hits))
	for i := range hits {
		c := &hits[i]
		out[i] = SearchHit{Organization: c.organization, Token: c.entity, Group: c.kind != store.SearchAccount}
	}
	if q.command.TokensOnly {
		return out, nil
	}
	accounts, err := q.presentAccounts(hits)
	if err != nil {
		return nil, err
	}
	groups, err := q.presentGroups(hits)
	if err != nil {
		return nil, err
	}
	shown := out[:0]
	for _, hit := range out {
		entity, there := accounts[placed{hit.Organization, hit.Token}]
		if hit.Group {
			entity, there = groups[hit.Token]
		}
		if !there {
			continue
		}
		hit.Entity = entity
		if q.command.RenderMetadata {
			if hit.Metadata, err = q.service.getMetadata(ctx, q.tx, hit.Organization, hit.Token); err != nil {
				return nil, err
			}
		}
		shown = append(shown, hit)
	}
	return shown, nil
}

// presentAccounts shows the accounts among hits, each as a member of the
// organization that it was found in.
func (q *search) presentAccounts(hits []candidate) (map[placed]model.Entity, error) {
	var ids []model.AccountID
	members := map[model.OrganizationID][]model.AccountID{}
	for i := range hits {
		if c := &hits[i]; c.kind == store.SearchAccount {
			ids = append(ids, model.AccountID(c.entity))
			members[c.organization] = append(members[c.organization], model.AccountID(c.entity))
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	accounts, err := q.tx.Accounts(ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[model.AccountID]*model.Account, len(accounts))
	for i := range accounts {
		byID[accounts[i].ID] = &accounts[i]
	}
	out := make(map[placed]model.Entity, len(hits))
	for organization, ids := range members {
		memberships, err := q.tx.MembershipsIn(organization, ids)
		if err != nil {
			return nil, err
		}
		for _, m := range memberships {
			if account := byID[m.Account]; account != nil {
				out[placed{organization, model.EntityID(m.Account)}] = present(q.actor, &target{*account, []model.Membership{m}}, organization)
			}
		}
	}
	return out, nil
}

// presentGroups shows the groups among hits, with their members.
func (q *search) presentGroups(hits []candidate) (map[model.EntityID]model.Entity, error) {
	var ids []model.GroupID
	for i := range hits {
		if c := &hits[i]; c.kind != store.SearchAccount {
			ids = append(ids, model.GroupID(c.entity))
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	groups, err := q.tx.GroupsAmong(ids)
	if err != nil {
		return nil, err
	}
	out := make(map[model.EntityID]model.Entity, len(groups))
	for i := range groups {
		g := &groups[i]
		if g.Deleted {
			continue
		}
		if g.Members, err = q.tx.GroupMembers(g.ID); err != nil {
			return nil, err
		}
		out[g.Entity()] = model.Entity{Group: g, Organization: g.Organization}
	}
	return out, nil
}

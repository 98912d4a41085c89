package service

import (
	"context"

	"signet/internal/access"
	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/store"
)

// SearchCommand says what to look for and what to show of it (contract, section 5.2).
type SearchCommand struct {
	search.Query
	RenderMetadata bool
	TokensOnly     bool // the hits' entities are not wanted
}

// SearchHit is an account or a group in one of the caller's organizations.
type SearchHit struct {
	Organization model.OrganizationID
	Token        model.EntityID
	Group        bool
	Entity       model.Entity      // unless only tokens were asked for
	Metadata     map[string]string // nil unless it was asked for
}

// SearchResult is one page.
type SearchResult struct {
	Hits         []SearchHit
	Total        int    // exact up to 1,000, and past it where that was asked for
	First        int    // how many hits came on the pages before
	Continuation string // for the next page; empty on the last
}

// Search finds accounts and groups of the caller's organizations (contract,
// call 24). An administrator finds what a member finds.
func (s *Service) Search(ctx context.Context, actor *model.Actor, c SearchCommand) (result SearchResult, err error) {
	organizations, err := searchedOrganizations(actor, c.Directory)
	if err != nil {
		return result, err
	}
	q, err := search.New(s.store.Secret(), actor.Account, organizations, c.Query)
	if err != nil {
		return result, err
	}
	err = fill(ctx, func(room *answerRoom) error {
		known := s.persons.reading()
		return s.store.View(ctx, func(tx *store.Tx) error {
			page, err := q.Page(tx)
			if err != nil {
				return err
			}
			result = SearchResult{Total: page.Total, First: page.First, Continuation: page.Continuation}
			shown := 0
			if result.Hits, shown, err = s.presentHits(ctx, tx, known, actor, &c, page.Hits, room); err == nil &&
				shown < len(page.Hits) {
				result.Continuation, err = page.After(shown - 1)
			}
			return err
		})
	})
	return result, err
}

// searchedOrganizations are those that a call names, or all of the caller's.
func searchedOrganizations(actor *model.Actor, directory []model.OrganizationID) ([]model.OrganizationID, error) {
	for _, organization := range directory {
		if !actor.MemberOf(organization) {
			refusal := model.Forbiddenf("not_member",
				"The API key does not have access: its account is not in that organization.")
			refusal.Field = "directory"
			return nil, refusal
		}
	}
	if len(directory) == 0 {
		return actor.Organizations(), nil
	}
	return directory, nil
}

// presentHits shows hits to the actor, in their order, as many as an answer has room for, and
// returns how many of the hits these are, with those that are not there any more.
func (s *Service) presentHits(
	ctx context.Context, tx *store.Tx, known *personReading, actor *model.Actor, c *SearchCommand, hits []search.Hit,
	room *answerRoom,
) (shown []SearchHit, up int, err error) {
	out := make([]SearchHit, len(hits))
	for i, h := range hits {
		out[i] = SearchHit{Organization: h.Organization, Token: h.Entity, Group: h.Group}
	}
	if c.TokensOnly {
		return out, len(hits), nil
	}
	accounts, err := presentAccounts(tx, known, actor, hits)
	if err != nil {
		return nil, 0, err
	}
	groups, err := presentGroups(tx, hits)
	if err != nil {
		return nil, 0, err
	}
	shown = out[:0]
	for i, hit := range out {
		entity, there := accounts[placed{hit.Organization, hit.Token}]
		if hit.Group {
			entity, there = groups[hit.Token]
		}
		if !there {
			continue
		}
		hit.Entity = entity
		if c.RenderMetadata {
			if hit.Metadata, err = s.getMetadata(ctx, tx, hit.Organization, hit.Token); err != nil {
				return nil, 0, err
			}
		}
		if !room.take(entityBytes(&hit.Entity) + metadataBytes(hit.Metadata)) {
			return shown, i, nil
		}
		shown = append(shown, hit)
	}
	return shown, len(hits), nil
}

// presentAccounts shows the accounts among hits, each as a member of the
// organization that it was found in.
func presentAccounts(tx *store.Tx, known *personReading, actor *model.Actor,
	hits []search.Hit) (map[placed]model.Entity, error) {
	out := make(map[placed]model.Entity, len(hits))
	var ids []model.AccountID // of those who are read
	members := map[model.OrganizationID][]model.AccountID{}
	for i := range hits {
		h := &hits[i]
		if h.Group {
			continue
		}
		account := model.AccountID(h.Entity)
		if t, there := known.in(h.Organization, account); there {
			out[placed{h.Organization, h.Entity}] = t.SeenBy(actor, h.Organization)
			continue
		}
		ids = append(ids, account)
		members[h.Organization] = append(members[h.Organization], account)
	}
	if len(ids) == 0 {
		return out, nil
	}
	accounts, err := tx.Accounts(ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[model.AccountID]*model.Account, len(accounts))
	for i := range accounts {
		byID[accounts[i].ID] = &accounts[i]
	}
	for organization, ids := range members {
		memberships, err := tx.MembershipsIn(organization, ids)
		if err != nil {
			return nil, err
		}
		for _, m := range memberships {
			if account := byID[m.Account]; account != nil {
				known.learn(account, m)
				t := access.Target{Account: *account, Memberships: []model.Membership{m}}
				out[placed{organization, model.EntityID(m.Account)}] = t.SeenBy(actor, organization)
			}
		}
	}
	return out, nil
}

// presentGroups shows the groups among hits, with their members.
func presentGroups(tx *store.Tx, hits []search.Hit) (map[model.EntityID]model.Entity, error) {
	var ids []model.GroupID
	for i := range hits {
		if h := &hits[i]; h.Group {
			ids = append(ids, model.GroupID(h.Entity))
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	groups, err := tx.GroupsAmong(ids)
	if err != nil {
		return nil, err
	}
	out := make(map[model.EntityID]model.Entity, len(groups))
	for i := range groups {
		g := &groups[i]
		if g.Deleted {
			continue
		}
		if g.Members, err = tx.GroupMembers(g.ID); err != nil {
			return nil, err
		}
		out[g.Entity()] = model.Entity{Group: g, Organization: g.Organization}
	}
	return out, nil
}

package service

import (
	"context"
	"maps"
	"slices"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
	"signet/internal/store/erasure"
)

// named are the tokens that lines of the audit log hold.
type named struct {
	accounts      map[model.AccountID]bool
	groups        map[model.GroupID]bool
	organizations map[model.OrganizationID]bool
}

func namedIn(lines []auditlog.Row) named {
	n := named{map[model.AccountID]bool{}, map[model.GroupID]bool{}, map[model.OrganizationID]bool{}}
	for i := range lines {
		l := &lines[i]
		n.accounts[l.Account], n.accounts[l.User] = true, true
		n.groups[l.Group] = true
		n.organizations[l.Chain], n.organizations[l.Organization] = true, true
	}
	delete(n.accounts, model.AccountID{})
	delete(n.groups, model.GroupID{})
	delete(n.organizations, "")
	return n
}

// namesIn returns the display names of whom and what lines name, as far as the actor may see them
// now.
func (s *Service) namesIn(ctx context.Context, actor *model.Actor, lines []auditlog.Row) (map[string]string, error) {
	wanted := namedIn(lines)
	return store.Read(ctx, s.store, func(tx *store.Tx) (map[string]string, error) {
		names := map[string]string{}
		if err := nameAccounts(tx, actor, slices.Collect(maps.Keys(wanted.accounts)), names); err != nil {
			return nil, err
		}
		groups, err := tx.GroupsAmong(slices.Collect(maps.Keys(wanted.groups)))
		if err != nil {
			return nil, err
		}
		for i := range groups {
			if g := &groups[i]; !g.Deleted && actor.Administers(g.Organization) {
				names[g.ID.String()] = g.Name
			}
		}
		organizations, err := tx.NamesOfOrganizations(slices.Collect(maps.Keys(wanted.organizations)))
		for id, name := range organizations {
			if actor.Operator || actor.MemberOf(id) {
				names[string(id)] = name
			}
		}
		return names, err
	})
}

// nameAccounts adds the names of those accounts that the actor may see and that have not ended.
func nameAccounts(tx *store.Tx, actor *model.Actor, ids []model.AccountID, names map[string]string) error {
	accounts, err := tx.Accounts(ids)
	if err != nil {
		return err
	}
	theirs, err := tx.MembershipsOfEach(ids)
	if err != nil {
		return err
	}
	for i := range accounts {
		a := &accounts[i]
		if !actor.MaySee(a.ID, theirs[a.ID]) {
			continue
		}
		if len(theirs[a.ID]) == 0 { // it may be going
			if ended, err := erasure.Erases(tx, a.ID); err != nil || ended {
				if err != nil {
					return err
				}
				continue
			}
		}
		names[a.ID.String()] = a.DisplayName
	}
	return nil
}

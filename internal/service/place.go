package service

import (
	"signet/internal/model"
	"signet/internal/store"
)

// place is an entity within an organization: what rosters, metadata and mutes
// are about.
type place struct {
	entity       model.EntityID
	group        bool
	organization model.OrganizationID
	member       bool        // the actor is in the group
	rights       groupRights // of a group
}

// own reports whether it is the actor itself.
func (p *place) own(actor *model.Actor) bool {
	return !p.group && p.entity == model.EntityID(actor.Account)
}

// place finds an entity that the actor may see and that belongs to the named
// organization; without a name, to the group's, or to the only one that both share.
func (s *Service) place(tx *store.Tx, actor *model.Actor, address string, organization model.OrganizationID) (p place, err error) {
	entity, group, found, err := s.resolve(tx, actor, address, true)
	if err == nil && !found {
		err = model.Missing()
	}
	if err != nil {
		return p, err
	}
	p = place{entity: entity, group: group, organization: organization}
	if group {
		g, rights, err := groupOf(tx, actor, model.GroupID(entity))
		if err != nil {
			return p, err
		}
		if organization != "" && organization != g.Organization {
			return p, model.Missing()
		}
		p.organization, p.member, p.rights = g.Organization, rights.member, rights
		return p, nil
	}
	memberships, err := tx.Memberships(model.AccountID(entity))
	if err != nil {
		return p, err
	}
	if !maySeeAccount(actor, model.AccountID(entity), memberships) {
		return p, model.Missing()
	}
	if organization == "" {
		common := shared(actor, memberships)
		if len(common) == 0 && actor.Operator && actor.Administrative() {
			for _, m := range memberships {
				common = append(common, m.Organization)
			}
		}
		switch len(common) {
		case 0:
			return p, model.Missing()
		case 1:
			p.organization = common[0]
			return p, nil
		default:
			return p, organizationRequired()
		}
	}
	for _, m := range memberships {
		if m.Organization == organization && (actor.MemberOf(organization) || actor.Administers(organization)) {
			return p, nil
		}
	}
	return p, model.Missing()
}

// rosterPlace finds an entry of the actor's own roster. Somebody who has left
// the organization since is still in it; everything else must be in sight.
func (s *Service) rosterPlace(tx *store.Tx, actor *model.Actor, address string, organization model.OrganizationID) (place, error) {
	entity, group, found, err := s.resolve(tx, actor, address, true)
	if err != nil {
		return place{}, err
	}
	if found && !group {
		for _, o := range actor.Organizations() {
			if organization != "" && o != organization {
				continue
			}
			c, known, err := tx.Conversation(actor.Account, o, entity)
			if err != nil {
				return place{}, err
			}
			if known && c.Listed {
				return place{entity: entity, organization: o}, nil
			}
		}
	}
	return s.place(tx, actor, address, organization)
}

package service

import (
	"context"
	"slices"

	"signet/internal/model"
	"signet/internal/store"
)

// subject is an entity within an organization: what rosters, metadata and mutes
// are about.
type subject struct {
	entity       model.EntityID
	group        bool
	organization model.OrganizationID
	rights       groupRights // of a group
}

// own reports whether it is the actor itself.
func (p *subject) own(actor *model.Actor) bool {
	return !p.group && p.entity == model.EntityID(actor.Account)
}

// subject finds an entity that the actor may see and that belongs to the named
// organization; without a name, to the group's, or of those that both share to the one
// that the entity has belonged to longest (contract, section 1).
func (s *Service) subject(tx *store.Tx, actor *model.Actor, address string,
	organization model.OrganizationID) (p subject, err error) {
	var group bool
	entity, theirs, seen, err := s.seenAccount(tx, actor, address)
	if err != nil {
		return p, err
	}
	if !seen { // of all else as much is read whether or not it is there
		var found bool
		entity, group, found, theirs, err = s.access.ResolvePlaced(tx, actor, address)
		if err == nil && !found {
			err = model.Missing()
		}
		if err != nil {
			return p, err
		}
	}
	if group {
		return groupSubject(tx, actor, entity, organization)
	}
	return accountSubject(actor, entity, theirs, organization)
}

// seenAccount finds an account that is named by its token, and where it belongs. What belongs
// where the actor sees it is an account, and nobody has to ask what it is.
func (s *Service) seenAccount(tx *store.Tx, actor *model.Actor, address string) (entity model.EntityID,
	theirs []model.OrganizationID, seen bool, err error) {
	named := s.access.Address(address)
	if named.Kind != model.TokenAddress {
		return entity, nil, false, nil
	}
	theirs, err = tx.OrganizationsOf(model.AccountID(named.Token))
	seen = actor.Operator && len(theirs) > 0 || slices.ContainsFunc(theirs, actor.MemberOf)
	return named.Token, theirs, seen, err
}

// groupSubject is subject for a group.
func groupSubject(tx *store.Tx, actor *model.Actor, entity model.EntityID, organization model.OrganizationID) (subject,
	error) {
	g, rights, err := groupInSight(tx, actor, model.GroupID(entity))
	if err != nil {
		return subject{}, err
	}
	if organization != "" && organization != g.Organization {
		return subject{}, model.Missing()
	}
	return subject{entity: entity, group: true, organization: g.Organization, rights: rights}, nil
}

// accountSubject is subject for an account, which belongs to these organizations.
func accountSubject(actor *model.Actor, entity model.EntityID, theirs []model.OrganizationID,
	organization model.OrganizationID) (subject, error) {
	p := subject{entity: entity, organization: organization}
	var common []model.OrganizationID
	for _, o := range theirs {
		if actor.MemberOf(o) {
			common = append(common, o)
		}
	}
	seen := p.own(actor) || actor.Operator || len(common) > 0
	if organization != "" {
		if !seen || !slices.Contains(theirs, organization) ||
			!actor.MemberOf(organization) && !actor.Administers(organization) {
			return p, model.Missing()
		}
		return p, nil
	}
	if len(common) == 0 && actor.Operates() {
		common = theirs
	}
	if len(common) == 0 {
		return p, model.Missing()
	}
	p.organization = common[0]
	return p, nil
}

// conversationSubject is subject for the entity of one of the actor's conversations.
func conversationSubject(tx *store.Tx, actor *model.Actor, c *store.Conversation) (subject, error) {
	if c.Group {
		return groupSubject(tx, actor, c.Entity, c.Organization)
	}
	theirs, err := tx.OrganizationsOf(model.AccountID(c.Entity))
	if err != nil {
		return subject{}, err
	}
	return accountSubject(actor, c.Entity, theirs, c.Organization)
}

// rosterSubject finds an entry of the actor's own roster. It still lists those who left the
// organization, and with it are groups of which the actor keeps messages, or that it has
// removed before; everything else must be in sight.
func (s *Service) rosterSubject(ctx context.Context, tx *store.Tx, actor *model.Actor, address string,
	organization model.OrganizationID) (subject, error) {
	entity, _, err := s.access.Named(tx, actor, address)
	if err != nil {
		return subject{}, err
	}
	var listed []model.OrganizationID
	for _, o := range actor.Organizations() {
		if organization != "" && o != organization {
			continue
		}
		c, known, err := tx.Conversation(actor.Account, o, entity)
		if err != nil {
			return subject{}, err
		}
		if known && c.Listed {
			listed = append(listed, o)
		}
	}
	if len(listed) == 0 {
		return s.unlistedSubject(ctx, tx, actor, address, organization)
	}
	o, err := longest(tx, model.AccountID(entity), listed)
	return subject{entity: entity, organization: o}, err
}

// unlistedSubject is rosterSubject for what has no entry of its own, such as a group, which lists
// itself.
func (s *Service) unlistedSubject(ctx context.Context, tx *store.Tx, actor *model.Actor, address string,
	organization model.OrganizationID) (subject, error) {
	r := &historyReader{service: s, tx: tx, actor: actor, known: s.messages.reading(), now: s.now()}
	talk, missing := s.talk(ctx, r, address, organization)
	if !model.IsNotFound(missing) {
		return talk.subject, missing
	}
	named := s.access.Address(address)
	for _, o := range actor.Organizations() {
		if named.Kind != model.TokenAddress || organization != "" && o != organization {
			continue
		}
		if _, known, err := tx.Conversation(actor.Account, o, named.Token); err != nil || known {
			return subject{entity: named.Token, group: true, organization: o}, err
		}
	}
	return subject{}, missing
}

// longest picks of several organizations the one that an account has belonged to
// longest; the first of them, where it belongs to none any more.
func longest(tx *store.Tx, account model.AccountID, among []model.OrganizationID) (model.OrganizationID, error) {
	if len(among) == 1 {
		return among[0], nil
	}
	theirs, err := tx.OrganizationsOf(account)
	if err != nil {
		return "", err
	}
	for _, o := range theirs {
		if slices.Contains(among, o) {
			return o, nil
		}
	}
	return among[0], nil
}

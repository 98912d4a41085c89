package service

import (
	"cmp"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// destination is where a message goes, and where its sender may send.
type destination struct {
	entity       model.EntityID // the account, or the group
	group        *model.Group   // nil: an account
	organization model.Organization
	theirs       []model.OrganizationID // an account's, the oldest membership first
	read         model.AccessRead       // of theirs
	escalation   *model.Escalation      // nil: it is not sent on
}

// findDestination reads where a message goes and asks whether the actor may send it
// there; or it finds what was sent under the same Request-ID.
func (s *Service) findDestination(
	tx *store.Tx, actor *model.Actor, d *draft, now time.Time,
) (*destination, *repetition, error) {
	entity, group, found, theirs, err := s.access.ResolvePlaced(tx, actor, d.recipient)
	if err != nil {
		return nil, nil, err
	}
	// A repeat is one even where its recipient, a group, has gone since.
	if first, err := d.findRepeated(tx, actor, entity, now); err != nil || first != nil {
		return nil, first, err
	}
	if err := s.withinDailyLimit(tx, actor, now); err != nil {
		return nil, nil, err
	}
	if !found {
		return nil, nil, model.Missing()
	}
	to := &destination{entity: entity, theirs: theirs}
	if group {
		if to.group, err = d.findGroup(tx, actor, model.GroupID(entity)); err != nil {
			return nil, nil, err
		}
	}
	id := model.OrganizationID("")
	if to.group != nil {
		id = to.group.Organization
	} else if id, err = d.chooseOrganization(actor, to.theirs); err != nil {
		return nil, nil, err
	}
	version := store.AccessVersion{Account: model.AccountID(entity)}
	if to.group == nil { // and is known with the next answer
		if err := tx.AskAccess(&version); err != nil {
			return nil, nil, err
		}
	}
	if to.organization, found, err = tx.Organization(id); err == nil && !found {
		err = model.Missing()
	}
	to.read = model.AccessRead{Number: version.Number, At: now}
	if err == nil && !d.content.ReplyTo.IsZero() {
		err = d.findReplied(tx, actor, to, now)
	}
	if err == nil && d.escalate != nil {
		to.escalation, err = s.findEscalation(tx, actor, d, to)
	}
	return to, nil, err
}

// findGroup reads the group of a message. Its organization is the message's, whatever
// the header names, and the sender is a member.
func (d *draft) findGroup(tx *store.Tx, actor *model.Actor, id model.GroupID) (*model.Group, error) {
	g, found, err := tx.Group(id)
	if err != nil {
		return nil, err
	}
	if !found || g.Deleted {
		return nil, model.Missing()
	}
	rights, err := rightsInGroup(tx, actor, &g)
	if err != nil {
		return nil, err
	}
	if !rights.member {
		return nil, model.Missing()
	}
	if g.Everyone && !writesToEveryone(actor, g.Organization) {
		return nil, onlyAdministratorsWrite()
	}
	if named := cmp.Or(d.sender, d.receiver); named != "" && named != g.Organization {
		return nil, model.Invalidf("organization_mismatch", "recipient_organization",
			"The group belongs to another organization.")
	}
	return &g, nil
}

// chooseOrganization chooses among a recipient's organizations: the one that the fields
// name, else the one of the header, else of those that both share the one that the
// recipient has belonged to longest (contract, 5.1).
func (d *draft) chooseOrganization(
	actor *model.Actor, theirs []model.OrganizationID,
) (model.OrganizationID, error) {
	named := cmp.Or(d.sender, d.receiver, d.call)
	for _, o := range theirs {
		if actor.MemberOf(o) && (named == "" || named == o) {
			return o, nil
		}
	}
	return "", model.Missing()
}

package service

import (
	"context"
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// MaxMute is the longest time in minutes that a conversation is muted for.
const MaxMute = 525600

// Mutes lists what the actor has muted.
func (s *Service) Mutes(ctx context.Context, actor *model.Actor) (out []model.Mute, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		out, err = tx.Mutes(actor.Account, s.now())
		out = slices.DeleteFunc(out, func(m model.Mute) bool { return !actor.Key.Covers(m.Organization) })
		return err
	})
	return out, err
}

// Mute mutes a conversation with an account or a group, or, without an address,
// all of an organization. Its messages and counts stay.
func (s *Service) Mute(ctx context.Context, actor *model.Actor, address string, organization model.OrganizationID,
	minutes int) error {
	if minutes < 1 || minutes > MaxMute {
		return model.Invalidf("duration_invalid", "duration", "A duration is 1 to %d minutes.", MaxMute)
	}
	now := s.now()
	return s.changeMute(ctx, actor, address, organization, s.subject,
		func(tx *store.Tx, p subject) (store.Payload, error) {
			mute := model.Mute{Entity: p.entity, Group: p.group, Organization: p.organization, Minutes: minutes, Start: now}
			return store.Payload{Action: "add", Entity: p.entity, Group: p.group, Minutes: minutes, Time: now.UnixMilli()},
				tx.PutMute(actor.Account, mute)
		})
}

// Unmute ends a mute; one that is not there is fine.
func (s *Service) Unmute(ctx context.Context, actor *model.Actor, address string,
	organization model.OrganizationID) error {
	return s.changeMute(ctx, actor, address, organization, s.mutedSubject,
		func(tx *store.Tx, p subject) (store.Payload, error) {
			return store.Payload{Action: "del", Entity: p.entity, Group: p.group},
				tx.DeleteMute(actor.Account, p.organization, p.entity)
		})
}

// mutedSubject finds what the actor has muted, also what has gone out of its sight since;
// else what it sees.
func (s *Service) mutedSubject(tx *store.Tx, actor *model.Actor, address string,
	organization model.OrganizationID) (subject, error) {
	entity, _, err := s.access.Named(tx, actor, address)
	if err != nil {
		return subject{}, err
	}
	mutes, err := tx.Mutes(actor.Account, time.Time{})
	if err != nil {
		return subject{}, err
	}
	found := subject{entity: entity}
	var organizations []model.OrganizationID
	for _, m := range mutes {
		if m.Entity == entity && !entity.IsZero() && (organization == "" || organization == m.Organization) &&
			actor.Key.Covers(m.Organization) {
			found.group = m.Group
			organizations = append(organizations, m.Organization)
		}
	}
	if len(organizations) == 0 {
		return s.subject(tx, actor, address, organization)
	}
	found.organization, err = longest(tx, model.AccountID(entity), organizations)
	return found, err
}

// changeMute changes what find makes of an address.
func (s *Service) changeMute(ctx context.Context, actor *model.Actor, address string, organization model.OrganizationID,
	find func(*store.Tx, *model.Actor, string, model.OrganizationID) (subject, error),
	change func(*store.Tx, subject) (store.Payload, error)) error {
	err := s.store.Update(ctx, s.own(actor, func(tx *store.Tx) error {
		p := subject{organization: organization}
		if address != "" {
			var err error
			if p, err = find(tx, actor, address, organization); err != nil {
				return err
			}
		} else if !actor.MemberOf(organization) {
			return model.Missing()
		} else if member, err := tx.IsMember(organization, actor.Account); err != nil {
			return err
		} else if !member { // not any more
			return model.Missing()
		}
		event, err := change(tx, p)
		if err != nil {
			return err
		}
		return queueMute(tx, actor.Account, p.organization, event)
	}))
	if err == nil {
		s.hub.Wake(ctx, actor.Account)
	}
	return err
}

// UnmuteAll ends all mutes of the actor.
func (s *Service) UnmuteAll(ctx context.Context, actor *model.Actor) error {
	err := s.store.Update(ctx, s.own(actor, func(tx *store.Tx) error {
		if scope := actor.Key.Scope; scope != "" {
			return unmuteIn(tx, actor.Account, scope)
		}
		if err := tx.DeleteMutes(actor.Account); err != nil {
			return err
		}
		return queueMute(tx, actor.Account, "", store.Payload{Action: "clear"})
	}))
	if err == nil {
		s.hub.Wake(ctx, actor.Account)
	}
	return err
}

// unmuteIn ends the mutes of an account in one organization, one by one: that all are ended would not be so for who
// hears of the others, too.
func unmuteIn(tx *store.Tx, account model.AccountID, organization model.OrganizationID) error {
	mutes, err := tx.Mutes(account, time.Time{})
	if err != nil {
		return err
	}
	for _, m := range mutes {
		if m.Organization != organization {
			continue
		}
		change := store.Payload{Action: "del", Entity: m.Entity, Group: m.Group}
		if err := queueMute(tx, account, organization, change); err != nil {
			return err
		}
	}
	return tx.DeleteMutesOf(account, organization)
}

func queueMute(tx *store.Tx, account model.AccountID, organization model.OrganizationID, change store.Payload) error {
	position, err := tx.Position(1, account)
	if err != nil {
		return err
	}
	return tx.InsertEvent(account, position, organization, model.EventConversationMute, model.MessageID{}, change.Encode())
}

package service

import (
	"context"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Muted is what an account has muted, and until when; nil: that has not been read.
type Muted map[muteKey]time.Time

type muteKey struct {
	organization model.OrganizationID
	entity       model.EntityID // zero: all of the organization
}

// mutedBy reads what an account has muted at a time.
func mutedBy(tx *store.Tx, account model.AccountID, now time.Time) (Muted, error) {
	all, err := tx.Mutes(account, now)
	if err != nil {
		return nil, err
	}
	out := make(Muted, len(all))
	for _, m := range all {
		out[muteKey{m.Organization, m.Entity}] = m.Start.Add(time.Duration(m.Minutes) * time.Minute)
	}
	return out, nil
}

// MutedBy reads what an actor has muted now.
func (s *Service) MutedBy(ctx context.Context, actor *model.Actor) (out Muted, err error) {
	now := s.now()
	err = s.store.View(ctx, func(tx *store.Tx) error {
		out, err = mutedBy(tx, actor.Account, now)
		return err
	}, store.Short)
	return out, err
}

// covers reports whether a conversation, or its organization, is muted at a time.
func (m Muted) covers(organization model.OrganizationID, entity model.EntityID, now time.Time) bool {
	return now.Before(m[muteKey{organization, entity}]) || now.Before(m[muteKey{organization: organization}])
}

// Hush reports whether the conversation of a message that the account received is muted.
func (m Muted) Hush(message *model.Message, now time.Time) bool {
	entity := model.EntityID(message.Sender)
	if message.Group {
		entity = message.Recipient
	}
	return m.covers(message.Organization, entity, now)
}

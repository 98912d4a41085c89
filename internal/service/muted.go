package service

import (
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// muted is what an account has muted, and until when; nil: that has not been read.
type muted map[muteKey]time.Time

type muteKey struct {
	organization model.OrganizationID
	entity       model.EntityID // zero: all of the organization
}

// mutedBy reads what an account has muted at a time.
func mutedBy(tx *store.Tx, account model.AccountID, now time.Time) (muted, error) {
	all, err := tx.Mutes(account, now)
	if err != nil {
		return nil, err
	}
	out := make(muted, len(all))
	for _, m := range all {
		out[muteKey{m.Organization, m.Entity}] = m.Start.Add(time.Duration(m.Minutes) * time.Minute)
	}
	return out, nil
}

// covers reports whether a conversation, or its organization, is muted at a time.
func (m muted) covers(organization model.OrganizationID, entity model.EntityID, now time.Time) bool {
	return now.Before(m[muteKey{organization, entity}]) || now.Before(m[muteKey{organization: organization}])
}

// hush reports whether the conversation of a message that the account received is muted.
func (m muted) hush(message *model.Message, now time.Time) bool {
	entity := model.EntityID(message.Sender)
	if message.Group {
		entity = message.Recipient
	}
	return m.covers(message.Organization, entity, now)
}

package service

import (
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// findReplied refuses an answer to what is no message of the same conversation that the actor
// may read (contract, section 7). The transaction that writes the answer does not ask once
// more: of an original that goes meanwhile the answer tells nothing but its identifier, as if it
// had come first.
func (d *draft) findReplied(tx *store.Tx, actor *model.Actor, to *destination, now time.Time) error {
	original, err := readable(tx, actor, d.content.ReplyTo, now)
	if model.IsNotFound(err) || err == nil && !to.holds(actor, original) {
		return replyUnknown()
	}
	return err
}

// holds reports whether a message that the actor may read is of the actor's conversation with
// the destination.
func (to *destination) holds(actor *model.Actor, m *store.MessageRow) bool {
	switch {
	case m.Organization != to.organization.ID || m.Group != (to.group != nil):
		return false
	case m.Recipient == to.entity:
		return m.Group || m.Sender == actor.Account
	default:
		return !m.Group && model.EntityID(m.Sender) == to.entity && m.Recipient == model.EntityID(actor.Account)
	}
}

func replyUnknown() error {
	return model.Invalidf("reply_to_unknown", "reply_to",
		"The message to reply to is none of this conversation that can be read.")
}

package service

import (
	"context"
	"crypto/sha256"

	"signet/internal/model"
	"signet/internal/store"
)

// ForwardCommand is a forward as it is asked for.
type ForwardCommand struct {
	Message               model.MessageID
	Recipient             string
	SenderOrganization    model.OrganizationID
	RecipientOrganization model.OrganizationID
	CallOrganization      model.OrganizationID
	Priority              *int
	RequestID             string
}

// Forward sends a message that the actor may read on to somebody else. The
// attachment is shared, not copied; the first sender and time are kept. Where the
// organization of the message has forwarding turned off, it is refused.
func (s *Service) Forward(ctx context.Context, actor *model.Actor, c ForwardCommand) (Sent, error) {
	if c.Recipient == "" {
		return Sent{}, model.Invalidf("recipient_required", "recipient", "A recipient is required.")
	}
	var row store.MessageRow
	var content model.Content
	err := s.store.View(ctx, func(tx *store.Tx) error {
		var err error
		if row, _, err = visible(tx, actor, c.Message, s.now()); err != nil {
			return err
		}
		if row.Recalled {
			return model.Missing()
		}
		o, _, err := tx.Organization(row.Organization)
		if err != nil {
			return err
		}
		if !model.Allows(o.Settings.Forward) {
			return model.Forbiddenf("forward_off", "The organization has forwarding turned off.")
		}
		content, err = decodeContent(&row)
		return err
	})
	if err != nil {
		return Sent{}, err
	}
	original := row.Forwarded
	if original == nil {
		original = &model.Original{Sender: row.Sender, Created: row.Created}
	}
	fingerprint := sha256.New()
	writeParts(fingerprint, "forward", c.Message.String())
	return s.post(ctx, actor, &posting{
		recipient: c.Recipient, sender: c.SenderOrganization, receiver: c.RecipientOrganization, call: c.CallOrganization,
		content: content, priority: c.Priority, request: c.RequestID, fingerprint: fingerprint.Sum(nil), original: original, source: &row,
	})
}

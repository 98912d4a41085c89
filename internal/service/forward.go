package service

import (
	"context"
	"crypto/sha256"
	"time"

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

// Forward sends a message that the actor may read on to a recipient. The
// attachment is shared, not copied; the first sender and time are kept, and so is a
// lifetime that is shorter than the organization's. Where the organization of the message has
// forwarding turned off, it is refused.
func (s *Service) Forward(ctx context.Context, actor *model.Actor, c ForwardCommand) (Sent, error) {
	fingerprint := sha256.New()
	writeParts(fingerprint, "forward", c.Message.String())
	d := &draft{
		recipient: c.Recipient,
		sender:    c.SenderOrganization, receiver: c.RecipientOrganization, call: c.CallOrganization,
		priority: c.Priority, request: c.RequestID, fingerprint: fingerprint.Sum(nil), begun: time.Now(),
	}
	if c.Recipient == "" {
		return Sent{}, recipientRequired()
	}
	if err := d.validate(); err != nil {
		return Sent{}, err
	}
	now := s.now()
	var repeated *repetition
	err := s.store.View(ctx, func(tx *store.Tx) error {
		// A repeat is one even where its source has gone since.
		entity, _, err := s.access.Named(tx, actor, c.Recipient)
		if err != nil {
			return err
		}
		if repeated, err = d.findRepeated(tx, actor, entity, now); err != nil || repeated != nil {
			return err
		}
		if d.source, err = readable(tx, actor, c.Message, now); err != nil {
			return err
		}
		o, _, err := tx.Organization(d.source.Organization)
		if err == nil && !model.Allows(o.Settings.Forward) {
			err = forwardOff()
		}
		return err
	})
	if err != nil {
		return Sent{}, err
	}
	if repeated != nil {
		return s.repeat(ctx, actor, repeated)
	}
	if d.content, err = s.vault.OpenMessage(ctx, d.source); err != nil {
		return Sent{}, gone(err)
	}
	d.content.ReplyTo = model.MessageID{} // which its new readers have nothing of
	return s.post(ctx, actor, d)
}

// readable reads a message that the actor may read, and whose content is there.
func readable(tx *store.Tx, actor *model.Actor, id model.MessageID, now time.Time) (*store.MessageRow, error) {
	row, _, err := visible(tx, actor, id, now)
	if err == nil && row.Recalled {
		err = model.Missing()
	}
	return &row, err
}

// originalOf returns the first sender of a forwarded message, and its time.
func originalOf(source *store.MessageRow) *model.Original {
	if source.Forwarded != nil {
		return source.Forwarded
	}
	return &model.Original{Sender: source.Sender, Created: source.Created}
}

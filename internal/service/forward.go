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

// Forward sends a message that the actor may read on to somebody else. The
// attachment is shared, not copied; the first sender and time are kept. Where the
// organization of the message has forwarding turned off, it is refused.
func (s *Service) Forward(ctx context.Context, actor *model.Actor, c ForwardCommand) (Sent, error) {
	fingerprint := sha256.New()
	writeParts(fingerprint, "forward", c.Message.String())
	p := &posting{
		recipient: c.Recipient, sender: c.SenderOrganization, receiver: c.RecipientOrganization, call: c.CallOrganization,
		priority: c.Priority, request: c.RequestID, fingerprint: fingerprint.Sum(nil),
	}
	if err := p.validate(); err != nil {
		return Sent{}, err
	}
	now := s.now()
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		// A repeat is one even where its source has gone since.
		if p.entity, _, _, err = s.resolve(tx, actor, p.recipient, true); err != nil {
			return err
		}
		if err := p.findRepeated(tx, actor, now); err != nil || p.repeated != nil {
			return err
		}
		return s.readSource(ctx, tx, actor, p, c.Message, now)
	})
	if err != nil {
		return Sent{}, err
	}
	if p.repeated != nil {
		return s.repeat(ctx, actor, p)
	}
	return s.post(ctx, actor, p)
}

// readSource takes over what a message says that the actor may forward.
func (s *Service) readSource(ctx context.Context, tx *store.Tx, actor *model.Actor, p *posting, id model.MessageID, now time.Time) error {
	row, _, err := visible(tx, actor, id, now)
	if err == nil && row.Recalled {
		err = model.Missing()
	}
	if err != nil {
		return err
	}
	o, _, err := tx.Organization(row.Organization)
	if err != nil {
		return err
	}
	if !model.Allows(o.Settings.Forward) {
		return model.Forbiddenf("forward_off", "The organization has forwarding turned off.")
	}
	p.source, p.original = &row, row.Forwarded
	if p.original == nil {
		p.original = &model.Original{Sender: row.Sender, Created: row.Created}
	}
	p.content, err = s.vault.OpenMessage(ctx, &row)
	return gone(err)
}

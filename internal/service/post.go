package service

import (
	"context"
	"errors"
	"time"

	"signet/internal/content"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
)

// The way of a message: a draft says what was asked for, a destination where it goes, a
// sealedMessage how it is stored, a delivery what a transaction wrote. Each is complete
// when it is made.
//
// The store is read before it is written, although the transaction that writes asks once
// more what may have changed meanwhile: on the embedded engine one writer serves all, and
// what is refused or repeated should not wait for it, nor have its content sealed.

// post brings a draft on its way.
func (s *Service) post(ctx context.Context, actor *model.Actor, d *draft) (Sent, error) {
	if !s.room.ForNew() {
		return Sent{}, noRoom()
	}
	now := s.now()
	if to := s.remembered(actor, d, now); to != nil && d.content.ReplyTo.IsZero() && d.escalate == nil {
		sent, err := s.postTo(ctx, actor, d, to, now)
		if err == nil || !isRefusal(err) {
			return sent, err
		}
		// What is remembered may not be so any more: the store decides.
	}
	var to *destination
	var repeated *repetition
	known := s.recipients.reading()
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		to, repeated, err = s.findDestination(tx, actor, d, now)
		return err
	}, store.Short)
	if err != nil {
		return Sent{}, err
	}
	if repeated != nil {
		return s.repeat(ctx, actor, repeated)
	}
	if to.group == nil {
		known.learn(to, now)
	}
	return s.postTo(ctx, actor, d, to, now)
}

// sendTraits are those of the transaction that sends to an account.
var sendTraits = []store.Trait{store.Short}

func isRefusal(err error) bool {
	var refused *model.Error
	return errors.As(err, &refused)
}

// postTo seals a draft, writes it, and tells of it.
func (s *Service) postTo(
	ctx context.Context, actor *model.Actor, d *draft, to *destination, now time.Time,
) (Sent, error) {
	row, err := newRow(actor, d, to, now)
	if err != nil {
		return Sent{}, err
	}
	traits := sendTraits
	switch {
	case d.source != nil || d.escalate != nil: // it locks more
		traits = nil
	case to.group != nil:
		traits = []store.Trait{store.Crowd(to.group.ID)}
	}
	var sealed sealedMessage
	var done *delivery
	known := s.messages.reading()
	err = s.vault.Update(ctx, func(leases *content.Leases) (err error) {
		sealed, err = s.seal(ctx, leases, d, to, row)
		return err
	}, func(tx *store.Tx) (err error) {
		done, err = s.write(tx, actor, &sealed, now)
		return err
	}, traits...)
	if errors.Is(err, store.ErrConflict) && d.request != "" {
		// Another node wrote under the same Request-ID in the meantime.
		conflict := err
		err = s.store.View(ctx, func(tx *store.Tx) error {
			repeated, err := d.findRepeated(tx, actor, to.entity, now)
			if err == nil && repeated == nil {
				return conflict
			}
			done = &delivery{repeated: repeated}
			return err
		})
	}
	if err != nil {
		s.room.Struck(err, false)
		return Sent{}, err
	}
	if done.repeated != nil {
		return s.repeat(ctx, actor, done.repeated)
	}
	s.counts.Sent.add(row.Group, 1)
	s.counts.Copies.add(row.Group, done.copies)
	s.tally.Sent(&done.row.Message, done.copies, time.Since(d.begun))
	known.sent(&done.row, d.content)
	if done.plan == nil {
		s.hub.Wake(ctx, model.AccountID(row.Recipient))
	} else if err := s.fanout.Carry(ctx, done.plan); err != nil {
		return Sent{}, err
	}
	m := done.message()
	m.Escalates = m.Escalation.Begins()
	s.signalSelfCopy(ctx, &m)
	return Sent{Message: m.ID, TTL: m.TTL, Row: &m}, nil
}

// newRow applies the organization's rules, and gives the message its identifier and
// times: everything that must be the same however often the write is tried.
func newRow(actor *model.Actor, d *draft, to *destination, now time.Time) (*store.MessageRow, error) {
	settings := &to.organization.Settings
	ttl, dor, err := d.life(settings)
	if err != nil {
		return nil, err
	}
	priority := 0
	if d.priority != nil {
		priority = *d.priority
	}
	if priority > 0 && !model.Allows(settings.PriorityMessaging) {
		return nil, model.Invalidf("priority_messaging_off", "priority",
			"The organization has priority messaging turned off.")
	}
	if d.content.Attachment != nil && !model.Allows(settings.Attachments) {
		return nil, model.Invalidf("attachments_off", "attachment",
			"The organization has attachments turned off.")
	}
	row := &store.MessageRow{Message: model.Message{
		ID: newID(), Organization: to.organization.ID,
		Sender: actor.Account, Recipient: to.entity, Group: to.group != nil,
		Created: now, TTL: ttl, Priority: priority,
		DOR: dor,
	}}
	if ttl != model.NoTTL {
		row.Expires = now.Add(time.Duration(ttl) * time.Minute)
	}
	row.Ends = row.Expires
	if to.group != nil {
		row.Replay = to.group.ReplayHistory
	}
	if d.content.Attachment != nil {
		row.Blob = d.content.Attachment.Blob
	}
	if d.source != nil {
		row.Forwarded = originalOf(d.source)
	}
	if to.escalation != nil {
		row.Escalation.Message = row.ID
	}
	return row, nil
}

// life is how many minutes the message lasts, or model.NoTTL, and whether it goes once it is read. What the sender of
// the message that is forwarded wanted gone soon stays so.
func (d *draft) life(settings *model.Settings) (ttl int, dor bool, err error) {
	ttl, err = settings.Lifetime(d.ttl)
	dor = d.dor != nil && *d.dor || d.dor == nil && settings.DOR != nil && *settings.DOR
	if d.source != nil {
		dor = dor || d.source.DOR
		if short := d.source.TTL; short != model.NoTTL && (ttl == model.NoTTL || short < ttl) {
			ttl = short
		}
	}
	return ttl, dor, err
}

// sealedMessage is a message as it is stored, but for its position.
type sealedMessage struct {
	*draft
	to          *destination
	row         store.MessageRow
	fingerprint []byte // sealed: what tells a repeated request from another one
}

// seal puts what a message says into its stored form.
func (s *Service) seal(
	ctx context.Context, leases *content.Leases, d *draft, to *destination, row *store.MessageRow,
) (m sealedMessage, err error) {
	m = sealedMessage{draft: d, to: to, row: *row}
	if m.row.Sealed, err = s.vault.SealMessage(ctx, leases, row, &d.content); err != nil || d.request == "" {
		return m, err
	}
	m.fingerprint, err = s.vault.SealFingerprint(ctx, leases, row.Sender, d.request, row.Created,
		d.requestFingerprint(to.entity))
	return m, err
}

// signalSelfCopy tells the sender's own streams that ask for it of a message. It is live
// only. One to itself they get from the queue.
func (s *Service) signalSelfCopy(ctx context.Context, m *model.Message) {
	if m.Recipient == model.EntityID(m.Sender) {
		return
	}
	kind := model.EventMessage
	if m.Group {
		kind = model.EventGroupMessage
	}
	s.hub.Signal(ctx, live.Signal{Kind: kind, Feature: live.FeatureSelfCopies, Message: m.ID}, m.Sender)
}

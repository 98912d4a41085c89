package service

import (
	"context"
	"errors"
	"slices"
	"time"

	"signet/internal/blob"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
)

// visible finds a message that the actor sent or received and that is not over
// for it: ended, read and gone, removed with its conversation, or of a membership
// that has ended. Everything else is Missing.
func visible(tx *store.Tx, actor *model.Actor, id model.MessageID, now time.Time) (store.MessageRow, messageAccess,
	error) {
	row, found, err := tx.Message(actor.Organizations(), id, now)
	if err == nil && !found {
		err = model.Missing()
	}
	if err != nil {
		return row, messageAccess{}, err
	}
	membership, _ := actor.Membership(row.Organization)
	var access messageAccess
	if row.Sender == actor.Account {
		access.sender, err = within(tx, actor.Account, &row, row.Recipient, row.Sort, membership.Since)
		if err != nil {
			return row, access, err
		}
	}
	delivery, found, err := tx.Delivery(row.Organization, row.ID, actor.Account)
	if err != nil {
		return row, access, err
	}
	gone := row.DOR && delivery.Status >= model.Read && !now.Before(delivery.StatusTime.Add(model.ReadGrace))
	if found && !gone {
		seen, err := within(tx, actor.Account, &row, model.EntityID(row.Sender), delivery.Position, membership.Since)
		if err != nil {
			return row, access, err
		}
		if seen {
			access.delivery = &delivery
		}
	}
	if !access.sender && access.delivery == nil {
		return row, access, model.Missing()
	}
	return row, access, nil
}

// within reports whether a copy at this position is younger than the account's
// membership, and, one to one, than its last removal of the conversation.
func within(tx *store.Tx, account model.AccountID, row *store.MessageRow, peer model.EntityID, position,
	since int64) (bool, error) {
	if position <= since {
		return false, nil
	}
	if row.Group {
		return true, nil
	}
	c, _, err := tx.Conversation(account, row.Organization, peer)
	return position > c.Cleared, err
}

// ownStatus is the status that the actor sees: its own as a recipient, the least
// advanced of all as the sender.
func (a *messageAccess) ownStatus(tx *store.Tx, row *store.MessageRow) (model.Status, error) {
	if !a.sender {
		return a.delivery.Status, nil
	}
	least, _, err := tx.LeastStatus(row.Organization, row.ID)
	return least, err
}

// Message returns a message to its sender or to one of its recipients.
func (s *Service) Message(ctx context.Context, actor *model.Actor, id model.MessageID) (m model.Message, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		now := s.now()
		row, access, err := visible(tx, actor, id, now)
		if err != nil {
			return err
		}
		status, err := access.ownStatus(tx, &row)
		if err != nil {
			return err
		}
		m = row.Message
		m.Status = status
		if !m.Recalled {
			if m.Content, err = s.vault.OpenMessage(ctx, &row); err != nil {
				return gone(err)
			}
		}
		peer := row.Recipient
		if !row.Group && row.Recipient == model.EntityID(actor.Account) {
			peer = model.EntityID(row.Sender)
		}
		muted, err := mutedBy(tx, actor.Account, now)
		m.Muted = muted.covers(row.Organization, peer, now)
		return err
	})
	return m, err
}

// gone turns the error of a message whose key was destroyed into what is answered
// for one that is not there: it is an older state of the store that still has it.
func gone(err error) error {
	if errors.Is(err, seal.ErrKeyGone) {
		return model.Missing()
	}
	return err
}

// Attachment opens the attachment of a message for one who may read the message.
// The caller closes it. A download that has begun may finish whatever becomes of
// the message.
func (s *Service) Attachment(ctx context.Context, actor *model.Actor, id model.MessageID) (model.Attachment, blob.Blob,
	error) {
	m, err := s.Message(ctx, actor, id)
	if err != nil {
		return model.Attachment{}, nil, err
	}
	if m.Attachment == nil {
		return model.Attachment{}, nil, model.Missing()
	}
	content, err := s.vault.OpenAttachment(ctx, m.Attachment)
	return *m.Attachment, content, err
}

// MessageStatus is how far a message got with those who may be shown to the actor.
type MessageStatus struct {
	Message  model.MessageID
	Recalled bool
	Rows     []model.StatusRow
}

// MessageStatus returns the status of each recipient to the sender, and its own
// to a recipient.
func (s *Service) MessageStatus(ctx context.Context, actor *model.Actor, id model.MessageID) (out MessageStatus,
	err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		out, err = messageStatus(tx, actor, id, s.now())
		return err
	}, store.Short)
	return out, err
}

// MessageStatuses does so for several messages; what the actor may not see is left out.
func (s *Service) MessageStatuses(ctx context.Context, actor *model.Actor, ids []model.MessageID) (out []MessageStatus,
	err error) {
	if len(ids) > StatusLimit {
		return nil, tooManyIDs("messages")
	}
	now := s.now()
	err = s.store.View(ctx, func(tx *store.Tx) error {
		out = nil
		for _, id := range ids {
			status, err := messageStatus(tx, actor, id, now)
			switch {
			case model.IsNotFound(err):
			case err != nil:
				return err
			default:
				out = append(out, status)
			}
		}
		return nil
	})
	return out, err
}

func messageStatus(tx *store.Tx, actor *model.Actor, id model.MessageID, now time.Time) (MessageStatus, error) {
	row, access, err := visible(tx, actor, id, now)
	if err != nil {
		return MessageStatus{}, err
	}
	out := MessageStatus{Message: id, Recalled: row.Recalled}
	deliveries := []store.Delivery{}
	if access.sender {
		if deliveries, err = tx.Deliveries(row.Organization, id); err != nil {
			return out, err
		}
	} else {
		deliveries = append(deliveries, *access.delivery)
	}
	for _, d := range deliveries {
		out.Rows = append(out.Rows, model.StatusRow{Account: d.Account, Status: d.Status, Time: d.StatusTime})
	}
	slices.SortFunc(out.Rows, func(a, b model.StatusRow) int { return slices.Compare(a.Account[:], b.Account[:]) })
	return out, nil
}

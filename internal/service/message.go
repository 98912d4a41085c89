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
	delivery, found, err := tx.Delivery(row.Organization, row.ID, actor.Account)
	if err != nil {
		return row, messageAccess{}, err
	}
	var own *store.Delivery
	if found {
		own = &delivery
	}
	access, err := accessTo(actor, &row, own, now, func(peer model.EntityID) (int64, error) {
		c, _, err := tx.Conversation(actor.Account, row.Organization, peer)
		return c.Cleared, err
	})
	if err == nil && !access.any() {
		err = model.Missing()
	}
	return row, access, err
}

// accessTo is how an actor stands to a message of which it has this copy, or none. A
// copy counts that is younger than the actor's membership and than its last removal of the
// conversation, whose position cleared returns.
func accessTo(actor *model.Actor, row *store.MessageRow, own *store.Delivery, now time.Time,
	cleared func(peer model.EntityID) (int64, error)) (access messageAccess, err error) {
	membership, _ := actor.Membership(row.Organization)
	peer := model.EntityID(row.Sender) // of a copy
	if row.Group {
		peer = row.Recipient
	}
	within := func(peer model.EntityID, position int64) (bool, error) {
		if position <= membership.Since {
			return false, nil
		}
		last, err := cleared(peer)
		return position > last, err
	}
	if row.Sender == actor.Account {
		if access.sender, err = within(row.Recipient, row.Sort); err != nil {
			return access, err
		}
	}
	if own == nil || row.DOR && own.Status >= model.Read && !now.Before(own.StatusTime.Add(model.ReadGrace)) {
		return access, nil
	}
	seen, err := within(peer, own.Position)
	if seen {
		access.delivery = own
	}
	return access, err
}

// visibleMessage is a message, without its content, and how an actor stands to it.
type visibleMessage struct {
	row    store.MessageRow
	access messageAccess
}

// visibleAmong finds those of several messages that are visible.
func visibleAmong(tx *store.Tx, actor *model.Actor, ids []model.MessageID,
	now time.Time) (map[model.MessageID]visibleMessage, error) {
	organizations := actor.Organizations()
	var copies []store.Delivery
	if err := tx.AskDeliveriesTo(actor.Account, organizations, ids, &copies); err != nil {
		return nil, err
	}
	rows, err := tx.MessageHeads(organizations, ids, now)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	own := make(map[model.MessageID]*store.Delivery, len(copies))
	for i := range copies {
		own[copies[i].Message] = &copies[i]
	}
	var peers []model.EntityID
	for i := range rows {
		peers = append(peers, rows[i].Recipient)
		if !rows[i].Group {
			peers = append(peers, model.EntityID(rows[i].Sender))
		}
	}
	conversations, err := tx.ConversationsWith(actor.Account, organizations, peers)
	if err != nil {
		return nil, err
	}
	cleared := make(map[placed]int64, len(conversations))
	for _, c := range conversations {
		cleared[placed{c.Organization, c.Entity}] = c.Cleared
	}
	out := make(map[model.MessageID]visibleMessage, len(rows))
	for _, row := range rows {
		access, err := accessTo(actor, &row, own[row.ID], now, func(peer model.EntityID) (int64, error) {
			return cleared[placed{row.Organization, peer}], nil
		})
		if err != nil {
			return nil, err
		}
		if access.any() {
			out[row.ID] = visibleMessage{row, access}
		}
	}
	return out, nil
}

// setStatus sets the status that the actor sees: its own as a recipient, the least
// advanced of all as the sender, who also sees who confirmed the message.
func (a *messageAccess) setStatus(tx *store.Tx, m *model.Message) error {
	if !a.sender {
		m.Status = a.delivery.Status
		return nil
	}
	m.Escalates = m.Escalation.Begins()
	all, err := tx.StatusesOf(m.Organization, m.ID)
	if m.Status = all.Least; err != nil || all.Most < model.Confirmed {
		return err
	}
	confirmed, err := tx.ConfirmedBy(m.Organization, []model.MessageID{m.ID})
	m.ConfirmedBy = confirmed[m.ID]
	return err
}

// Message returns a message to its sender or to one of its recipients.
func (s *Service) Message(ctx context.Context, actor *model.Actor, id model.MessageID) (m model.Message, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		now := s.now()
		row, access, err := visible(tx, actor, id, now)
		if err != nil {
			return err
		}
		m = row.Message
		if err := access.setStatus(tx, &m); err != nil {
			return err
		}
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

// gone turns the error of a message whose key was destroyed into the one of a message that
// does not exist: only an older state of the store still has its row.
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
		found, err := messageStatuses(tx, actor, []model.MessageID{id}, s.now())
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return model.Missing()
		}
		out = found[0]
		return nil
	}, store.Short)
	return out, err
}

// MessageStatuses is MessageStatus for several messages; those that the actor may not see are left out.
func (s *Service) MessageStatuses(ctx context.Context, actor *model.Actor, ids []model.MessageID) (out []MessageStatus,
	err error) {
	if len(ids) > StatusLimit {
		return nil, tooManyIDs("messages")
	}
	now := s.now()
	err = s.store.View(ctx, func(tx *store.Tx) error {
		out, err = messageStatuses(tx, actor, ids, now)
		return err
	})
	return out, err
}

func messageStatuses(tx *store.Tx, actor *model.Actor, ids []model.MessageID, now time.Time) ([]MessageStatus, error) {
	found, err := visibleAmong(tx, actor, ids, now)
	if err != nil {
		return nil, err
	}
	var sent []model.MessageID
	rows := make(map[model.MessageID][]model.StatusRow, len(found))
	note := func(d *store.Delivery) {
		rows[d.Message] = append(rows[d.Message], model.StatusRow{Account: d.Account, Status: d.Status, Time: d.StatusTime})
	}
	for id, m := range found {
		if m.access.sender {
			sent = append(sent, id)
		} else {
			note(m.access.delivery)
		}
	}
	if len(sent) > 0 {
		deliveries, err := tx.Deliveries(actor.Organizations(), sent...)
		if err != nil {
			return nil, err
		}
		for i := range deliveries {
			note(&deliveries[i])
		}
	}
	var out []MessageStatus
	for _, id := range ids {
		if m, ok := found[id]; ok {
			slices.SortFunc(rows[id], func(a, b model.StatusRow) int { return slices.Compare(a.Account[:], b.Account[:]) })
			out = append(out, MessageStatus{Message: id, Recalled: m.row.Recalled, Rows: rows[id]})
		}
	}
	return out, nil
}

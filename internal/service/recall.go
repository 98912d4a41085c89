package service

import (
	"context"

	"signet/internal/model"
	"signet/internal/store"
)

// Recall erases a message for everyone; only its sender may. Recalling again
// changes nothing (contract, call 13).
func (s *Service) Recall(ctx context.Context, actor *model.Actor, id model.MessageID) error {
	now := s.now()
	var readers []model.AccountID
	erased := false
	err := s.spare(ctx, func(tx *store.Tx) error {
		readers, erased = nil, false
		for _, organization := range actor.Organizations() { // so that no legal hold begins meanwhile
			if err := tx.ShareOrganization(organization); err != nil {
				return err
			}
		}
		if err := tx.LockMessages(actor.Organizations(), id); err != nil {
			return err
		}
		row, access, err := visible(tx, actor, id, now)
		if err != nil {
			return err
		}
		if !access.sender {
			return model.Forbiddenf("not_sender", "Only its sender can recall a message.")
		}
		if row.Recalled {
			return nil
		}
		var position int64
		if readers, position, err = s.toldOfRecall(tx, &row); err != nil {
			return err
		}
		if err := tx.WithdrawMessage(row.Organization, row.ID); err != nil {
			return err
		}
		if err := tx.NoteEnded(&row); err != nil {
			return err
		}
		erased = true
		if err := tx.RecallMessage(&row); err != nil {
			return err
		}
		change := store.Payload{Recalled: true}
		for _, account := range readers {
			if err := tx.InsertEvent(account, position, row.Organization, statusKind(row.Group), row.ID,
				change.Encode()); err != nil {
				return err
			}
		}
		return tx.NoteKeyEnding(row.Organization, row.KeyDay())
	})
	if err != nil {
		return err
	}
	s.messages.Forget(id)
	s.hub.Wake(readers...)
	if erased {
		s.counts.Recalled.Add(1)
		s.eraseSoon()
	}
	return nil
}

// toldOfRecall lists who has a copy of the message and is still in its organization,
// and takes a position in their queues.
func (s *Service) toldOfRecall(tx *store.Tx, row *store.MessageRow) (told []model.AccountID, position int64,
	err error) {
	holders, err := tx.DeliveredTo(row.Organization, row.ID)
	if err != nil || len(holders) == 0 {
		return nil, 0, err
	}
	if position, err = tx.Position(1, holders...); err != nil {
		return nil, 0, err
	}
	memberships, err := tx.MembershipsIn(row.Organization, holders)
	out := make([]model.AccountID, len(memberships))
	for i, m := range memberships {
		out[i] = m.Account
	}
	return out, position, err
}

// statusKind is the kind of a status event, one to one or in a group.
func statusKind(group bool) model.EventKind {
	if group {
		return model.EventGroupStatus
	}
	return model.EventStatus
}

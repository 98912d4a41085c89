package service

import (
	"context"
	"math"
	"time"

	"signet/internal/model"
	"signet/internal/piece"
	"signet/internal/store"
)

// Recall erases a message for everyone; only its sender may. Recalling again
// changes nothing (contract, call 13).
func (s *Service) Recall(ctx context.Context, actor *model.Actor, id model.MessageID) error {
	now := s.now()
	var plan *piece.Plan
	erased := false
	err := s.spare(ctx, func(tx *store.Tx) error {
		plan, erased = s.pieces.Plan(tx, now), false
		for _, organization := range actor.Organizations() { // so that no legal hold begins meanwhile
			if err := tx.ShareOrganization(organization); err != nil {
				return err
			}
		}
		if err := lockGroupOf(tx, actor, id, now); err != nil {
			return err
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
		holders, err := tx.DeliveredTo(row.Organization, row.ID, math.MaxInt32)
		if err != nil {
			return err
		}
		if err := plan.Recall(&row, statusKind(row.Group), holders); err != nil {
			return err
		}
		erased = true
		if err := tx.RecallMessage(&row); err != nil {
			return err
		}
		return tx.NoteKeyEnding(row.Organization, row.KeyDay())
	})
	if err != nil {
		return err
	}
	s.messages.Forget(id)
	if erased {
		s.counts.Recalled.Add(1)
		s.eraseSoon()
	}
	return s.pieces.Carry(ctx, plan)
}

// lockGroupOf locks the group to which a message was sent. Groups are locked before
// messages.
func lockGroupOf(tx *store.Tx, actor *model.Actor, id model.MessageID, now time.Time) error {
	if !tx.Locks() {
		return nil
	}
	row, _, err := tx.Message(actor.Organizations(), id, now)
	if err != nil || !row.Group {
		return err
	}
	return tx.LockGroups(model.GroupID(row.Recipient))
}

// statusKind is the kind of a status event, one to one or in a group.
func statusKind(group bool) model.EventKind {
	if group {
		return model.EventGroupStatus
	}
	return model.EventStatus
}

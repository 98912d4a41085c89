package service

import (
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/escalation"
	"signet/internal/store/sealing"
)

// Recall erases a message for everyone; only its sender may. Recalling again
// changes nothing (contract, call 13).
func (s *Service) Recall(ctx context.Context, actor *model.Actor, id model.MessageID) error {
	now := s.now()
	var plan *fanout.Plan
	erased := false
	err := s.spare(ctx, func(tx *store.Tx) error {
		plan, erased = s.fanout.Plan(tx, now), false
		opens, err := s.access.AskCalls(tx, actor)
		if err != nil {
			return err
		}
		for _, organization := range actor.Organizations() { // so that no legal hold begins meanwhile
			if err := tx.ShareOrganization(organization); err != nil {
				return err
			}
		}
		if err = lockMessage(tx, actor.Organizations(), id, now); err == nil {
			err = tx.Await()
		}
		if err == nil {
			err = opens()
		}
		if err != nil {
			return err
		}
		row, access, err := visible(tx, actor, id, now)
		if err != nil {
			return err
		}
		if !access.sender {
			return model.Forbiddenf("not_sender", "Only its sender can recall a message.")
		}
		erased, err = takeBack(tx, plan, &row, now)
		return err
	})
	return s.recalled(ctx, id, plan, erased, err)
}

// MaxReason bounds the reason for which an administrator takes a message back, in characters.
const MaxReason = 200

// RecallFor erases a message of an organization for everyone, as an administrator of it,
// who reads nothing of it. The sender is told as the recipients are.
func (s *Service) RecallFor(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	id model.MessageID, reason string) error {
	if utf8.RuneCountInString(reason) > MaxReason {
		return model.Invalidf("too_long", "reason", "At most %d characters are allowed.", MaxReason)
	}
	now := s.now()
	var plan *fanout.Plan
	erased := false
	recall := func(tx *store.Tx, line *model.AuditEntry) error {
		plan, erased = s.fanout.Plan(tx, now), false
		line.Detail = "message=" + id.String()
		if reason != "" {
			line.Detail += " reason=" + reason
		}
		organizations := []model.OrganizationID{organization}
		if err := lockMessage(tx, organizations, id, now); err != nil {
			return err
		}
		row, found, err := tx.Message(organizations, id, now)
		if err == nil && !found {
			err = model.Missing()
		}
		if err != nil {
			return err
		}
		member, err := tx.IsMember(organization, row.Sender)
		if err != nil {
			return err
		}
		var told []model.AccountID
		if member {
			told = append(told, row.Sender)
		}
		erased, err = takeBack(tx, plan, &row, now, told...)
		return err
	}
	err := s.room.Sparing(func() error {
		return s.access.Administer(ctx, actor, model.ActionMessageRecall, organization, recall)
	})
	return s.recalled(ctx, id, plan, erased, err)
}

// takeBack recalls a message, which is locked, unless it was recalled before. It is told to
// all that have a copy, and to these others.
func takeBack(tx *store.Tx, plan *fanout.Plan, row *store.MessageRow, now time.Time, others ...model.AccountID) (
	erased bool, err error) {
	if row.Recalled {
		if row.Group { // from all of whose members it may not have been taken back yet
			plan.Await(row.Organization, model.GroupID(row.Recipient))
		}
		return false, nil
	}
	told, err := tx.DeliveredTo(row.Organization, row.ID)
	if err != nil {
		return false, err
	}
	for _, other := range others {
		if !slices.Contains(told, other) {
			told = append(told, other)
		}
	}
	if err := plan.Recall(row, statusKind(row.Group), told); err != nil {
		return false, err
	}
	if err := tx.RecallMessage(row); err != nil {
		return false, err
	}
	if row.Escalated() {
		if err := escalation.End(tx, row.Organization, row.ID, model.EscalationRecalled, now); err != nil {
			return false, err
		}
	}
	return true, sealing.NoteKeyEnding(tx, row.Organization, row.KeyDay())
}

// recalled finishes what a transaction that recalled a message left to do.
func (s *Service) recalled(ctx context.Context, id model.MessageID, plan *fanout.Plan, erased bool, err error) error {
	if err != nil {
		return err
	}
	s.messages.Forget(id)
	if erased {
		s.counts.Recalled.Add(1)
		s.eraseSoon()
	}
	return s.fanout.Carry(ctx, plan)
}

// lockMessage locks a message, and the group to which it was sent: groups are locked before
// messages.
func lockMessage(tx *store.Tx, organizations []model.OrganizationID, id model.MessageID, now time.Time) error {
	if !tx.Locks() {
		return nil
	}
	row, _, err := tx.Message(organizations, id, now)
	if err == nil && row.Group {
		err = tx.LockGroups(model.GroupID(row.Recipient))
	}
	if err != nil {
		return err
	}
	return tx.LockMessages(organizations, id)
}

// statusKind is the kind of a status event, one to one or in a group.
func statusKind(group bool) model.EventKind {
	if group {
		return model.EventGroupStatus
	}
	return model.EventStatus
}

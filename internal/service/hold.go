package service

import (
	"context"
	"time"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// underHold answers who would erase what a legal hold keeps.
func underHold() *model.Error {
	return model.Forbiddenf("legal_hold", "The organization is under a legal hold: nothing of it may be erased.")
}

// SetHold puts an organization under a legal hold, or lifts it. Only operators do:
// an organization's administrators may be those whom it is about. Doing it again
// changes nothing.
func (s *Service) SetHold(ctx context.Context, actor *model.Actor, id model.OrganizationID, held bool) error {
	now := s.now()
	action := model.ActionHoldSet
	if !held {
		action = model.ActionHoldRelease
	}
	err := s.administer(ctx, actor, action, id, func(tx *store.Tx, _ *model.AuditEntry) error {
		if !actor.Operator {
			return model.Forbiddenf("operator_required", "Only an operator sets and lifts a legal hold.")
		}
		if held {
			return tx.SetHold(id, now)
		}
		return tx.ReleaseHold(id)
	})
	if err == nil && !held {
		s.eraseSoon()
	}
	return err
}

// HoldOrganization does so in the store itself, beside servers that use it, for the
// command line.
func HoldOrganization(ctx context.Context, kept *store.Store, now time.Time, id model.OrganizationID, held bool) error {
	line := model.AuditEntry{Time: model.AuditTime{Time: now.UTC()}, Action: model.ActionHoldSet}
	if !held {
		line.Action = model.ActionHoldRelease
	}
	return audit.RecordCommand(ctx, kept, line, func(tx *store.Tx, line *model.AuditEntry) error {
		onOrganization(line, id)
		if err := tx.LockOrganization(id); err != nil {
			return err
		}
		_, found, err := tx.Organization(id)
		switch {
		case err != nil:
			return err
		case !found:
			return model.Missing()
		case held:
			return tx.SetHold(id, now)
		}
		return tx.ReleaseHold(id)
	})
}

// sweepHolds erases what was kept for holds that were lifted.
func (s *Service) sweepHolds(ctx context.Context) (erased int, err error) {
	for {
		n, messages := 0, 0
		err := s.store.Update(ctx, func(tx *store.Tx) error {
			n, messages = 0, 0
			id, found, err := tx.ReleasedHold()
			if err != nil || !found {
				return err
			}
			rows, err := tx.HeldMessages(id, model.MessageID{}, sweepBatch)
			if err != nil {
				return err
			}
			messages = len(rows)
			if n = 1 + messages; messages == 0 {
				return tx.FinishHold(id)
			}
			for i := range rows {
				if err := tx.DeleteHeldMessage(&rows[i]); err != nil {
					return err
				}
			}
			return noteKeyEndings(tx, rows)
		})
		if err != nil || n == 0 {
			return erased, err
		}
		s.counts.Erased.Add(int64(messages))
		erased += n
	}
}

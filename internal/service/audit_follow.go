package service

import (
	"context"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
)

// FollowAudit begins to read a part of the audit log from a line on, which leaves a line as
// Audit does: what AuditAfter reads then leaves none. It returns the number after which the
// reader begins: after, or where after is nil that of the newest line. The error is of kind
// Invalid, field `after`, where the log ends before that line: it is not the log that was
// read, or was cut off.
func (s *Service) FollowAudit(ctx context.Context, actor *model.Actor, id model.OrganizationID,
	after *int64) (from int64, err error) {
	err = s.access.Act(ctx, actor, model.ActionAuditRead, func(tx *store.Tx, line *model.AuditEntry) error {
		audit.OnOrganization(line, id)
		if err := s.mayReadAudit(tx, actor, id); err != nil {
			return err
		}
		end, err := auditlog.End(tx, id)
		if from = end; err == nil && after != nil {
			if from = *after; from > end {
				err = model.Invalidf("field_invalid", "after", "The audit log ends before this entry.")
			}
		}
		return err
	})
	return from, err
}

// AuditAfter returns the next lines of a part of the audit log, if the actor may read them at
// that moment, and whether there may be more. It leaves no line.
func (s *Service) AuditAfter(ctx context.Context, actor *model.Actor, id model.OrganizationID, after int64,
	limit int) (lines []auditlog.Row, more bool, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		if err = s.mayReadAudit(tx, actor, id); err == nil {
			lines, err = auditlog.Entries(tx, auditlog.Query{Chain: id, After: after}, limit)
		}
		return err
	})
	return lines, len(lines) == limit, err
}

// mayReadAudit asks inside a transaction whether the actor may read this part of the log now.
// Operators read that of an organization that was deleted, too.
func (s *Service) mayReadAudit(tx *store.Tx, actor *model.Actor, id model.OrganizationID) error {
	if !actor.Operates() {
		if id == "" {
			return model.NotAllowed()
		}
		if err := actor.MayAdminister(id); err != nil {
			return err
		}
		return s.access.StillAdministers(tx, actor, id)
	}
	if err := s.access.StillOpens(tx, actor); err != nil || id == "" {
		return err
	}
	_, found, err := tx.Organization(id)
	if err == nil && !found {
		found, err = auditlog.HasChain(tx, id)
	}
	if err == nil && !found {
		err = model.Missing()
	}
	return err
}

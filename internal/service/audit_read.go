package service

import (
	"context"
	"time"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
)

// MaxAuditPage is how many lines of the audit log one call reads at most.
const MaxAuditPage = 1000

// AuditPage says which lines of the audit log to read.
type AuditPage struct {
	Limit        int       // 1 to MaxAuditPage
	Before       int64     // the lines before this number, the newest first; 0: from the newest
	After        int64     // the lines after this number, in their order; not together with Before
	Since, Until time.Time // zero: unbounded
	Action       model.AuditAction
	Forward      bool // After is given, 0 being the beginning
}

// Audit reads an organization's part of the audit log: for its administrators and
// for operators, who read that of an organization that was deleted, and the
// platform's (empty), too. The reading leaves a line itself.
func (s *Service) Audit(ctx context.Context, actor *model.Actor, id model.OrganizationID,
	page AuditPage) (lines []auditlog.Row, err error) {
	if id == "" && !actor.Operates() {
		return nil, model.NotAllowed()
	}
	if id != "" {
		if err := actor.MayAdminister(id); err != nil {
			return nil, err
		}
	}
	err = s.access.Act(ctx, actor, model.ActionAuditRead, func(tx *store.Tx, line *model.AuditEntry) error {
		lines = nil
		audit.OnOrganization(line, id)
		if id != "" {
			_, found, err := tx.Organization(id)
			if err == nil && !found {
				found, err = auditlog.HasChain(tx, id)
			}
			if err != nil {
				return err
			}
			if !found {
				return model.Missing()
			}
		}
		lines, err = auditlog.Entries(tx, auditlog.Query{
			Chain: id, After: page.After, Before: page.Before, Since: page.Since, Until: page.Until, Action: page.Action,
			Newest: !page.Forward,
		}, page.Limit)
		return err
	})
	return lines, err
}

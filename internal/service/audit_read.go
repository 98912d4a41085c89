package service

import (
	"context"
	"time"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
)

const (
	// MaxAuditPage is how many lines of the audit log one call reads at most.
	MaxAuditPage = 1000

	// auditWindow is about how many lines of the log a transaction looks at that reads it, and
	// auditWork how many such looks a call takes.
	auditWindow, auditWork = 4000, 5
)

// AuditPage says which lines of the audit log to read.
type AuditPage struct {
	Limit        int       // 1 to MaxAuditPage
	Before       int64     // the lines before this number, the newest first; 0: from the newest
	After        int64     // the lines after this number, in their order; not together with Before
	Since, Until time.Time // zero: unbounded
	Forward      bool      // After is given, 0 being the beginning

	Account string // an address: only lines by this account, or on it; empty: all
	Actions []model.AuditAction
	Outcome string // model.AuditRefused: any but that of an act
	NoReads bool   // without what was only read

	Names bool // with those of whom and what the lines name
}

// AuditFound are the lines of a page.
type AuditFound struct {
	Lines []auditlog.Row
	Next  int64             // the number before which, or after which, the log goes on; 0: here it ends
	Names map[string]string // by token: of what the lines name and the actor may see
}

// Audit reads an organization's part of the audit log: for its administrators and for operators,
// who read that of an organization that was deleted, and the platform's (empty), too. The reading
// leaves a line itself, which comes first: what is read does not hold up whoever writes. A page
// has fewer lines than it may have where it takes long to find them: then Next tells where to go
// on.
func (s *Service) Audit(ctx context.Context, actor *model.Actor, id model.OrganizationID,
	page AuditPage) (found AuditFound, err error) {
	if id == "" && !actor.Operates() {
		return found, model.NotAllowed()
	}
	if id != "" {
		if err := actor.MayAdminister(id); err != nil {
			return found, err
		}
	}
	if page.Names {
		found.Names = map[string]string{}
	}
	span := auditlog.Span{Chain: id, After: page.After, Before: page.Before, Newest: !page.Forward}
	err = s.access.Act(ctx, actor, model.ActionAuditRead, func(tx *store.Tx, line *model.AuditEntry) error {
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
		end, err := auditlog.End(tx, id)
		if span.Before = end + 1; page.Before > 0 {
			span.Before = min(page.Before, end+1)
		}
		return err
	})
	if err != nil {
		return found, err
	}
	filter := auditlog.Filter{Actions: page.Actions, Outcome: page.Outcome, NoReads: page.NoReads}
	if page.Account != "" {
		var known bool
		if filter.About, known, err = s.auditAccount(ctx, actor, page.Account); err != nil || !known {
			return found, err
		}
	}
	if err := s.findAudit(ctx, &found, &filter, span, &page); err != nil || !page.Names {
		return found, err
	}
	found.Names, err = s.namesIn(ctx, actor, found.Lines)
	return found, err
}

// findAudit looks for lines, some at a time.
func (s *Service) findAudit(ctx context.Context, found *AuditFound, filter *auditlog.Filter, span auditlog.Span,
	page *AuditPage) error {
	for look := range auditWork {
		part, err := store.Read(ctx, s.store, func(tx *store.Tx) (part auditlog.Found, err error) {
			if look == 0 {
				if span, err = auditlog.Between(tx, span, page.Since, page.Until); err != nil {
					return part, err
				}
			}
			return auditlog.Find(tx, filter, span, page.Limit-len(found.Lines), auditWindow)
		})
		if err != nil {
			return err
		}
		found.Lines = append(found.Lines, part.Rows...)
		found.Next = 0
		if !part.More {
			return nil
		}
		if span, found.Next = part.Left, part.Left.After; span.Newest {
			found.Next = span.Before
		}
		if len(found.Lines) >= page.Limit {
			return nil
		}
	}
	return nil
}

// auditAccount is whom a filter of the log means. A token is taken as it is, because it may be
// that of an account that was erased; another address names nobody whom the actor does not see.
func (s *Service) auditAccount(ctx context.Context, actor *model.Actor, address string) (id model.AccountID, known bool,
	err error) {
	if id, ok := model.ParseAccountID(address); ok {
		return id, true, nil
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		t, err := s.access.Target(tx, actor, address)
		if model.IsNotFound(err) {
			return nil
		}
		id, known = t.ID, err == nil && actor.MaySee(t.ID, t.Memberships)
		return err
	})
	return id, known, err
}

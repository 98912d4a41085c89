package people

import (
	"context"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/legalhold"
)

// SetHold puts an organization under a legal hold, or lifts it. Only operators do:
// it may be about the organization's administrators. Doing it again changes nothing.
func (p *People) SetHold(ctx context.Context, actor *model.Actor, id model.OrganizationID, held bool) error {
	now := p.now()
	action := model.ActionHoldSet
	if !held {
		action = model.ActionHoldRelease
	}
	err := p.access.Administer(ctx, actor, action, id, func(tx *store.Tx, _ *model.AuditEntry) error {
		if !actor.Operator {
			return model.Forbiddenf("operator_required", "Only an operator sets and lifts a legal hold.")
		}
		if held {
			return legalhold.Set(tx, id, now)
		}
		return legalhold.Release(tx, id)
	})
	if err == nil && !held {
		p.eraseSoon()
	}
	return err
}

package sweep

import (
	"context"
	"time"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// HoldOrganization puts an organization under a legal hold, or lifts it, in the store
// itself and beside servers that use it, for the operator. Doing it again changes nothing.
func HoldOrganization(ctx context.Context, kept *store.Store, now time.Time, id model.OrganizationID, held bool) error {
	line := model.AuditEntry{Time: model.AuditTime{Time: now.UTC()}, Action: model.ActionHoldSet}
	if !held {
		line.Action = model.ActionHoldRelease
	}
	return audit.RecordCommand(ctx, kept, line, func(tx *store.Tx, line *model.AuditEntry) error {
		audit.OnOrganization(line, id)
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

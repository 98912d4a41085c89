package audit

import (
	"context"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
)

// Adopt signs all checkpoints anew, with a key that was made because the one
// before is gone, and notes it in the platform's chain. It returns how many there were:
// none in a store that nothing was signed in. keep is part of the transaction.
func Adopt(
	ctx context.Context, kept *store.Store, key *Key, now time.Time, keep func(*store.Tx) error,
) (adopted int, err error) {
	type end struct {
		chain  model.OrganizationID
		oldest bool
		auditlog.Checkpoint
	}
	var ends []end
	err = kept.View(ctx, func(tx *store.Tx) error {
		ends = nil
		chains, err := auditlog.Chains(tx)
		if err != nil {
			return err
		}
		for _, chain := range chains {
			for _, oldest := range []bool{true, false} {
				c, err := auditlog.CheckpointOf(tx, chain, oldest)
				if err != nil {
					return err
				}
				if c.Number > 0 {
					ends = append(ends, end{chain, oldest, c})
				}
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if len(ends) == 0 && wantNone(ctx, kept) == nil { // at the first start
		return 0, kept.Update(ctx, keep)
	}
	for i := range ends {
		e := &ends[i]
		if e.Note, err = key.Adopt(e.Note, now); err != nil {
			return 0, &Fault{Chain: e.chain, Number: e.Number, Reason: err.Error()}
		}
	}
	line := model.AuditEntry{Time: model.AuditTime{Time: now.UTC()}, Action: model.ActionAuditKey}
	return len(ends), RecordCommand(ctx, kept, line, func(tx *store.Tx, _ *model.AuditEntry) error {
		for _, e := range ends {
			if err := auditlog.PutCheckpoint(tx, e.chain, e.oldest, e.Checkpoint); err != nil {
				return err
			}
		}
		return keep(tx)
	})
}

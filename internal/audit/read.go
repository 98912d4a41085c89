package audit

import (
	"context"
	"time"

	"signet/internal/cache"
	"signet/internal/model"
	"signet/internal/store"
)

// mostReads bounds how many readings are remembered to have their line.
const mostReads = 20_000

// Reads leaves lines of what was read: one for each reader, target and hour, because
// reading the same again and again would fill the log. It is safe for concurrent use.
type Reads struct {
	store *store.Store
	told  *cache.Cache[model.AuditEntry, struct{}] // the lines, of no more than their hour
}

// NewReads returns the lines of what is read of a store.
func NewReads(kept *store.Store) *Reads {
	return &Reads{kept, cache.New[model.AuditEntry, struct{}](mostReads)}
}

// Record adds the line of a reading. on has the action and the target; without a chain the
// line goes into that of the home of the account which was read.
func (r *Reads) Record(ctx context.Context, now time.Time, actor *model.Actor, on model.AuditEntry) error {
	line := NewLine(ctx, now, actor, on.Action)
	line.Chain, line.Organization, line.User, line.Group = on.Chain, on.Organization, on.User, on.Group
	told := line
	told.Time.Time, told.Key, told.Address, told.RequestID = now.Truncate(time.Hour), "", "", ""
	originOf(ctx).recorded = true
	if _, known := r.told.Get(told); known {
		return nil
	}
	version := r.told.Version()
	err := r.store.Update(ctx, func(tx *store.Tx) error {
		e := line
		if e.Chain == "" {
			account, _, err := tx.Account(e.User)
			if err != nil {
				return err
			}
			if err := AtHome(tx, &e, &account); err != nil {
				return err
			}
		}
		return RecordOf(tx, actor, &e)
	})
	if err == nil {
		r.told.Put(version, told, struct{}{}, 1)
	}
	return err
}

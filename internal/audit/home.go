package audit

import (
	"context"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
	"signet/internal/store/quota"
)

// TellHome adds a line like that of an act on an account in one organization to the chain
// of the organization that created the account, if that is another. It says who acted, and
// not with which key or from where, which is the other's own. Nothing but the line of the
// act itself comes after it in a transaction.
//
// What administrators of the other organization do (foreign) has a line for the first act of
// an hour. The rest of the hour is one line with their number, once the hour is over.
func TellHome(tx *store.Tx, actor *model.Actor, line *model.AuditEntry, account *model.Account, foreign bool) error {
	told := *line
	told.Key, told.Address = "", ""
	if err := AtHome(tx, &told, account); err != nil || told.Chain == line.Chain {
		return err
	}
	if foreign {
		acts, err := quota.CountTold(tx, account.ID, line.Organization, line.Time.Time)
		if err != nil || acts > 1 {
			return err
		}
	}
	if line.Chain < told.Chain { // all take the ends of two chains in one order
		if _, err := auditlog.LockHead(tx, line.Chain); err != nil {
			return err
		}
	}
	return RecordOf(tx, actor, &told)
}

// sumUpTold writes how much more was done to accounts, in hours that are over, by
// administrators of other organizations.
func (l *Log) sumUpTold(ctx context.Context, now time.Time) error {
	past, err := store.Read(ctx, l.Store, func(tx *store.Tx) ([]quota.Told, error) { return quota.PastTold(tx, now) })
	if err != nil {
		return err
	}
	for _, told := range past {
		err := l.Store.Update(ctx, func(tx *store.Tx) error {
			deleted, err := quota.DeleteCount(tx, told.Count)
			if err != nil || !deleted { // another server was faster
				return err
			}
			owner, _, err := tx.Account(told.Account)
			if err != nil {
				return err
			}
			line := model.AuditEntry{Time: model.AuditTime{Time: now.UTC()}, Action: model.ActionMore,
				Outcome: model.AuditOK, Times: told.Sent - 1, Organization: told.Organization, User: told.Account}
			if err := AtHome(tx, &line, &owner); err != nil {
				return err
			}
			return Record(tx, &line)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

package audit

import (
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

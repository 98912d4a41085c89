package access

import (
	"slices"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/quota"
)

// foreignPerDay is how much administrators of one organization change of an account that
// another one created, on a day (UTC): its memberships, roles and keys there (contract,
// section 1).
const foreignPerDay = 20

// endings take something away from an account. They are counted, and never refused: nobody
// keeps access because a limit is used up.
var endings = []model.AuditAction{model.ActionMemberRemove, model.ActionRoleRevoke, model.ActionKeyRevoke,
	model.ActionWebhookDelete}

// TellHome notes in the log of the organization that created an account what was done to
// it in another one, which the line names. It refuses what administrators of the other one
// do too often. Nothing but the line of the act itself comes after it in a transaction.
func TellHome(tx *store.Tx, actor *model.Actor, line *model.AuditEntry, account *model.Account) error {
	foreign := actsAbroad(actor, account)
	if foreign {
		done, err := quota.CountMessage(tx, quota.Counter(account.ID, "foreign", string(line.Organization)),
			quota.DayOf(line.Time.Time))
		if err == nil && done > foreignPerDay && !slices.Contains(endings, line.Action) {
			err = model.UntilMidnight("growth_limit",
				"Enough was changed on this day of an account that another organization created.", line.Time.Time)
		}
		if err != nil {
			return err
		}
	}
	return audit.TellHome(tx, actor, line, account, foreign)
}

// actsAbroad reports whether what an actor does to an account is done by neither itself nor
// who administers the organization that created it.
func actsAbroad(actor *model.Actor, account *model.Account) bool {
	return actor.Account != account.ID && !actor.Administers(account.CreatedBy)
}

// QueueSettings tells an account that an actor changed its place in an organization.
func QueueSettings(tx *store.Tx, actor *model.Actor, account *model.Account, organization model.OrganizationID) error {
	if actsAbroad(actor, account) {
		return tx.QueueSettingsOnce(account.ID, organization)
	}
	return tx.QueueSettings(account.ID, organization)
}

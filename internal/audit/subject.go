package audit

import (
	"slices"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
)

// OnOrganization says that a line is about an organization, and belongs to its chain.
func OnOrganization(line *model.AuditEntry, id model.OrganizationID) {
	line.Chain, line.Organization = id, id
}

// OnAccount says that a line is about an account in no particular organization: it
// belongs to the chain of the organization that created the account.
func OnAccount(tx *store.Tx, line *model.AuditEntry, account *model.Account) error {
	line.User = account.ID
	return AtHome(tx, line, account)
}

// AtHome puts a line into the chain of the organization that created an account, or
// the platform's where there is none any more, or no account.
func AtHome(tx *store.Tx, line *model.AuditEntry, account *model.Account) error {
	_, found, err := tx.Organization(account.CreatedBy)
	if found {
		line.Chain = account.CreatedBy
	}
	return err
}

// TellOrganizations adds lines like that of an act on an account to the chains of those of
// its organizations that have none yet, as TellHome does. Nothing but lines of the chain of the
// act itself comes after them in a transaction.
func TellOrganizations(tx *store.Tx, actor *model.Actor, line *model.AuditEntry,
	organizations []model.OrganizationID) error {
	chains := append(slices.Clone(organizations), line.Chain)
	slices.Sort(chains)
	chains = slices.Compact(chains)
	for _, chain := range chains { // all take the ends of chains in one order
		if _, err := auditlog.LockHead(tx, chain); err != nil {
			return err
		}
	}
	for _, chain := range chains {
		if chain == line.Chain {
			continue
		}
		told := *line
		told.Key, told.Address = "", ""
		OnOrganization(&told, chain)
		if err := RecordOf(tx, actor, &told); err != nil {
			return err
		}
	}
	return nil
}

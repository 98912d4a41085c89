package audit

import (
	"signet/internal/model"
	"signet/internal/store"
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
// the platform's where there is none any more.
func AtHome(tx *store.Tx, line *model.AuditEntry, account *model.Account) error {
	if account.CreatedBy == "" {
		return nil
	}
	_, found, err := tx.Organization(account.CreatedBy)
	if found {
		line.Chain = account.CreatedBy
	}
	return err
}

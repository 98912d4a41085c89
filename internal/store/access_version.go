package store

import (
	"slices"

	"signet/internal/model"
)

// AccessVersion is the number of an account's access: of its keys, its places in organizations,
// and whether it is disabled. Whatever takes some of these away replaces the number, in the same
// transaction (NoteAccess). So who has read them together with the number, and finds the same one in
// a transaction of its own, need not read them once more.
//
//   - A View finds the number in the snapshot in which it reads the rest (AskAccess).
//   - A transaction that takes a position of the account finds it as it stays until the end
//     (AskPositionAndAccess): on PostgreSQL it lies in the row of the account's queue, which both
//     lock. The embedded store has one writer, and one number for all accounts.
//   - Any other transaction finds it as it is at that moment, as it would find the rest.
//
// What only gives access keeps the number, since nobody is refused anything for what is remembered.
// An organization that ends changes the numbers of nobody at once, as its members are perhaps very
// many: whoever relies on a number also asks which organizations have ended (AskEnded). They are in
// the list until all their members have other numbers, and nobody has a key of their scope.
//
// Rows that somebody changes by hand keep the number. So it is relied on for a moment only.
type AccessVersion struct {
	Account model.AccountID
	Number  int64 // 0: it is not known, and the same as no other
}

// AskAccess asks for an account's number, which is there after Await.
func (tx *Tx) AskAccess(access *AccessVersion) error {
	if tx.fault != nil {
		return tx.fault
	}
	return tx.session.AskAccess(access)
}

// AskPositionAndAccess is AskPosition with the numbers of some of the accounts, which are there
// after Await.
func (tx *Tx) AskPositionAndAccess(first *int64, accounts []model.AccountID, access ...*AccessVersion) error {
	err := tx.session.AskPosition(accounts, 1, first, access...)
	if err == nil {
		tx.change.queued(accounts)
	}
	return err
}

// AskEnded asks for one of these organizations that has ended and is being erased. Where one
// number is all accounts', that is in the number, and nothing is found.
func (tx *Tx) AskEnded(organizations []model.OrganizationID) (*Asked[model.OrganizationID], error) {
	if tx.Alone() || len(organizations) == 0 {
		return new(Asked[model.OrganizationID]), nil
	}
	return AskFirst(tx, `SELECT organization FROM organization_erasures WHERE organization IN (?*)`,
		[]any{organizations}, func(id *model.OrganizationID, row Row) error { return row.Scan(id) })
}

// RaiseAccess gives accounts other numbers, and tells no server. It locks their queues: whoever locks
// rows that come after these locks the queues beforehand.
func (tx *Tx) RaiseAccess(accounts ...model.AccountID) error {
	if !tx.Alone() { // nobody has the number of the account of zeros, which stands for all
		accounts = slices.DeleteFunc(slices.Clone(accounts), model.AccountID.IsZero)
	}
	if len(accounts) == 0 {
		return nil
	}
	return tx.session.ChangeAccess(accounts)
}

package store

import "signet/internal/model"

// An engine with one writer runs its transactions one after the other, and all of
// this does nothing there. On the others, what a transaction reads may change before
// it writes, unless it locks a row that the transaction which changes it must lock
// too:
//
//   - an organization's row: who belongs to it, and with which roles
//   - a group's row: what it is and who is in it
//   - a message's row: its statuses and copies, its recall and its end; one that changes
//     nothing but its own account's copy shares the row, and locks that copy with it
//   - an account's queue (Position): what is queued for it, and its access: its keys,
//     its places in organizations, whether it is disabled (AccessVersion); one that locks
//     it may read that, until it ends
//
// Rows are taken in this order, those of one kind by their keys, so that no two
// transactions wait for each other; after them come counters, deliveries, conversations
// and members, streams and the rest, and last of all the end of one chain of the audit
// log (auditlog.LockHead; an organization's before the platform's). A new organization's
// number (a row of meta) is taken right after its row, which nobody else has yet. A node
// that has lapsed (presence.LapsedNode) is taken before the queues of those who had streams on it.
// Where two meet in another order all the same, the engine ends one of them and runs it
// again.

// Locks reports whether rows have to be locked at all.
func (tx *Tx) Locks() bool { return tx.dialect.Lock != "" }

// lock posts a SELECT that locks rows.
func (tx *Tx) lock(query string, args ...any) error {
	if !tx.Locks() {
		return nil
	}
	return tx.Post(query, args...)
}

// LockOrganization locks an organization's row. A transaction that changes its
// members, their roles or its settings calls it.
func (tx *Tx) LockOrganization(id model.OrganizationID) error {
	return tx.lock(`SELECT 1 FROM organizations WHERE organization = ? `+tx.dialect.Lock, id)
}

// ShareOrganization keeps the members of an organization in it until the transaction
// ends. Several transactions may share one. A transaction that relies on the members, or
// adds a new account, calls it.
func (tx *Tx) ShareOrganization(id model.OrganizationID) error {
	return tx.lock(`SELECT 1 FROM organizations WHERE organization = ? `+tx.dialect.Share, id)
}

// ShareOrganizations returns those of the organizations that were not deleted, in their order,
// and keeps these until the transaction ends. A transaction that writes what an erasure of theirs
// is to find, or removes what a legal hold would keep, calls it.
func (tx *Tx) ShareOrganizations(ids []model.OrganizationID) ([]model.OrganizationID, error) {
	return Column[model.OrganizationID](tx, `SELECT organization FROM organizations WHERE organization IN (?*)
		ORDER BY organization `+tx.dialect.Share, ids)
}

// LockGroup locks a group's row, and keeps the members of its organization in it. A
// transaction that changes the group calls it.
func (tx *Tx) LockGroup(id model.GroupID) error {
	err := tx.lock(
		`SELECT 1 FROM organizations WHERE organization IN (SELECT organization FROM groups WHERE group_token = ?) `+
			tx.dialect.Share, id)
	if err != nil {
		return err
	}
	return tx.LockGroups(id)
}

// LockGroups locks the rows of groups.
func (tx *Tx) LockGroups(ids ...model.GroupID) error {
	return tx.lock(`SELECT 1 FROM groups WHERE group_token IN (?*) ORDER BY group_token `+tx.dialect.Lock, ids)
}

// LockMessages locks the rows of those of the messages that are in one of the
// organizations.
func (tx *Tx) LockMessages(organizations []model.OrganizationID, ids ...model.MessageID) error {
	return tx.lock(`SELECT 1 FROM messages WHERE organization_number IN (?*) AND message IN (?*) ORDER BY message `+
		tx.dialect.Lock, tx.numberedList(organizations), ids)
}

// LockCopies locks an account's copies of those of the messages that are in one of the organizations, and keeps
// the messages as they are. Others may lock theirs meanwhile, unless one of the messages ends, or stops escalating,
// with what one of its readers does: then all are locked as by LockMessages, in one order.
func (tx *Tx) LockCopies(account model.AccountID, organizations []model.OrganizationID, ids ...model.MessageID) error {
	if !tx.Locks() {
		return nil
	}
	numbers := tx.numberedList(organizations)
	err := tx.lock(`SELECT 1 FROM messages WHERE organization_number IN (?*) AND message IN (?*)
		AND EXISTS (SELECT 1 FROM messages e WHERE e.organization_number IN (?*) AND e.message IN (?*)
			AND (e.dor = 1 OR LENGTH(e.escalation) > 0)) ORDER BY message `+tx.dialect.Lock, numbers, ids, numbers, ids)
	if err != nil {
		return err
	}
	return tx.lock(`SELECT 1 FROM messages m CROSS JOIN deliveries d
		WHERE m.organization_number IN (?*) AND m.message IN (?*)
		AND d.organization_number = m.organization_number AND d.message = m.message AND d.account = ?
		ORDER BY m.message `+tx.dialect.Share+` OF m `+tx.dialect.Lock+` OF d`, numbers, ids, account)
}

// LockQueues locks the queues of accounts. A transaction that takes positions for
// some of them first and for others later calls it.
func (tx *Tx) LockQueues(accounts ...model.AccountID) error {
	if !tx.Locks() {
		return nil
	}
	return tx.AskPosition(new(int64), 1, accounts...) // nobody needs it
}

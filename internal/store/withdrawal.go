package store

import "signet/internal/model"

// atOnce is how long a queue may be of which something is withdrawn in the transaction
// itself. In a longer one it is marked, and removed in pieces.
const atOnce = 500

// anyOrganization stands for all organizations, and for none, in a Withdrawal.
const anyOrganization = -1

// Withdrawal is a part of an account's queue that is out of it: all events up to a position,
// or only those among them that are about an organization.
type Withdrawal struct {
	Account  model.AccountID
	Entity   model.EntityID // only the messages of the conversation with it; zero: everything
	Position int64

	number any // of the organization, or anyOrganization
}

// standing leaves out what is withdrawn and still lies in a queue. Its argument is the
// account. Most have nothing of the kind, which is asked once for all rows. A conversation
// is not left out, since whose a message is does not lie with the event: the call that
// withdraws it waits until it is removed. Nor is anything of a deleted organization left in.
const standing = ` AND (NOT EXISTS (SELECT 1 FROM withdrawals WHERE account = ?)
	OR NOT EXISTS (SELECT 1 FROM withdrawals w WHERE w.account = e.account AND w.position >= e.position
		AND w.organization_number IN (-1, e.organization_number) AND LENGTH(w.entity) = 0))
	AND (NOT EXISTS (SELECT 1 FROM organization_erasures) OR e.organization_number NOT IN (SELECT n.number
		FROM organization_erasures x JOIN organization_numbers n ON n.organization = x.organization))`

// WithdrawAll empties an account's queue up to a position, or takes out of it what is within a
// scope. Of notices it takes only those past the position notices.
func (tx *Tx) WithdrawAll(account model.AccountID, scope model.OrganizationID, notices, position int64) error {
	w := Withdrawal{Account: account, Position: position, number: int64(anyOrganization)}
	if scope == "" {
		_, err := tx.withdraw(&w)
		return err
	}
	w.number = tx.Existing(scope)
	if _, err := tx.withdraw(&w); err != nil {
		return err
	}
	w.number = int64(0) // what is the account's own
	if _, err := tx.withdraw(&w); err != nil {
		return err
	}
	return tx.withdrawNotices(account, notices, position)
}

// WithdrawEventsOf withdraws what is queued for an account about an organization, up to a
// position.
func (tx *Tx) WithdrawEventsOf(account model.AccountID, organization model.OrganizationID, position int64) error {
	_, err := tx.withdraw(&Withdrawal{Account: account, Position: position, number: tx.Existing(organization)})
	return err
}

// WithdrawConversation withdraws the messages that an account got from another one, or of a
// group, in an organization, up to a position. It returns what is left to be removed; nil:
// nothing is.
func (tx *Tx) WithdrawConversation(account model.AccountID, organization model.OrganizationID, entity model.EntityID,
	position int64) (left *Withdrawal, err error) {
	w := &Withdrawal{Account: account, Position: position, number: tx.Existing(organization), Entity: entity}
	if done, err := tx.withdraw(w); err != nil || done {
		return nil, err
	}
	return w, nil
}

// withdraw takes out of a queue that is short enough what is withdrawn. In a longer one it is
// marked.
func (tx *Tx) withdraw(w *Withdrawal) (done bool, err error) {
	tx.NoteWithdrawn()
	var one int64
	long, err := tx.One(`SELECT 1 FROM `+EventsAndKept+` WHERE e.account = ? LIMIT 1 OFFSET ? + 0`,
		[]any{w.Account, atOnce}, &one)
	if err != nil {
		return false, err
	}
	if long {
		return false, tx.markWithdrawn(w)
	}
	positions, err := tx.Withdrawn(w, 0, atOnce)
	if err != nil {
		return false, err
	}
	return true, tx.RemoveEvents(w.Account, positions)
}

// MarkEventsOf marks what is queued for accounts about an organization, up to a position, as
// withdrawn, without a look at how long their queues are.
func (tx *Tx) MarkEventsOf(accounts []model.AccountID, organization model.OrganizationID, position int64) error {
	if len(accounts) == 0 {
		return nil
	}
	tx.NoteWithdrawn()
	number := tx.Existing(organization)
	for _, account := range accounts {
		if err := tx.markWithdrawn(&Withdrawal{Account: account, Position: position, number: number}); err != nil {
			return err
		}
	}
	return nil
}

// markWithdrawn notes what is out of a queue and still lies there.
func (tx *Tx) markWithdrawn(w *Withdrawal) error {
	err := tx.Post(`INSERT INTO withdrawals (account, organization_number, entity, position) VALUES (?, ?, ?, ?)
		ON CONFLICT (account, organization_number, entity) DO UPDATE SET position = excluded.position`,
		w.Account, w.number, Optional(w.Entity), w.Position)
	if err != nil {
		return err
	}
	return tx.NoteJob(&Job{Kind: Withdraw, Subject: w.Account[:]})
}

// Withdrawals returns the withdrawals of an account whose events may still lie in its queue.
func (tx *Tx) Withdrawals(account model.AccountID) ([]Withdrawal, error) {
	return List(tx, `SELECT account, organization_number, entity, position FROM withdrawals WHERE account = ?
		ORDER BY organization_number, entity`, []any{account}, func(w *Withdrawal, row Row) error {
		var entity []byte
		var number int64
		err := row.Scan(&w.Account, &number, &entity, &w.Position)
		w.number = number
		copy(w.Entity[:], entity)
		return err
	})
}

// Withdrawn returns the first positions after one of what is withdrawn and still lies in
// the queue.
func (tx *Tx) Withdrawn(w *Withdrawal, after int64, limit int) (positions []int64, err error) {
	query := `SELECT e.position FROM ` + EventsAndKept + ` WHERE e.account = ? AND e.position > ? AND e.position <= ?
		AND (? = -1 OR e.organization_number = ?)`
	args := []any{w.Account, after, w.Position, w.number, w.number}
	if !w.Entity.IsZero() {
		query += ` AND e.kind IN (1, 2) AND EXISTS (SELECT 1 FROM messages m
			WHERE m.organization_number = e.organization_number AND m.message = e.message
			AND CASE m.is_group WHEN 1 THEN m.recipient ELSE m.sender END = ?)`
		args = append(args, w.Entity)
	}
	return Column[int64](tx, query+` ORDER BY e.position LIMIT ? + 0`, append(args, limit)...)
}

// FinishWithdrawal forgets a withdrawal of which nothing lies in the queue any more. The
// queue is locked.
func (tx *Tx) FinishWithdrawal(w *Withdrawal) error {
	return tx.Post(`DELETE FROM withdrawals WHERE account = ? AND organization_number = ? AND entity = ? AND position = ?`,
		w.Account, w.number, Optional(w.Entity), w.Position)
}

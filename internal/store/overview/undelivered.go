package overview

import (
	"signet/internal/model"
	"signet/internal/store"
)

// newInQueue selects the events of a queue, up to a position, that bring a message of an
// organization which the reader has not got: the status of a copy lies with its event.
const newInQueue = `e.position <= ? AND e.organization_number = ? AND e.kind IN (1, 2) AND e.status = 0`

// WithUndelivered returns those of the accounts that have such a message in their queue, in
// no particular order.
func WithUndelivered(tx *store.Tx, organization model.OrganizationID, accounts []model.AccountID,
	upTo int64) ([]model.AccountID, error) {
	// By way of the accounts, so that a long queue is read to the first of these messages only.
	return store.Column[model.AccountID](tx, `SELECT a.account FROM accounts a WHERE a.account IN (?*) AND EXISTS (SELECT 1 FROM events e
		WHERE e.account = a.account AND `+newInQueue+`)`, accounts, upTo, tx.Numbered(organization))
}

// QueuedMessage is a message in a queue.
type QueuedMessage struct {
	Position int64
	Message  model.MessageID
}

// Undelivered lists up to limit such messages in an account's queue after a position. A copy
// that came with a group's history is none.
func Undelivered(tx *store.Tx, account model.AccountID, organization model.OrganizationID, after, upTo int64,
	limit int) ([]QueuedMessage, error) {
	// CROSS JOIN has SQLite begin with the queue.
	return store.List(tx, `SELECT e.position, e.message FROM events e CROSS JOIN deliveries d WHERE e.account = ?
		AND e.position > ? AND `+newInQueue+` AND d.organization_number = e.organization_number
		AND d.message = e.message AND d.account = e.account AND d.replayed = 0 ORDER BY e.position LIMIT ? + 0`,
		[]any{account, after, upTo, tx.Numbered(organization), limit}, func(m *QueuedMessage, row store.Row) error {
			return row.Scan(&m.Position, &m.Message)
		})
}

// NewCopies is how many have a message New.
type NewCopies struct {
	All    int
	Before int // of them, accounts before the one asked for
}

// CountNew returns those of messages of an organization; one that nobody has New is left
// out.
func CountNew(tx *store.Tx, organization model.OrganizationID, account model.AccountID,
	messages []model.MessageID) (map[model.MessageID]NewCopies, error) {
	out := make(map[model.MessageID]NewCopies, len(messages))
	err := tx.Query(`SELECT message, COUNT(*), SUM(CASE WHEN account < ? THEN 1 ELSE 0 END) FROM deliveries
		WHERE organization_number = ? AND message IN (?*) AND status = 0 AND replayed = 0 GROUP BY message`,
		[]any{account, tx.Numbered(organization), messages}, func(row store.Row) error {
			var id model.MessageID
			var n NewCopies
			err := row.Scan(&id, &n.All, &n.Before)
			out[id] = n
			return err
		})
	return out, err
}

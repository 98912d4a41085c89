package store

import (
	"time"

	"signet/internal/model"
)

// Backlog is what has ended and is not removed yet. Counts end at a limit.
type Backlog struct {
	Messages      int       // that have ended
	Oldest        time.Time // when the earliest of them ended; zero: there is none
	Files         int       // that nothing refers to any more
	Organizations int       // deleted
	Keys          int       // days whose keys may go
	Queues        int       // parts of queues that are withdrawn
	Work          Work      // what calls left to be done in pieces
}

// Backlog counts what a sweep at this time would remove, each up to a limit.
func (tx *Tx) Backlog(now time.Time, limit int) (b Backlog, err error) {
	var oldest int64
	_, err = tx.One(
		`SELECT COUNT(*), COALESCE(MIN(ended.ends), 0) FROM (SELECT ends FROM messages WHERE ends <= ? ORDER BY ends
			LIMIT ? + 0) ended`,
		[]any{millis(now), limit}, &b.Messages, &oldest)
	if err != nil {
		return b, err
	}
	b.Oldest = FromMillis(oldest)
	if _, err = tx.One(`SELECT COUNT(*) FROM (SELECT blob FROM erasures LIMIT ? + 0) few`, []any{limit},
		&b.Files); err != nil {
		return b, err
	}
	if _, err = tx.One(`SELECT COUNT(*) FROM organization_erasures`, nil, &b.Organizations); err != nil {
		return b, err
	}
	if _, err = tx.One(`SELECT COUNT(*) FROM (SELECT day FROM key_endings LIMIT ? + 0) few`, []any{limit},
		&b.Keys); err != nil {
		return b, err
	}
	if _, err = tx.One(`SELECT COUNT(*) FROM (SELECT account FROM withdrawals LIMIT ? + 0) few`, []any{limit},
		&b.Queues); err != nil {
		return b, err
	}
	b.Work, err = tx.WorkLeft()
	return b, err
}

// QueueLength is how much an account has in its queue.
type QueueLength struct {
	Account model.AccountID
	Events  int
	First   int64 // the position of the oldest
}

// QueuesIn returns how much accounts have queued of one organization, in their order; of
// those that have nothing there is none. It reads all that they have queued.
func (tx *Tx) QueuesIn(organization model.OrganizationID, accounts []model.AccountID) ([]QueueLength, error) {
	return tx.queueLengths(`SELECT account, COUNT(*), MIN(position) FROM events WHERE account IN (?*)
		AND organization_number = ? GROUP BY account ORDER BY account`, accounts, tx.Numbered(organization))
}

// QueueLengths returns those of the accounts that have something queued, up to limit of
// them after the given one, in their order. It reads all that they have queued.
func (tx *Tx) QueueLengths(after model.AccountID, limit int) ([]QueueLength, error) {
	return tx.queueLengths(
		`SELECT account, COUNT(*), MIN(position) FROM events WHERE account > ? GROUP BY account ORDER BY account LIMIT ? + 0`,
		after, limit)
}

func (tx *Tx) queueLengths(query string, args ...any) (out []QueueLength, err error) {
	err = tx.Query(query, args, func(row Row) error {
		var q QueueLength
		err := row.Scan(&q.Account, &q.Events, &q.First)
		out = append(out, q)
		return err
	})
	return out, err
}

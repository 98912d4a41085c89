package overview

import (
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Backlog is what has ended and is not removed yet. Counts end at a limit.
type Backlog struct {
	Messages      int       // that have ended
	Oldest        time.Time // when the earliest of them ended; zero: there is none
	Files         int       // that nothing refers to any more
	Organizations int       // deleted
	Accounts      int       // that are being erased
	Keys          int       // days whose keys may go
	Queues        int       // parts of queues that are withdrawn
	Work          Work      // what calls left to be done in pieces
	Escalations   int       // that are open: what is still to happen to them
	Rotas         int       // of groups, which go on
	Vacant        int       // of these, those by which nobody is on duty
	Failing       int       // webhooks whose last try failed, and that are tried again
	FailingSince  time.Time // when the first of them began to fail; zero: there is none
}

// BacklogAt counts what a sweep at this time would remove, each up to a limit.
func BacklogAt(tx *store.Tx, now time.Time, limit int) (b Backlog, err error) {
	var oldest int64
	_, err = tx.One(
		`SELECT COUNT(*), COALESCE(MIN(ended.ends), 0) FROM (SELECT ends FROM messages WHERE ends <= ? ORDER BY ends
			LIMIT ? + 0) ended`,
		[]any{now.UnixMilli(), limit}, &b.Messages, &oldest)
	if err != nil {
		return b, err
	}
	b.Oldest = store.FromMillis(oldest)
	if _, err = tx.One(`SELECT COUNT(*) FROM (SELECT blob FROM erasures LIMIT ? + 0) few`, []any{limit},
		&b.Files); err != nil {
		return b, err
	}
	if _, err = tx.One(`SELECT COUNT(*) FROM organization_erasures`, nil, &b.Organizations); err != nil {
		return b, err
	}
	if _, err = tx.One(`SELECT COUNT(*) FROM account_erasures`, nil, &b.Accounts); err != nil {
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
	if _, err = tx.One(`SELECT COUNT(*) FROM (SELECT message FROM escalations WHERE state = 0 LIMIT ? + 0) few`,
		[]any{limit}, &b.Escalations); err != nil {
		return b, err
	}
	if _, err = tx.One(`SELECT COUNT(*), COALESCE(SUM(vacant), 0) FROM rotas`, nil, &b.Rotas, &b.Vacant); err != nil {
		return b, err
	}
	if b.Failing, b.FailingSince, err = failing(tx, limit); err != nil {
		return b, err
	}
	b.Work, err = WorkLeft(tx)
	return b, err
}

// failing counts the webhooks that failed last, and are tried again.
func failing(tx *store.Tx, limit int) (n int, since time.Time, err error) {
	var first int64
	_, err = tx.One(`SELECT COUNT(*), COALESCE(MIN(failing_since), 0) FROM (SELECT failing_since FROM webhooks
		WHERE failing_since > 0 AND enabled = 1 AND run <> 0 ORDER BY failing_since LIMIT ? + 0) failing`, []any{limit},
		&n, &first)
	return n, store.FromMillis(first), err
}

// QueueLength is how much an account has in its queue.
type QueueLength struct {
	Account model.AccountID
	Events  int
	First   int64 // the position of the oldest
}

// QueuesIn returns how much accounts have queued of one organization, in their order; of
// those that have nothing there is none. It reads all that they have queued.
func QueuesIn(tx *store.Tx, organization model.OrganizationID, accounts []model.AccountID) ([]QueueLength, error) {
	return store.List(tx, `SELECT account, COUNT(*), MIN(position) FROM events WHERE account IN (?*)
		AND organization_number = ? GROUP BY account ORDER BY account`, []any{accounts, tx.Numbered(organization)},
		scanQueueLength)
}

// QueueLengths returns those of the accounts that have something queued, up to limit of
// them after the given one, in their order. It reads all that they have queued.
func QueueLengths(tx *store.Tx, after model.AccountID, limit int) ([]QueueLength, error) {
	return store.List(tx, `SELECT account, COUNT(*), MIN(position) FROM events WHERE account > ?
		GROUP BY account ORDER BY account LIMIT ? + 0`, []any{after, limit}, scanQueueLength)
}

// ReaderUse is how an account used the keys that no sign-in issued, as programs have.
type ReaderUse struct {
	Since time.Time // when the oldest of these keys was made
	Last  time.Time // when one of them was used last
}

// ReaderUses returns how accounts used such keys. Of an account that is disabled, or has used none,
// there is nothing.
func ReaderUses(tx *store.Tx, accounts []model.AccountID) (map[model.AccountID]ReaderUse, error) {
	uses := map[model.AccountID]ReaderUse{}
	err := tx.Query(`SELECT k.account, MIN(k.created), MAX(k.last_used) FROM keys k
		JOIN accounts a ON a.account = k.account
		WHERE k.account IN (?*) AND k.login = 0 AND k.last_used > 0 AND a.disabled = 0 GROUP BY k.account`,
		[]any{accounts}, func(row store.Row) error {
			var account model.AccountID
			var since, last int64
			err := row.Scan(&account, &since, &last)
			uses[account] = ReaderUse{Since: store.FromMillis(since), Last: store.FromMillis(last)}
			return err
		})
	return uses, err
}

func scanQueueLength(q *QueueLength, row store.Row) error {
	return row.Scan(&q.Account, &q.Events, &q.First)
}

// Work is what transactions left to be done in pieces.
type Work struct {
	Pieces    int
	Histories int       // members that still get a group's earlier messages
	Oldest    time.Time // when the oldest piece was noted; zero: there is none
}

// WorkLeft counts it.
func WorkLeft(tx *store.Tx) (w Work, err error) {
	var oldest int64
	if _, err = tx.One(`SELECT COUNT(*), COALESCE(MIN(noted), 0) FROM pieces`, nil, &w.Pieces, &oldest); err != nil {
		return w, err
	}
	w.Oldest = store.FromMillis(oldest)
	_, err = tx.One(`SELECT COUNT(*) FROM group_members WHERE history > 0`, nil, &w.Histories)
	return w, err
}

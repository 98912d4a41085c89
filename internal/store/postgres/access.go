package postgres

import (
	"math"
	"math/rand/v2"

	"signet/internal/model"
	"signet/internal/store"
)

// The number of an account's access (store.AccessVersion) lies in its row of engine_queues, which
// whoever takes a position for the account locks too. So a transaction that holds positions
// comes before a change as a whole, or after it.
//
// Numbers are random, and not counted: an account whose row was forgotten and is made again, or a
// database that was set back to an earlier state, would count over the same numbers once more.
const (
	// changeAccess makes rows that are not there: a change has to wait for a transaction
	// which is about to make one, and has read what is changed.
	changeAccess = `INSERT INTO engine_queues (account, last, access) SELECT account, 0, ? FROM unnest(?*) AS account
		ORDER BY account
		ON CONFLICT (account) DO UPDATE SET access = excluded.access`

	accessNumber = `SELECT access FROM engine_queues WHERE account = ?`

	// firstAccess is the number of a row that is made.
	firstAccess = `1 + FLOOR(RANDOM() * 9000000000000000)::BIGINT`
)

// newAccess is a number that no account has, or had, or will have.
func newAccess() int64 { return 1 + rand.Int64N(math.MaxInt64) }

// AskAccess asks for an account's number, which is not known where it has no row.
func (s *session) AskAccess(access *store.AccessVersion) error {
	access.Number = 0
	return s.Ask(accessNumber, []any{access.Account}, scanAccess(access))
}

func scanAccess(access *store.AccessVersion) func(store.Row) error {
	return func(r store.Row) error { return r.Scan(&access.Number) }
}

// ChangeAccess gives accounts another number.
func (s *session) ChangeAccess(accounts []model.AccountID) error {
	return s.Post(changeAccess, newAccess(), inOrder(accounts))
}

// AskAccess asks for an account's number as the session does.
func (m *memberSession) AskAccess(access *store.AccessVersion) error {
	access.Number = 0
	return m.Ask(accessNumber, []any{access.Account}, scanAccess(access))
}

// ChangeAccess gives accounts another number as the session does.
func (m *memberSession) ChangeAccess(accounts []model.AccountID) error {
	return m.Post(changeAccess, newAccess(), inOrder(accounts))
}

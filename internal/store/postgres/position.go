package postgres

import (
	"fmt"
	"slices"

	"signet/internal/model"
	"signet/internal/store"
)

// The rows of engine_queues hold the last position of each account's queue. A
// transaction that takes positions locks the rows until it ends, so that numbers
// become visible in the order in which they were handed out. Rows are locked in
// the order of the accounts, so that two transactions never wait for each other.
const (
	// advanceOne takes positions for one account, and makes its row if need be.
	advanceOne = `INSERT INTO engine_queues AS q (account, last) VALUES (?, ? + ? - 1)
		ON CONFLICT (account) DO UPDATE SET last = GREATEST(q.last + 1, ?) + ? - 1 RETURNING last`

	// advanceAll takes the same positions for several accounts whose rows are there.
	advanceAll = `WITH locked AS MATERIALIZED (
			SELECT last FROM engine_queues WHERE account IN (?*) ORDER BY account FOR UPDATE
		), top AS MATERIALIZED (SELECT COUNT(*) AS found, GREATEST(MAX(last) + 1, ?) + ? - 1 AS last FROM locked)
		UPDATE engine_queues AS q SET last = top.last FROM top WHERE q.account IN (?*) AND top.found = ? RETURNING q.last`

	// raise brings an account that got smaller ones up to the last one of all.
	raise = `UPDATE engine_queues SET last = ? WHERE account = ?`

	forgetQueue = `DELETE FROM engine_queues WHERE account = ?`

	makeQueues = `INSERT INTO engine_queues (account, last) SELECT account, 0 FROM unnest(?*) AS account ORDER BY account
		ON CONFLICT (account) DO NOTHING`
)

// few is up to how many accounts are each asked for in a statement of their own,
// all in one pipeline: their plans are simpler than that for any number.
const few = 8

// Position hands out n consecutive numbers, greater than all that were handed out
// for any of the accounts, and keeps others from taking any for them until the
// transaction has ended.
func (s *session) Position(accounts []model.AccountID, n int) (int64, error) {
	switch {
	case s.ended:
		return 0, errEnded
	case !s.write:
		return 0, errReadOnly
	case n < 1:
		return 0, fmt.Errorf("%d positions were asked for", n)
	}
	accounts = slices.Clone(accounts)
	slices.SortFunc(accounts, func(a, b model.AccountID) int { return slices.Compare(a[:], b[:]) })
	accounts = slices.Compact(accounts)
	// What this transaction took before for others counts too, so that its own
	// numbers grow.
	least := max(s.engine.clock().UnixMicro(), s.position+1)
	last, err := s.advance(accounts, least, n)
	if err != nil {
		return 0, fmt.Errorf("take positions: %w", err)
	}
	s.position = last
	return last - int64(n) + 1, nil
}

// Committed calls nothing: other servers queue too.
func (s *session) Committed(_, _ func()) {}

// Forget removes the last position of an account that is gone for good.
func (s *session) Forget(account model.AccountID) error { return s.Post(forgetQueue, account) }

// advance returns the last of n positions, none of them below least.
func (s *session) advance(accounts []model.AccountID, least int64, n int) (last int64, err error) {
	if len(accounts) == 0 {
		return least + int64(n) - 1, nil
	}
	if len(accounts) <= few {
		return s.advanceEach(accounts, least, n)
	}
	take := func(r store.Row) error { return r.Scan(&last) }
	for range 2 {
		err := s.Query(advanceAll, []any{accounts, least, n, accounts, len(accounts)}, take)
		if err != nil || last != 0 {
			return last, err
		}
		if _, err := s.Exec(makeQueues, accounts); err != nil {
			return 0, err
		}
	}
	return 0, fmt.Errorf("the queues of %d accounts cannot be made", len(accounts))
}

// advanceEach is advance for a few accounts. Nearly always they are all behind the
// clock, and get the same.
func (s *session) advanceEach(accounts []model.AccountID, least int64, n int) (last int64, err error) {
	var lasts [few]int64
	for i, account := range accounts {
		err := s.ask(advanceOne, []any{account, least, n, least, n}, func(r store.Row) error { return r.Scan(&lasts[i]) })
		if err != nil {
			return 0, err
		}
	}
	if err := s.exchange(); err != nil {
		return 0, err
	}
	last = slices.Max(lasts[:])
	for i, account := range accounts {
		if lasts[i] < last {
			if err := s.Post(raise, last, account); err != nil {
				return 0, err
			}
		}
	}
	return last, nil
}

package postgres

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"signet/internal/model"
	"signet/internal/store"
)

// The rows of engine_queues hold the last position of each account's queue, and the
// number of its access (access.go). A transaction that takes positions locks the rows
// until it ends, so that numbers become visible in the order in which they were handed
// out. Rows are locked in the order of the accounts, so that two transactions never wait
// for each other.
const (
	// advanceOne takes positions for one account, and makes its row if need be.
	advanceOne = `INSERT INTO engine_queues AS q (account, last) VALUES (?, ? + ? - 1)
		ON CONFLICT (account) DO UPDATE SET last = GREATEST(q.last + 1, ?) + ? - 1 RETURNING account, last, access`

	// advanceAll is advanceOne for several accounts.
	advanceAll = `INSERT INTO engine_queues AS q (account, last) SELECT account, ? + ? - 1 FROM unnest(?*) AS account
		ORDER BY account
		ON CONFLICT (account) DO UPDATE SET last = GREATEST(q.last + 1, ?) + ? - 1 RETURNING account, last, access`

	// raise brings those that got smaller ones up to the last one of all.
	raise = `UPDATE engine_queues SET last = ? WHERE account IN (?*) AND last < ?`

	lastPositions = `SELECT account, last FROM engine_queues WHERE account IN (?*)`

	lastPosition = `SELECT last FROM engine_queues WHERE account = ?`

	forgetQueue = `DELETE FROM engine_queues WHERE account = ?`
)

// few is up to how many accounts are each asked for in a statement of their own,
// all in one pipeline: their plans are simpler than that for any number.
const few = 8

// Position hands out n consecutive numbers, greater than all that were handed out
// for any of the accounts, and keeps others from taking any for them until the
// transaction has ended.
func (s *session) Position(accounts []model.AccountID, n int) (first int64, err error) {
	if err = s.AskPosition(accounts, n, &first); err == nil {
		err = s.Await()
	}
	if err != nil {
		return 0, fmt.Errorf("take positions: %w", err)
	}
	return first, nil
}

// AskPosition is Position of which the number comes with the next exchange.
func (s *session) AskPosition(accounts []model.AccountID, n int, first *int64, access ...*store.AccessVersion) error {
	return s.take(accounts, n, access, func(got int64) { *first = got })
}

// take tells the first of n numbers, once it is known, and what the access of accounts among
// these has.
func (s *session) take(accounts []model.AccountID, n int, access []*store.AccessVersion,
	tell func(first int64)) error {
	switch {
	case s.ended:
		return errEnded
	case !s.write:
		return errReadOnly
	case n < 1:
		return fmt.Errorf("%d positions were asked for", n)
	}
	if s.taken != nil { // which are to be smaller
		if err := s.exchange(); err != nil {
			return err
		}
	}
	accounts = inOrder(accounts)
	s.queues = len(accounts)
	// What this transaction took before for others counts too, so that its own
	// numbers grow.
	least := max(s.engine.clock().UnixMicro(), s.position+1)
	return s.advance(accounts, least, n, access, func(last int64) {
		s.position = last
		tell(last - int64(n) + 1)
	})
}

// inOrder returns accounts in the order in which their rows are locked, each once.
func inOrder(accounts []model.AccountID) []model.AccountID {
	accounts = slices.Clone(accounts)
	slices.SortFunc(accounts, func(a, b model.AccountID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(accounts)
}

// Committed calls nothing: other servers queue too.
func (s *session) Committed(func(bool), func()) {}

// Forget removes the last position of an account that is gone for good.
func (s *session) Forget(account model.AccountID) error { return s.Post(forgetQueue, account) }

// advance tells the last of n positions, none of them below least, once it is known, and the
// numbers of the access. Nearly always all accounts are behind the clock, and get the same.
func (s *session) advance(accounts []model.AccountID, least int64, n int, access []*store.AccessVersion,
	tell func(last int64)) error {
	numbers := make(map[model.AccountID]int64, len(access)) // of the accounts that somebody asks for
	for _, a := range access {
		a.Number, numbers[a.Account] = 0, 0
	}
	if len(accounts) == 0 {
		tell(least + int64(n) - 1)
		return nil
	}
	highest, lowest := int64(0), int64(math.MaxInt64)
	take := func(r store.Row) error {
		var account model.AccountID
		var last, number int64
		err := r.Scan(&account, &last, &number)
		highest, lowest = max(highest, last), min(lowest, last)
		if _, asked := numbers[account]; asked {
			numbers[account] = number
		}
		return err
	}
	if len(accounts) > few {
		if err := s.Ask(advanceAll, []any{least, n, accounts, least, n}, take); err != nil {
			return err
		}
	} else {
		for _, account := range accounts {
			if err := s.Ask(advanceOne, []any{account, least, n, least, n}, take); err != nil {
				return err
			}
		}
	}
	s.taken = func() error {
		tell(highest)
		for _, a := range access {
			a.Number = numbers[a.Account]
		}
		if lowest == highest {
			return nil
		}
		return s.Post(raise, highest, accounts, highest)
	}
	return nil
}

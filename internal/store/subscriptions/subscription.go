// Package subscriptions keeps where browsers want to be told of new messages (Web Push).
//
// It owns push_subscriptions. It does not know what is pushed, nor when; where and how a browser is reached
// is sealed by who stores it.
package subscriptions

import (
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Subscription is a browser of an account that wants to be told.
type Subscription struct {
	Account     model.AccountID
	ID          model.SubscriptionID
	Key         string // with which it was made, and with which it ends
	Host        string // of the push service
	Mark        []byte // the same for the same browser, and no other
	Sealed      []byte // where and how the browser is reached
	Created     time.Time
	LastSuccess time.Time // zero: nothing was pushed yet
	Rests       time.Time // until when nothing is pushed that can wait
	Unwanted    time.Time // until when the push service asked for nothing at all
	Pushes      int64     // how many were begun
	Told        int64     // which of them was the last that the push service took; 0: none
}

const columns = `account, subscription, api_key, host, mark, sealed, created, last_success, rests, unwanted, pushes,
	told`

func scan(s *Subscription, row store.Row) error {
	var created, last, rests, unwanted int64
	err := row.Scan(&s.Account, &s.ID, &s.Key, &s.Host, &s.Mark, &s.Sealed, &created, &last, &rests, &unwanted,
		&s.Pushes, &s.Told)
	s.Created, s.LastSuccess = store.FromMillis(created), store.FromMillis(last)
	s.Rests, s.Unwanted = store.FromMillis(rests), store.FromMillis(unwanted)
	return err
}

// Put adds a subscription, or renews that of the same browser, which goes on as it was. Where that was another
// account's, it ends: also one that is made at the same moment, for whose end this waits. The account keeps the
// newest, so many at most.
func Put(tx *store.Tx, s *Subscription, most int) error {
	for put := false; !put; {
		err := tx.Post(`DELETE FROM push_subscriptions WHERE mark = ? AND account <> ?`, s.Mark, s.Account)
		if err != nil {
			return err
		}
		n, err := tx.Exec(`INSERT INTO push_subscriptions (`+columns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (mark) DO UPDATE SET api_key = excluded.api_key, sealed = excluded.sealed,
				created = excluded.created WHERE push_subscriptions.account = excluded.account`, s.Account, s.ID, s.Key,
			s.Host, s.Mark, s.Sealed, store.Millis(s.Created), store.Millis(s.LastSuccess), store.Millis(s.Rests),
			store.Millis(s.Unwanted), s.Pushes, s.Told)
		if err != nil {
			return err
		}
		put = n > 0 // else another account has got the browser since the DELETE
	}
	return tx.Post(`DELETE FROM push_subscriptions WHERE account = ? AND subscription NOT IN (SELECT subscription
		FROM push_subscriptions WHERE account = ? ORDER BY created DESC, subscription DESC LIMIT ? + 0)`, s.Account,
		s.Account, most)
}

// Of returns the subscriptions of an account, the oldest first.
func Of(tx *store.Tx, account model.AccountID) ([]Subscription, error) {
	return store.List(tx, `SELECT `+columns+` FROM push_subscriptions WHERE account = ? ORDER BY created, subscription`,
		[]any{account}, scan)
}

// OfEach returns those of several accounts, and these, of any.
func OfEach(tx *store.Tx, accounts []model.AccountID, ids []model.SubscriptionID) (out []Subscription, err error) {
	if len(accounts) > 0 {
		out, err = store.List(tx, `SELECT `+columns+` FROM push_subscriptions WHERE account IN (?*)
			ORDER BY account, created, subscription`, []any{accounts}, scan)
	}
	if err != nil || len(ids) == 0 {
		return out, err
	}
	named, err := store.List(tx, `SELECT `+columns+` FROM push_subscriptions WHERE subscription IN (?*)
		ORDER BY subscription`, []any{ids}, scan)
	return append(out, named...), err
}

// Owners returns the accounts after one that have subscriptions, up to limit of them, in their order.
func Owners(tx *store.Tx, after model.AccountID, limit int) ([]model.AccountID, error) {
	return store.Column[model.AccountID](tx, `SELECT DISTINCT account FROM push_subscriptions WHERE account > ?
		ORDER BY account LIMIT ? + 0`, after, limit)
}

// OwnersSince returns the accounts of subscriptions that were made since a time.
func OwnersSince(tx *store.Tx, since time.Time) ([]model.AccountID, error) {
	return store.Column[model.AccountID](tx, `SELECT account FROM push_subscriptions WHERE created >= ?`,
		store.Millis(since))
}

// Begin notes one more push, after which the subscription rests until a time. It reports false, and does
// nothing, where another one was begun since the subscription was read, or it is gone.
func Begin(tx *store.Tx, s *Subscription, rests time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE push_subscriptions SET pushes = pushes + 1, rests = ?
		WHERE account = ? AND subscription = ? AND pushes = ?`, store.Millis(rests), s.Account, s.ID, s.Pushes)
	return n > 0, err
}

// Rest has a subscription rest until a time, unless that of now is later.
func Rest(tx *store.Tx, s *Subscription, until time.Time) error {
	return tx.Post(`UPDATE push_subscriptions SET rests = ? WHERE account = ? AND subscription = ? AND rests < ?`,
		store.Millis(until), s.Account, s.ID, store.Millis(until))
}

// Refuse notes until when the push service asked for nothing, unless that of before is later.
func Refuse(tx *store.Tx, s *Subscription, until time.Time) error {
	return tx.Post(`UPDATE push_subscriptions SET unwanted = ? WHERE account = ? AND subscription = ? AND unwanted < ?`,
		store.Millis(until), s.Account, s.ID, store.Millis(until))
}

// Succeeded notes that the push service took a push, and when, unless it took a later one before.
func Succeeded(tx *store.Tx, s *Subscription, push int64, at time.Time) error {
	return tx.Post(`UPDATE push_subscriptions SET told = ?, last_success = ? WHERE account = ? AND subscription = ?
		AND told < ?`, push, store.Millis(at), s.Account, s.ID, push)
}

// Delete ends a subscription, and reports whether it was there.
func Delete(tx *store.Tx, account model.AccountID, id model.SubscriptionID) (bool, error) {
	n, err := tx.Exec(`DELETE FROM push_subscriptions WHERE account = ? AND subscription = ?`, account, id)
	return n > 0, err
}

package service

import (
	"context"
	"errors"
	"strings"
	"time"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// What is wrong with a command about operators.
var (
	ErrNoOperator      = errors.New("there is no such operator; `signet operator list` shows them")
	ErrLastOperator    = errors.New("it is the only operator: make another one first, with `signet operator create`")
	ErrInvalidOperator = errors.New("a username has 1 to 64 of letters, digits, '.', '_' and '-', one of them a letter, " +
		"and is not \"me\" or a token")
)

// Operator is an account that may do everything, as shown on the command line.
type Operator struct {
	Account  model.AccountID
	Username string
	Created  time.Time
	Keys     int       // that it has
	LastUsed time.Time // of these; zero: never
}

// Operators lists the operators, the oldest first.
func Operators(ctx context.Context, kept *store.Store) (out []Operator, err error) {
	err = kept.View(ctx, func(tx *store.Tx) error {
		out = nil
		ids, err := tx.Operators()
		if err != nil {
			return err
		}
		for _, id := range ids {
			account, _, err := tx.Account(id)
			if err != nil {
				return err
			}
			keys, err := tx.Keys(id)
			if err != nil {
				return err
			}
			o := Operator{Account: id, Username: account.Username, Created: account.Created, Keys: len(keys)}
			for i := range keys {
				if keys[i].LastUsed.After(o.LastUsed) {
					o.LastUsed = keys[i].LastUsed
				}
			}
			out = append(out, o)
		}
		return nil
	})
	return out, err
}

// AddOperator makes one more operator, with an administrative key of this name and
// secret. It works beside servers that use the store.
func AddOperator(ctx context.Context, kept *store.Store, now time.Time, username, key, secret string) error {
	if !model.ValidUsername(username) {
		return ErrInvalidOperator
	}
	account := operatorAccount(now.UTC().Truncate(time.Millisecond))
	account.Username, account.DisplayName = username, username
	issued := operatorKey(key, secret, account.Created)
	issued.Account = account.ID
	line := model.AuditEntry{Time: model.AuditTime{Time: account.Created}, Action: model.ActionOperatorMake,
		User: account.ID, OnKey: key}
	return audit.RecordCommand(ctx, kept, line, func(tx *store.Tx, _ *model.AuditEntry) error {
		if err := tx.InsertAccount(&account, ""); err != nil {
			return err
		}
		return tx.InsertKey(&issued)
	})
}

// EndOperator makes an operator, named by its username or token, an account as any
// other, which nothing opens: its keys and its password end. It works beside servers
// that use the store, which know of it within a second. There is always one operator
// left.
func EndOperator(ctx context.Context, kept *store.Store, now time.Time, name string) error {
	line := model.AuditEntry{Time: model.AuditTime{Time: now.UTC()}, Action: model.ActionOperatorEnd}
	return audit.RecordCommand(ctx, kept, line, func(tx *store.Tx, line *model.AuditEntry) error {
		all, err := tx.Operators()
		if err != nil {
			return err
		}
		// All are locked, so that of two commands that end two operators one leaves the
		// other's, and no key that is being issued at this moment escapes.
		if err := tx.LockQueues(all...); err != nil {
			return err
		}
		if all, err = tx.Operators(); err != nil {
			return err
		}
		ended, err := operatorNamed(tx, all, name)
		if err != nil {
			return err
		}
		if len(all) == 1 {
			return ErrLastOperator
		}
		line.User = ended
		if err := endCredentials(tx, ended); err != nil {
			return err
		}
		return tx.EndOperator(ended)
	})
}

// operatorNamed returns the one of these operators that has a username or token.
func operatorNamed(tx *store.Tx, all []model.AccountID, name string) (model.AccountID, error) {
	for _, id := range all {
		account, _, err := tx.Account(id)
		if err != nil || strings.EqualFold(account.Username, name) || id.String() == name {
			return id, err
		}
	}
	return model.AccountID{}, ErrNoOperator
}

// endCredentials ends the keys and the password of an account whose queue is locked.
func endCredentials(tx *store.Tx, account model.AccountID) error {
	keys, err := tx.Keys(account)
	if err != nil {
		return err
	}
	for i := range keys {
		if err := tx.DeleteKey(keys[i].Key); err != nil {
			return err
		}
	}
	return tx.SetPasswordHash(account, "")
}

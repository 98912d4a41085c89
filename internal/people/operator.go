package people

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// FirstOperator is the username of the operator that a first start makes.
const FirstOperator = "operator"

// What is wrong with a command about operators.
var (
	ErrNoOperator   = errors.New("there is no such operator; `signet operator list` shows them")
	ErrLastOperator = errors.New("it is the only operator: make another one first, with `signet operator create`")
	ErrOperatorName = errors.New("a username has 1 to 64 of letters, digits, '.', '_' and '-', one of them a letter, " +
		"and is not \"me\" or a token")
)

// Operator is an account that may do everything.
type Operator struct {
	Account  model.AccountID
	Username string
	Created  time.Time
	Keys     int
	LastUsed time.Time // the last use of any of its keys; zero: never
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

// AddOperator makes one more operator, with an administrative key of this name and secret.
func AddOperator(ctx context.Context, kept *store.Store, now time.Time, username, key, secret string) error {
	if !model.ValidUsername(username) {
		return ErrOperatorName
	}
	account, issued := operator(now, key, secret)
	account.Username, account.DisplayName = username, username
	return audit.RecordCommand(ctx, kept, operatorLine(&issued), func(tx *store.Tx, _ *model.AuditEntry) error {
		return insertOperator(tx, &account, &issued)
	})
}

// operator is a new operator with its key.
func operator(now time.Time, key, secret string) (model.Account, model.Key) {
	now = now.UTC().Truncate(time.Millisecond)
	hash := sha256.Sum256([]byte(secret))
	account := model.Account{ID: model.AccountID(uuid.Must(uuid.NewV7())), Username: FirstOperator,
		DisplayName: "Operator", Operator: true, Created: now}
	return account, model.Key{Account: account.ID, Key: key, Kind: model.Administrative, SecretHash: hash[:],
		PreviousHash: []byte{}, Counter: key, Created: now}
}

// operatorLine is the line of the audit log about an operator that was made with a key.
func operatorLine(k *model.Key) model.AuditEntry {
	return model.AuditEntry{Time: model.AuditTime{Time: k.Created}, Action: model.ActionOperatorMake,
		Outcome: model.AuditOK, Times: 1, Address: audit.CommandLine, User: k.Account, OnKey: k.Key}
}

func insertOperator(tx *store.Tx, account *model.Account, key *model.Key) error {
	if err := tx.InsertAccount(account, ""); err != nil {
		return err
	}
	return tx.InsertKey(key)
}

// ResetOperator gives an operator, named by its username or token, or else the first one, a
// key of this name and secret. All its other keys, sign-ins included, its password, its passkeys and its webhooks
// end. Where there is no operator and none is named, it makes one.
func ResetOperator(ctx context.Context, kept *store.Store, now time.Time, name, key, secret string) error {
	account, issued := operator(now, key, secret)
	line := model.AuditEntry{Time: model.AuditTime{Time: issued.Created}, Action: model.ActionOperatorReset, OnKey: key}
	return audit.RecordCommand(ctx, kept, line, func(tx *store.Tx, line *model.AuditEntry) error {
		all, err := tx.Operators()
		if err != nil {
			return err
		}
		if len(all) == 0 && name == "" {
			line.User = account.ID
			return insertOperator(tx, &account, &issued)
		}
		k := issued
		if name == "" {
			k.Account = all[0]
		} else if k.Account, err = operatorNamed(tx, all, name); err != nil {
			return err
		}
		line.User = k.Account
		// Locked, so that no key that is being issued at this moment escapes.
		if err := tx.LockQueues(k.Account); err != nil {
			return err
		}
		if err := access.EndAll(tx, k.Account); err != nil {
			return err
		}
		return tx.InsertKey(&k)
	})
}

// EndOperator makes an operator, named by its username or token, an ordinary account that
// nothing opens: its keys, its password, its passkeys and its webhooks end. The last operator stays.
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
		if line.User, err = operatorNamed(tx, all, name); err != nil {
			return err
		}
		if len(all) == 1 {
			return ErrLastOperator
		}
		if err := access.EndAll(tx, line.User); err != nil {
			return err
		}
		return tx.EndOperator(line.User)
	})
}

// operatorNamed returns the operator that has a username or token.
func operatorNamed(tx *store.Tx, all []model.AccountID, name string) (model.AccountID, error) {
	for _, id := range all {
		account, _, err := tx.Account(id)
		if err != nil || strings.EqualFold(account.Username, name) || id.String() == name {
			return id, err
		}
	}
	return model.AccountID{}, ErrNoOperator
}

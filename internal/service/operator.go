package service

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"time"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// OperatorName is the username of the operator account that a first start makes.
const OperatorName = "operator"

// HasOperator reports whether there is an operator account.
func (s *Service) HasOperator(ctx context.Context) (exists bool, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		exists, err = tx.HasOperator()
		return err
	})
	return exists, err
}

// ErrOperatorExists says that there is an operator account, made with another key.
var ErrOperatorExists = errors.New("there is an operator account already")

// CreateOperator makes an operator account with an administrative key of this name
// and secret. Where there is an operator already, it returns nil if that has this
// key, made by an earlier try, and else ErrOperatorExists: of several servers that
// start on one database for the first time, one makes the account.
func (s *Service) CreateOperator(ctx context.Context, key, secret string) error {
	if model.MalformedSecret(secret) {
		return errors.New("the secret is not as it was made: a part of it is missing or was changed")
	}
	account := operatorAccount(s.now())
	issued := operatorKey(key, secret, account.Created)
	issued.Account = account.ID
	create := func(tx *store.Tx) error {
		exists, err := tx.HasOperator()
		if err != nil {
			return err
		}
		if exists {
			return operatorHas(tx, key, issued.SecretHash)
		}
		if err := tx.InsertAccount(&account, ""); err != nil {
			return err
		}
		if err := tx.InsertKey(&issued); err != nil {
			return err
		}
		return audit.Record(tx, &model.AuditEntry{Time: model.AuditTime{Time: account.Created},
			Action: model.ActionOperatorMake, Outcome: model.AuditOK,
			Times: 1, Address: audit.CommandLine, User: account.ID, OnKey: key})
	}
	err := s.store.Update(ctx, create)
	if err == nil || errors.Is(err, ErrOperatorExists) {
		return err
	}
	// Another server may have taken the name at this moment: then the account is there.
	if exists, look := s.HasOperator(ctx); look != nil || !exists {
		return err
	}
	return s.store.Update(ctx, create)
}

// operatorHas returns nil where an operator has this key.
func operatorHas(tx *store.Tx, key string, hash []byte) error {
	k, found, err := tx.Key(key)
	if err != nil {
		return err
	}
	if !found || subtle.ConstantTimeCompare(k.SecretHash, hash) != 1 {
		return ErrOperatorExists
	}
	owner, found, err := tx.Account(k.Account)
	if err == nil && !(found && owner.Operator) {
		err = ErrOperatorExists
	}
	return err
}

func operatorAccount(now time.Time) model.Account {
	return model.Account{ID: newID(), Username: OperatorName, DisplayName: "Operator", Operator: true, Created: now}
}

func operatorKey(key, secret string, now time.Time) model.Key {
	hash := sha256.Sum256([]byte(secret))
	return model.Key{Key: key, Kind: model.Administrative, SecretHash: hash[:], PreviousHash: []byte{}, Counter: key,
		Created: now}
}

// ResetOperator gives an operator, named by its username or token, or else the first
// one, a key of this name and secret in place of all that opened it before: its keys,
// sign-ins included, and its password. Where there is no operator it makes one. It works beside servers that use the
// store, which know of it within a second.
func ResetOperator(ctx context.Context, kept *store.Store, now time.Time, name, key, secret string) error {
	now = now.UTC().Truncate(time.Millisecond)
	account, issued := operatorAccount(now), operatorKey(key, secret, now)
	line := model.AuditEntry{Time: model.AuditTime{Time: now}, Action: model.ActionOperatorReset, OnKey: key}
	return audit.RecordCommand(ctx, kept, line, func(tx *store.Tx, line *model.AuditEntry) error {
		operators, err := tx.Operators()
		if err != nil {
			return err
		}
		k := issued
		if len(operators) == 0 && name == "" {
			k.Account, line.User = account.ID, account.ID
			if err := tx.InsertAccount(&account, ""); err != nil {
				return err
			}
			return tx.InsertKey(&k)
		}
		chosen := operators
		if name != "" {
			id, err := operatorNamed(tx, operators, name)
			if err != nil {
				return err
			}
			chosen = []model.AccountID{id}
		}
		k.Account, line.User = chosen[0], chosen[0]
		// Locked, so that no key that is being issued at this moment escapes.
		if err := tx.LockQueues(k.Account); err != nil {
			return err
		}
		if err := endCredentials(tx, k.Account); err != nil {
			return err
		}
		return tx.InsertKey(&k)
	})
}

package people

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// ErrOperatorExists says that there is an operator already, made with another key.
var ErrOperatorExists = errors.New("there is an operator account already")

// HasOperator reports whether there is an operator.
func HasOperator(ctx context.Context, kept *store.Store) (bool, error) {
	return store.Read(ctx, kept, (*store.Tx).HasOperator)
}

// MakeFirstOperator makes the first operator, with an administrative key of this name and secret.
// Where there is an operator already, it returns nil if that has this key, made by an
// earlier try, and else ErrOperatorExists: of several servers that start on one database for
// the first time, one makes the account.
func MakeFirstOperator(ctx context.Context, kept *store.Store, now time.Time, key, secret string) error {
	if model.MalformedSecret(secret) {
		return errors.New("the secret is not as it was made: a part of it is missing or was changed")
	}
	account, issued := operator(now, key, secret)
	create := func(tx *store.Tx) error {
		exists, err := tx.HasOperator()
		if err != nil {
			return err
		}
		if exists {
			return hasKey(tx, &issued)
		}
		if err := insertOperator(tx, &account, &issued); err != nil {
			return err
		}
		line := operatorLine(&issued)
		return audit.Record(tx, &line)
	}
	err := kept.Update(ctx, create)
	if err == nil || errors.Is(err, ErrOperatorExists) {
		return err
	}
	// Another server may have taken the name at this moment: then the account is there.
	if exist, look := HasOperator(ctx, kept); look != nil || !exist {
		return err
	}
	return kept.Update(ctx, create)
}

// hasKey returns nil where an operator has this key, and else ErrExists.
func hasKey(tx *store.Tx, issued *model.Key) error {
	k, found, err := tx.Key(issued.Key)
	if err != nil {
		return err
	}
	if !found || subtle.ConstantTimeCompare(k.SecretHash, issued.SecretHash) != 1 {
		return ErrOperatorExists
	}
	owner, found, err := tx.Account(k.Account)
	if err == nil && !(found && owner.Operator) {
		err = ErrOperatorExists
	}
	return err
}

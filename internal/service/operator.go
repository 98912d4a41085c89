package service

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"

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
	hash := sha256.Sum256([]byte(secret))
	account := model.Account{ID: newID(), Username: OperatorName, DisplayName: "Operator", Operator: true, Created: s.now()}
	issued := model.Key{
		Key: key, Account: account.ID, Kind: model.Administrative, SecretHash: hash[:], PreviousHash: []byte{}, Counter: key, Created: account.Created,
	}
	create := func(tx *store.Tx) error {
		exists, err := tx.HasOperator()
		if err != nil {
			return err
		}
		if exists {
			return operatorHas(tx, key, hash[:])
		}
		if err := tx.InsertAccount(&account, ""); err != nil {
			return err
		}
		return tx.InsertKey(&issued)
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

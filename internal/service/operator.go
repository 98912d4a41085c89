package service

import (
	"context"
	"crypto/sha256"
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

// CreateOperator makes an operator account with an administrative key of this
// name and secret, unless there is one.
func (s *Service) CreateOperator(ctx context.Context, key, secret string) error {
	if model.MalformedSecret(secret) {
		return errors.New("the secret is not as it was made: a part of it is missing or was changed")
	}
	hash := sha256.Sum256([]byte(secret))
	account := model.Account{ID: newID(), Username: OperatorName, DisplayName: "Operator", Operator: true, Created: s.now()}
	issued := model.Key{
		Key: key, Account: account.ID, Kind: model.Administrative, SecretHash: hash[:], PreviousHash: []byte{}, Counter: key, Created: account.Created,
	}
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		exists, err := tx.HasOperator()
		if err != nil || exists {
			return err
		}
		if err := tx.InsertAccount(&account, ""); err != nil {
			return err
		}
		return tx.InsertKey(&issued)
	})
	if err != nil {
		// Another node that started at the same time may have taken the name.
		if exists, found := s.HasOperator(ctx); found == nil && exists {
			return nil
		}
	}
	return err
}

package service

import (
	"context"

	"signet/internal/disk"
	"signet/internal/model"
	"signet/internal/store"
)

// noRoom is the answer to calls that store something new while the disk is full (contract,
// section 1: the store is away). Stored messages can still be read, acknowledged and
// recalled.
func noRoom() error {
	return &model.Error{Kind: model.Unavailable, Code: "unavailable", RetryAfter: disk.RetryAfter,
		Message: "The service takes nothing new at the moment, please try again."}
}

// spare is store.Update with the help of the reserve.
func (s *Service) spare(ctx context.Context, fn func(*store.Tx) error, traits ...store.Trait) error {
	return s.room.Sparing(func() error { return s.store.Update(ctx, fn, traits...) })
}

package service

import (
	"context"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// presenceLinger is how long after its last stream an account counts as there,
// so that a reconnection is not taken for a departure.
const presenceLinger = 5 * time.Second

// arrived tells those who have the account in their roster, and are in its own,
// that it has opened its first stream.
func (s *Service) arrived(ctx context.Context, account model.AccountID) {
	s.presentMu.Lock()
	known := s.presentAccounts[account]
	s.presentAccounts[account] = true
	s.presentMu.Unlock()
	if !known {
		s.tellPresence(ctx, account, true)
	}
}

// departed does so when its last stream has been closed for a while.
func (s *Service) departed(account model.AccountID) {
	if s.hub.Streams(account) > 0 {
		return
	}
	time.AfterFunc(presenceLinger, func() {
		if s.hub.Streams(account) > 0 {
			return
		}
		s.presentMu.Lock()
		known := s.presentAccounts[account]
		delete(s.presentAccounts, account)
		s.presentMu.Unlock()
		if known {
			s.tellPresence(context.Background(), account, false)
		}
	})
}

func (s *Service) tellPresence(ctx context.Context, account model.AccountID, available bool) {
	var friends []model.AccountID
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		friends, err = tx.MutualRoster(account)
		return err
	})
	if err != nil {
		s.log.Debug("presence is not told", "error", err)
		return
	}
	s.signal("presence", model.Event{Kind: model.EventPresence, Presence: &model.Presence{Account: account, Available: available}}, friends...)
}

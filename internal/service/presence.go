package service

import (
	"context"
	"time"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
)

// presenceLinger is how long after its last stream an account counts as there,
// so that a reconnection is not taken for a departure.
const presenceLinger = 5 * time.Second

// arrived notes that a stream was opened. Those who have the account in their roster,
// and are in its own, are told when it is its first.
func (s *Service) arrived(ctx context.Context, sub *live.Subscription) error {
	var first bool
	if s.node != nil {
		var err error
		if first, err = s.node.open(ctx, sub); err != nil {
			return err
		}
	} else {
		s.presentMu.Lock()
		first = !s.presentAccounts[sub.Account]
		s.presentAccounts[sub.Account] = true
		s.presentMu.Unlock()
	}
	if first {
		s.tellPresence(ctx, sub.Account, true)
	}
	return nil
}

// departed ends a stream. They are told when the account's last one has been closed
// for a while.
func (s *Service) departed(sub *live.Subscription) {
	sub.Close()
	if s.node != nil {
		s.node.close(sub)
		return
	}
	account := sub.Account
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

// endStreams ends the open streams of an account, on all nodes, or those of one of
// its keys, and returns how many these were.
func (s *Service) endStreams(ctx context.Context, account model.AccountID, key string) (int, error) {
	switch {
	case s.node != nil:
		return s.node.end(ctx, account, key)
	case key != "":
		return s.hub.CloseKey(account, key, live.Deleted), nil
	default:
		return s.hub.CloseAccount(account, live.Deleted), nil
	}
}

package stream

import (
	"context"
	"time"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
)

// arrived notes that a stream was opened. Those who have the account in their roster,
// and are in its own, are told when it is its first.
func (r *Registry) arrived(ctx context.Context, sub *live.Subscription) error {
	var first bool
	if r.node != nil {
		var err error
		if first, err = r.node.open(ctx, sub); err != nil {
			return err
		}
	} else {
		r.mu.Lock()
		first = !r.present[sub.Account]
		r.present[sub.Account] = true
		r.mu.Unlock()
	}
	if first {
		r.tellPresence(ctx, sub.Account, true)
	}
	return nil
}

// departed ends a stream. They are told when the account's last one has been closed
// for a while, so that a reconnection is not taken for a departure.
func (r *Registry) departed(sub *live.Subscription) {
	sub.Close()
	if r.node != nil {
		r.node.close(sub)
		return
	}
	account := sub.Account
	if r.hub.Streams(account) > 0 {
		return
	}
	time.AfterFunc(r.linger, func() {
		if r.hub.Streams(account) > 0 {
			return
		}
		r.mu.Lock()
		known := r.present[account]
		delete(r.present, account)
		r.mu.Unlock()
		if known {
			r.tellPresence(context.Background(), account, false)
		}
	})
}

func (r *Registry) tellPresence(ctx context.Context, account model.AccountID, available bool) {
	var friends []model.AccountID
	err := r.store.View(ctx, func(tx *store.Tx) (err error) {
		friends, err = tx.MutualRoster(account)
		return err
	})
	if err != nil {
		r.log.Debug("presence is not told", "error", err)
		return
	}
	r.hub.Signal(live.Signal{Kind: model.EventPresence, Feature: live.FeaturePresence,
		Presence: &model.Presence{Account: account, Available: available}}, friends...)
}

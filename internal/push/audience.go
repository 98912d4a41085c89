package push

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/subscriptions"
)

const (
	// lookInterval is how often a server asks which accounts have subscribed at others, and lookBack since how long
	// before it last did: a transaction may have taken a while, and clocks differ.
	lookInterval, lookBack = time.Second, 2 * time.Minute
	// ownersAtATime is how many accounts are read at a time at the start.
	ownersAtATime = 5000
)

// audience knows which accounts have subscriptions, and perhaps some that had one: so a message to anybody
// else costs nothing. On several servers it learns within a second what was subscribed at another one.
type audience struct {
	mu     sync.RWMutex    // guards what follows
	whole  bool            // all are known; else it may be anybody
	read   model.AccountID // up to which they were read
	owners map[model.AccountID]bool
	looked time.Time // when it was last asked who has subscribed
}

// among returns those of the accounts that may have subscriptions.
func (a *audience) among(accounts []model.AccountID) (out []model.AccountID) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	switch {
	case !a.whole:
		return accounts
	case len(a.owners) == 0:
		return nil
	}
	for _, account := range accounts {
		if a.owners[account] {
			out = append(out, account)
		}
	}
	return out
}

// add is called before the transaction that adds a subscription.
func (a *audience) add(accounts ...model.AccountID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, account := range accounts {
		a.owners[account] = true
	}
}

// follow learns whose subscriptions there are, and go on to be, until ctx ends. A server that is alone on
// its store makes all of them itself.
func (a *audience) follow(ctx context.Context, kept *store.Store, clock func() time.Time, log *slog.Logger) {
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	told := false
	for {
		err := a.load(ctx, kept, clock())
		if err == nil && kept.Alone() {
			return
		}
		if err == nil {
			err = a.look(ctx, kept, clock())
		}
		if err != nil && !told && ctx.Err() == nil {
			log.Debug("whose browsers are to be told of messages is not known anew", "error", err)
		}
		told = err != nil
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// load reads whose subscriptions there are, once.
func (a *audience) load(ctx context.Context, kept *store.Store, now time.Time) error {
	for {
		whole, after := a.begin(now)
		if whole {
			return nil
		}
		owners, err := store.Read(ctx, kept, func(tx *store.Tx) ([]model.AccountID, error) {
			return subscriptions.Owners(tx, after, ownersAtATime)
		})
		if err != nil {
			return err
		}
		a.add(owners...)
		a.mu.Lock()
		if a.whole = len(owners) < ownersAtATime; !a.whole {
			a.read = owners[len(owners)-1]
		}
		a.mu.Unlock()
	}
}

// begin returns how far they were read. What others subscribe from the first time on, look finds.
func (a *audience) begin(now time.Time) (whole bool, after model.AccountID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.looked.IsZero() {
		a.looked = now
	}
	return a.whole, a.read
}

// look learns who has subscribed since it last did, however long the store was away.
func (a *audience) look(ctx context.Context, kept *store.Store, now time.Time) error {
	a.mu.RLock()
	since := a.looked.Add(-lookBack)
	a.mu.RUnlock()
	owners, err := store.Read(ctx, kept, func(tx *store.Tx) ([]model.AccountID, error) {
		return subscriptions.OwnersSince(tx, since)
	})
	if err != nil {
		return err
	}
	a.add(owners...)
	a.mu.Lock()
	a.looked = now
	a.mu.Unlock()
	return nil
}

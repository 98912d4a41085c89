package stream

import (
	"context"
	"slices"
	"sync"
	"time"

	"signet/internal/access"
	"signet/internal/health"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store"
)

// guard ends what must not stay open on a server that is alone on its store. What a
// call ends, it ends itself; the guard is for what a command in another process has
// ended ("signet account erase"), and for secrets whose grace is over. It looks at the
// readers only then, as there may be many. Where several servers share a store, each
// reads of whom that may be true (Node.check).
type guard struct {
	mu   sync.Mutex // guards next
	next time.Time  // when the next secret ends that a reader uses; zero: none is known
}

// remind makes the guard look at the readers at a time.
func (g *guard) remind(at time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next.IsZero() || at.Before(g.next) {
		g.next = at
	}
}

// reminded reports, once, whether a time has come.
func (g *guard) reminded(now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next.IsZero() || now.Before(g.next) {
		return false
	}
	g.next = time.Time{}
	return true
}

// Guard returns the guard's task, which runs until its context ends. written reports
// whether another process has written to the store since it was last asked.
func (r *Registry) Guard(cases *service.Service,
	written func(context.Context) (bool, error)) func(ctx context.Context) {
	return func(ctx context.Context) {
		tick := time.NewTicker(nodeTick)
		defer tick.Stop()
		failing := false
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			err := r.watch(ctx, cases, written)
			if ctx.Err() != nil {
				return
			}
			if err != nil && !failing {
				health.Complain(ctx, r.log, r.outages, "what a command has ended stays open until the store can be asked; the "+
					"server asks again", err)
			}
			failing = err != nil
		}
	}
}

// watch forgets what another process may have changed, and looks at the readers where there
// is a reason to.
func (r *Registry) watch(ctx context.Context, cases *service.Service,
	written func(context.Context) (bool, error)) error {
	beside, err := written(ctx)
	if err != nil {
		return err
	}
	if beside {
		cases.ForgetAccess()
	}
	subs := r.hub.Subscriptions()
	if len(subs) == 0 {
		return nil
	}
	if beside {
		r.hub.Withdraw() // it has perhaps changed what is in their queues
		r.hub.TouchAll()
		r.hub.WakeFed()
	}
	now := r.clock()
	if !r.guard.reminded(now) && !beside {
		return nil
	}
	if err := r.endRevoked(ctx, subs, now); err != nil {
		r.guard.remind(now) // try again
		return err
	}
	return nil
}

// endRevoked ends the readers whose key or secret was revoked, whose account was disabled, who
// gave a password alone where that is not enough any more, and those that have no organization
// left. A reader with another organization stays open for that one.
func (r *Registry) endRevoked(ctx context.Context, all []*live.Subscription, now time.Time) error {
	for some := range slices.Chunk(all, nodeBatch) {
		var keys map[string]model.Key
		var disabled []model.AccountID
		var places map[model.AccountID][]model.OrganizationID
		var oneFactor map[string]bool
		err := r.store.View(ctx, func(tx *store.Tx) error {
			names, accounts := keysOf(some), accountsOf(some)
			keys, places, disabled = map[string]model.Key{}, map[model.AccountID][]model.OrganizationID{}, nil
			if err := tx.AskKeysNamed(names, keys); err != nil {
				return err
			}
			if err := tx.AskDisabledAmong(accounts, &disabled); err != nil {
				return err
			}
			if err := tx.AskOrganizationsOfEach(accounts, places); err != nil {
				return err
			}
			err := tx.Await()
			if err == nil {
				oneFactor, err = access.OneFactorAmong(tx, keys)
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, sub := range some {
			key, known := keys[sub.Key]
			ends, admitted := key.Admits(sub.Secret, now)
			serves := slices.ContainsFunc(places[sub.Account], key.Covers)
			if !known || !admitted || sub.Member && !serves || slices.Contains(disabled, sub.Account) ||
				oneFactor[sub.Key] {
				sub.End(live.Revoked)
			} else if !ends.Equal(key.Expires) { // a reader sees to its key's end itself
				r.guard.remind(ends)
			}
		}
	}
	return nil
}

func keysOf(subs []*live.Subscription) []string {
	out := make([]string, len(subs))
	for i, sub := range subs {
		out[i] = sub.Key
	}
	return out
}

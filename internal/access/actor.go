package access

import (
	"context"
	"slices"
	"time"

	"signet/internal/cache"
	"signet/internal/model"
	"signet/internal/store"
)

// actor returns the owner of a key, or nil where there is no such key. What it
// returns is shared and must not be changed.
func (c *Control) actor(ctx context.Context, key string, now time.Time) (*model.Actor, error) {
	actor, known := c.actors.of(key, now)
	if known {
		return actor, nil
	}
	return c.readActor(ctx, key, now)
}

// readActor reads it of the store.
func (c *Control) readActor(ctx context.Context, key string, now time.Time) (actor *model.Actor, err error) {
	version := c.actors.Version()
	err = c.store.View(ctx, func(tx *store.Tx) error {
		actor = nil
		k, found, err := tx.Key(key)
		if err != nil || !found {
			return err
		}
		account, found, err := tx.Account(k.Account)
		if err != nil || !found {
			return err
		}
		held := store.AccessVersion{Account: k.Account}
		if err := tx.AskAccess(&held); err != nil {
			return err
		}
		memberships, err := tx.Memberships(k.Account)
		if err != nil {
			return err
		}
		made := newActor(k, &account, memberships)
		if made.Issuers, err = issuers(tx, &k, nil); err != nil {
			return err
		}
		made.OneFactor, err = oneFactor(tx, &made)
		if !slices.ContainsFunc(made.Issuers, func(i model.Key) bool { return i.Account != k.Account }) {
			made.Read = model.AccessRead{Number: held.Number, At: now} // else it would be of several accounts
		}
		actor = &made
		return err
	}, store.Short)
	if err != nil || actor == nil {
		return nil, err
	}
	// What the caller sent is one piece of memory with the secret, and is not kept.
	c.actors.Put(version, actor.Key.Key, cache.Recent[*model.Actor]{Value: actor, At: now}, 1)
	return actor, nil
}

// OwnerOf returns whose a key is; zero where it does not exist, or cannot be looked for.
func (c *Control) OwnerOf(ctx context.Context, key string) model.AccountID {
	actor, err := c.actor(ctx, key, c.clock())
	if err != nil || actor == nil {
		return model.AccountID{}
	}
	return actor.Account
}

// Reader returns the owner of a key, who reads with it without calling: what is pushed to it. It is nil
// where the key has ended, its account is disabled, or its password alone is not enough.
func (c *Control) Reader(ctx context.Context, key string) (*model.Actor, error) {
	now := c.clock()
	owner, err := c.actor(ctx, key, now)
	if err != nil || owner == nil || owner.Disabled || owner.OneFactor || c.over(owner, now) {
		return nil, err
	}
	return owner, nil
}

// newActor is the owner of a key who comes with its present secret. A key whose scope is an
// organization makes it a member there alone, and no operator (contract, section 1).
func newActor(k model.Key, owner *model.Account, memberships []model.Membership) model.Actor {
	return model.Actor{Account: k.Account, Home: owner.CreatedBy, Key: k, Secret: model.MarkOf(k.SecretHash),
		Operator: owner.Operator && k.Scope == "", Disabled: owner.Disabled, Memberships: k.Within(memberships)}
}

// Ends returns a channel that receives when the key expires, the secret that the actor
// came with ends, or the key, or what issued it, has been idle for too long unless it is used
// until then, and what stops that; nil, which never receives, where none of these does.
// Current tells whether it has ended.
func (c *Control) Ends(actor *model.Actor) (ended <-chan time.Time, stop func()) {
	now := c.clock()
	ends, _ := actor.Key.Admits(actor.Secret, now)
	for k := range actor.Line() {
		if idle := c.idleUntil(k); !idle.IsZero() && (ends.IsZero() || idle.Before(ends)) {
			ends = idle.Add(time.Millisecond)
		}
	}
	if ends.IsZero() {
		return nil, func() {}
	}
	timer := time.NewTimer(ends.Sub(now))
	return timer.C, func() { timer.Stop() }
}

// Current returns what the actor is by now: its key or its secret may have ended, and
// its memberships may have changed, while a call waited.
func (c *Control) Current(ctx context.Context, actor *model.Actor) (*model.Actor, error) {
	now := c.clock()
	fresh, err := c.actor(ctx, actor.Key.Key, now)
	if err != nil {
		return nil, err
	}
	if fresh == nil || !c.holds(fresh, actor.Secret, now) {
		return nil, noLonger(&actor.Key)
	}
	return fresh.By(actor.Secret).At(now), nil
}

// holds reports whether a key and a secret of it open at a time: neither has ended, nor what the
// key ends with, and its account is not disabled.
func (c *Control) holds(owner *model.Actor, secret model.SecretMark, now time.Time) bool {
	_, admitted := owner.Key.Admits(secret, now)
	return admitted && !owner.Disabled && !c.over(owner, now)
}

// noLonger is the answer to who came with a key that has ended since.
func noLonger(k *model.Key) *model.Error {
	if k.Session {
		return SessionEnded()
	}
	return WrongCredentials()
}

// Notices is the position that notices have to be past which the actor takes away, as it is
// inside a transaction: a key that was issued, or a webhook that was changed, a moment ago has perhaps moved
// it.
func (c *Control) Notices(tx *store.Tx, actor *model.Actor) (after int64, err error) {
	if after = actor.Notices(); after == 0 || after == model.EndOfQueue {
		return after, nil
	}
	k, found, err := keyOf(tx, actor)
	switch {
	case err != nil:
		return 0, err
	case !found && actor.Webhook:
		return model.EndOfQueue, nil // it was deleted, and leaves the notice of its deletion to others
	case !found:
		return 0, noLonger(&actor.Key)
	}
	current := *actor
	current.Key = k
	current.Issuers, err = issuers(tx, &k, nil)
	return current.Notices(), err
}

// keyOf is the key of an actor as it is inside a transaction, or the one that stands for its webhook.
func keyOf(tx *store.Tx, actor *model.Actor) (k model.Key, found bool, err error) {
	if !actor.Webhook {
		return tx.Key(actor.Key.Key)
	}
	id, _ := model.ParseWebhookID(actor.Key.Key)
	w, found, err := tx.Webhook(actor.Account, id)
	return w.Key(), found, err
}

// StillAdministers asks inside a transaction whether the actor's right to
// administer the organization holds.
func (c *Control) StillAdministers(tx *store.Tx, actor *model.Actor, organization model.OrganizationID) error {
	if err := c.StillOpens(tx, actor); err != nil {
		return err
	}
	if actor.Operator {
		_, found, err := tx.Organization(organization)
		if err == nil && !found {
			err = model.Missing()
		}
		return err
	}
	memberships, err := tx.MembershipsIn(organization, []model.AccountID{actor.Account})
	if err != nil {
		return err
	}
	current := *actor
	current.Memberships = memberships
	return current.MayAdminister(organization)
}

// actorCache remembers for a moment which account a key belongs to, by the key.
type actorCache struct {
	*cache.Cache[string, cache.Recent[*model.Actor]]
}

// actorCacheSize bounds how many keys are remembered.
const actorCacheSize = 100_000

func newActorCache() actorCache {
	return actorCache{cache.New[string, cache.Recent[*model.Actor]](actorCacheSize)}
}

// of returns the owner of a key, if that is remembered.
func (c actorCache) of(key string, now time.Time) (*model.Actor, bool) {
	known, ok := c.Get(key)
	return known.Value, ok && known.Fresh(now)
}

// drop forgets what is known of these accounts' keys.
func (c actorCache) drop(accounts ...model.AccountID) {
	gone := make(map[model.AccountID]bool, len(accounts))
	for _, account := range accounts {
		gone[account] = true
	}
	c.ForgetFunc(func(_ string, known cache.Recent[*model.Actor]) bool { return gone[known.Value.Account] })
}

package service

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/netip"
	"slices"
	"time"

	"signet/internal/cache"
	"signet/internal/model"
	"signet/internal/store"
)

func wrongCredentials() *model.Error {
	return &model.Error{Kind: model.Unauthenticated, Code: "credentials_invalid",
		Message: "The key or the secret is wrong."}
}

// Authenticate returns who calls with a key and its secret: kind Unauthenticated
// where the key does not exist, has ended, has another secret, or is not to be used
// from this address; the answer is the same for all of these.
func (s *Service) Authenticate(ctx context.Context, key, secret string, from netip.Addr) (*model.Actor, error) {
	if model.MalformedSecret(secret) {
		return nil, wrongCredentials() // which tells nothing but what the caller can compute
	}
	now := s.clock()
	hash := sha256.Sum256([]byte(secret))
	actor, err := s.actor(ctx, key, now)
	if err != nil {
		return nil, err
	}
	if actor == nil {
		subtle.ConstantTimeCompare(hash[:], make([]byte, len(hash)))
		return nil, wrongCredentials()
	}
	k := &actor.Key
	current := subtle.ConstantTimeCompare(hash[:], k.SecretHash) == 1
	previous := subtle.ConstantTimeCompare(hash[:], k.PreviousHash) == 1 && now.Before(k.PreviousUntil)
	if !current && !previous || k.ExpiredAt(now) || k.Login && s.lastUse(k).Add(model.LoginIdle).Before(now) ||
		!k.Networks.Allow(from) {
		return nil, wrongCredentials()
	}
	s.noteUse(k.Key, now)
	if !current {
		return actor.By(model.MarkOf(k.PreviousHash)), nil
	}
	return actor, nil
}

// actor returns the owner of a key, or nil where there is no such key. What it
// returns is shared and must not be changed.
func (s *Service) actor(ctx context.Context, key string, now time.Time) (*model.Actor, error) {
	actor, known := s.actors.of(key, now)
	if known {
		return actor, nil
	}
	version := s.actors.Version()
	err := s.store.View(ctx, func(tx *store.Tx) error {
		actor = nil
		k, found, err := tx.Key(key)
		if err != nil || !found {
			return err
		}
		account, found, err := tx.Account(k.Account)
		if err != nil || !found {
			return err
		}
		memberships, err := tx.Memberships(k.Account)
		actor = &model.Actor{Account: k.Account, Key: k, Secret: model.MarkOf(k.SecretHash), Operator: account.Operator,
			Memberships: memberships}
		return err
	}, store.Short)
	if err != nil || actor == nil {
		return nil, err
	}
	// What the caller sent is one piece of memory with the secret, and is not kept.
	s.actors.Put(version, actor.Key.Key, recentlyRead[*model.Actor]{actor, now}, 1)
	return actor, nil
}

// noteUse remembers when a key was last used, until it is written with others.
func (s *Service) noteUse(key string, now time.Time) {
	s.usedMu.Lock()
	s.used[key] = now
	s.usedMu.Unlock()
}

func (s *Service) lastUse(k *model.Key) time.Time {
	s.usedMu.Lock()
	defer s.usedMu.Unlock()
	return slices.MaxFunc([]time.Time{k.Created, k.LastUsed, s.used[k.Key]}, time.Time.Compare)
}

// FlushUses writes when keys were last used. It is called now and then, and
// before the server stops.
func (s *Service) FlushUses(ctx context.Context) error {
	s.usedMu.Lock()
	used := s.used
	s.used = map[string]time.Time{}
	s.usedMu.Unlock()
	if len(used) == 0 {
		return nil
	}
	return s.store.Update(ctx, func(tx *store.Tx) error { return tx.TouchKeys(used) })
}

// actorCache remembers for a moment which account a key belongs to, by the key.
type actorCache struct {
	*cache.Cache[string, recentlyRead[*model.Actor]]
	tell func(...model.AccountID) // the other nodes
}

// actorCacheSize bounds how many keys are remembered.
const actorCacheSize = 100_000

func newActorCache(tell func(...model.AccountID)) actorCache {
	return actorCache{cache.New[string, recentlyRead[*model.Actor]](actorCacheSize), tell}
}

// of returns the owner of a key, if that is remembered.
func (c actorCache) of(key string, now time.Time) (*model.Actor, bool) {
	known, ok := c.Get(key)
	return known.value, ok && known.fresh(now)
}

// forget drops what is known of these accounts' keys, on all nodes.
func (c actorCache) forget(accounts ...model.AccountID) {
	c.drop(accounts...)
	c.tell(accounts...)
}

// drop does so on this one.
func (c actorCache) drop(accounts ...model.AccountID) {
	gone := make(map[model.AccountID]bool, len(accounts))
	for _, account := range accounts {
		gone[account] = true
	}
	c.ForgetFunc(func(_ string, known recentlyRead[*model.Actor]) bool { return gone[known.value.Account] })
}

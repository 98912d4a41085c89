package access

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/netip"
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// WrongCredentials is the one answer to credentials that open nothing.
func WrongCredentials() *model.Error {
	return &model.Error{Kind: model.Unauthenticated, Code: "credentials_invalid",
		Message: "The key or the secret is wrong."}
}

// Authenticate returns who calls with a key and its secret: kind Unauthenticated
// where the key does not exist, has ended, has another secret, is of an account that
// is disabled, or is not to be used from this address; the answer is the same for all of these.
func (c *Control) Authenticate(ctx context.Context, key, secret string, from netip.Addr) (*model.Actor, error) {
	if model.MalformedSecret(secret) || !model.IsText(key) {
		return nil, WrongCredentials() // which tells nothing but what the caller can compute
	}
	now := c.clock()
	hash := sha256.Sum256([]byte(secret))
	actor, err := c.actor(ctx, key, now)
	if err != nil {
		return nil, err
	}
	by, opens := c.opens(actor, hash, now, from)
	if !opens || by.Key.Session { // a session opens by its cookie only, which is bound to pages of the server's own
		return nil, WrongCredentials()
	}
	c.noteUse(by.Key.Key, model.KeyUse{At: now, From: from})
	c.tally.Called(by)
	return by, nil
}

// opens returns the owner of a key as it comes with the secret of this hash, if that opens
// the key now, from this address. Without an owner it takes as long.
func (c *Control) opens(actor *model.Actor, hash [sha256.Size]byte, now time.Time, from netip.Addr) (*model.Actor,
	bool) {
	if actor == nil {
		subtle.ConstantTimeCompare(hash[:], make([]byte, len(hash)))
		return nil, false
	}
	k := &actor.Key
	current := subtle.ConstantTimeCompare(hash[:], k.SecretHash) == 1
	previous := subtle.ConstantTimeCompare(hash[:], k.PreviousHash) == 1 && now.Before(k.PreviousUntil)
	if actor.Disabled || !current && !previous || c.over(actor, now) || !k.Networks.Allow(from) {
		return nil, false
	}
	if !current {
		return actor.By(model.MarkOf(k.PreviousHash)), true
	}
	return actor.At(now), true
}

// over reports whether a key has ended by itself, or what it ends with has: it expired, or is of
// a sign-in that nobody used for too long.
func (c *Control) over(actor *model.Actor, now time.Time) bool {
	for k := range actor.Line() {
		if idle := c.idleUntil(k); k.ExpiredAt(now) || !idle.IsZero() && idle.Before(now) {
			return true
		}
	}
	return false
}

// idleUntil is until when the key of a sign-in may stay unused; zero for other keys.
func (c *Control) idleUntil(k *model.Key) time.Time {
	switch {
	case k.Session:
		return c.lastUse(k).Add(c.sessionIdle)
	case k.Login:
		return c.lastUse(k).Add(model.LoginIdle)
	}
	return time.Time{}
}

// noteUse remembers the last use of a key, until it is written with others.
func (c *Control) noteUse(key string, use model.KeyUse) {
	c.usedMu.Lock()
	c.used[key] = use
	c.usedMu.Unlock()
}

func (c *Control) lastUse(k *model.Key) time.Time {
	c.usedMu.Lock()
	defer c.usedMu.Unlock()
	return slices.MaxFunc([]time.Time{k.Created, k.LastUsed, c.used[k.Key].At}, time.Time.Compare)
}

// FlushUses writes when keys were last used, and from where. It is called now and then, and
// before the server stops.
func (c *Control) FlushUses(ctx context.Context) error {
	c.usedMu.Lock()
	used := c.used
	c.used = map[string]model.KeyUse{}
	c.usedMu.Unlock()
	if len(used) == 0 {
		return nil
	}
	err := c.store.Update(ctx, func(tx *store.Tx) error { return tx.TouchKeys(used) })
	if err == nil {
		return nil
	}
	c.usedMu.Lock()
	defer c.usedMu.Unlock()
	for key, use := range used { // the next time writes them, with what has come since
		if c.used[key].At.Before(use.At) {
			c.used[key] = use
		}
	}
	return err
}

package access

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// SessionEnded is the one answer to a cookie that opens no session: it has ended, or there
// never was one.
func SessionEnded() *model.Error {
	return &model.Error{Kind: model.Unauthenticated, Code: "session_ended",
		Message: "The session has ended: sign in again."}
}

// OpenSession returns who calls with the key and the secret that the cookie of a session
// names (contract, section 7): kind Unauthenticated where they open none, for whatever
// reason.
func (c *Control) OpenSession(ctx context.Context, key, secret string, from netip.Addr) (*model.Actor, error) {
	if model.MalformedSecret(secret) {
		return nil, SessionEnded()
	}
	now := c.clock()
	hash := sha256.Sum256([]byte(secret))
	actor, err := c.actor(ctx, key, now)
	if err != nil {
		return nil, err
	}
	by, opens := c.opens(actor, hash, now, from)
	if !opens && actor != nil {
		// What is remembered may be older than a secret that another node has just given out:
		// a browser would be told that its session had ended.
		if actor, err = c.readActor(ctx, key, now); err != nil {
			return nil, err
		}
		by, opens = c.opens(actor, hash, now, from)
	}
	if !opens || !by.Key.Session {
		return nil, SessionEnded()
	}
	c.noteUse(by.Key.Key, now)
	c.shareUse(ctx, &by.Key, now)
	return by, nil
}

// shareUse writes at once that a session was used which the store believes to have been idle
// for long: another node would soon take it for ended. Where that fails it is written later,
// with all others.
func (c *Control) shareUse(ctx context.Context, k *model.Key, now time.Time) {
	known := k.Created
	if k.LastUsed.After(known) {
		known = k.LastUsed
	}
	if now.Sub(known) < c.sessionIdle/2 {
		return
	}
	_ = c.store.Update(ctx, func(tx *store.Tx) error { return tx.TouchKeys(map[string]time.Time{k.Key: now}) })
}

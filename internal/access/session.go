package access

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"time"

	"signet/internal/audit"
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
	use := model.KeyUse{At: now, From: from}
	c.noteUse(by.Key.Key, use)
	c.tally.Called(by)
	c.shareUse(ctx, &by.Key, use)
	return by, nil
}

// shareUse writes at once that a session was used which the store believes to have been idle
// for long: another node would soon take it for ended. Where that fails it is written later,
// with all others.
func (c *Control) shareUse(ctx context.Context, k *model.Key, use model.KeyUse) {
	if use.At.Sub(k.Active()) < c.sessionIdle/2 {
		return
	}
	_ = c.store.Update(ctx, func(tx *store.Tx) error { return tx.TouchKeys(map[string]model.KeyUse{k.Key: use}) })
}

// elevationGrace is how long the secret of before opens a session that was elevated, as a
// regular key: for the calls that are on their way with the old cookie.
const elevationGrace = 30 * time.Second

// Elevate makes a session count as an administrative key for a while, by the password of its
// account, unless its organization requires more, or by an administrative key of it. It returns
// the new secret of the session: who had the old one before is not elevated with it.
func (c *Control) Elevate(ctx context.Context, actor *model.Actor, password string, with *model.Actor) (secret string,
	err error) {
	if err := MayGiveAccess(actor); err != nil {
		return "", err
	}
	now := c.now()
	until := now.Add(model.Elevation)
	var of store.Password
	if with != nil {
		if err := mayElevate(actor, with); err != nil {
			return "", err
		}
		if end := with.Key.Expires; !end.IsZero() && end.Before(until) {
			until = end
		}
	} else {
		of, err = c.checkPassword(ctx, actor.Account, password, codePasswordWrong, "The password is wrong.")
		if err == nil && of.Scope != "" && of.Scope != actor.Key.Scope {
			err = exceedsIssuer() // it proves nothing beyond its organization
		}
		if err != nil {
			return "", err
		}
	}
	secret, hash := newSecret()
	err = c.actOnSession(ctx, actor, model.ActionElevate, func(tx *store.Tx, _ *model.AuditEntry) error {
		if with == nil {
			if err := stillProven(tx, actor, &of); err != nil {
				return err
			}
			return tx.ElevateKey(actor.Key.Key, hash, now.Add(elevationGrace), until, "")
		}
		current, err := c.StillActs(tx, with)
		if err == nil {
			err = mayElevate(actor, current)
		}
		if err != nil {
			return err
		}
		return tx.ElevateKey(actor.Key.Key, hash, now.Add(elevationGrace), until, with.Key.Key)
	})
	if err != nil {
		return "", err
	}
	c.streams.Recheck() // some read with the old secret
	return secret, nil
}

// mayElevate refuses a key that does not elevate a session: another account's, a regular
// one, and one that opens less than the session would then do.
func mayElevate(session, with *model.Actor) error {
	switch {
	case with.Account != session.Account:
		return model.NotAllowed()
	case with.Key.Kind != model.Administrative:
		return model.AdministrativeKeyRequired()
	case !with.Key.Covers(session.Key.Scope) || !session.Key.Networks.Within(with.Key.Networks):
		return exceedsIssuer()
	}
	return MayGiveAccess(with)
}

// Lower makes a session a regular key again.
func (c *Control) Lower(ctx context.Context, actor *model.Actor) error {
	return c.actOnSession(ctx, actor, model.ActionLower, func(tx *store.Tx, _ *model.AuditEntry) error {
		return tx.LowerKey(actor.Key.Key)
	})
}

// actOnSession changes the session of the actor, which has to open still.
func (c *Control) actOnSession(ctx context.Context, actor *model.Actor, action model.AuditAction,
	change func(tx *store.Tx, line *model.AuditEntry) error) error {
	err := c.Act(ctx, actor, action, func(tx *store.Tx, line *model.AuditEntry) error {
		if err := tx.LockQueues(actor.Account); err != nil {
			return err
		}
		if _, err := c.stillGivesAccess(tx, actor); err != nil {
			return err
		}
		owner, found, err := tx.Account(actor.Account)
		if err == nil && !found {
			err = SessionEnded() // it was erased a moment ago
		}
		if err != nil {
			return err
		}
		line.OnKey = actor.Key.Key
		if err := audit.OnAccount(tx, line, &owner); err != nil {
			return err
		}
		return change(tx, line)
	})
	if err == nil {
		c.Forget(actor.Account)
	}
	return err
}

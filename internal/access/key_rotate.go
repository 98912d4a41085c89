package access

import (
	"context"
	"time"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
)

// Limits of a rotation's grace period.
const (
	DefaultGrace = time.Hour
	MaxGrace     = 24 * time.Hour
)

// RotateKey gives a key a new secret; the old one stays valid for the grace period.
// The caller has the key's secret from then on, so the key, like an issued one, must
// not exceed the key that asks for it (contract, section 1). One without a scope gets
// that of the administrator who rotates it.
func (c *Control) RotateKey(ctx context.Context, actor *model.Actor, address, key string, grace time.Duration,
	password string) (*IssuedKey, error) {
	if grace < 0 || grace > MaxGrace {
		return nil, model.Invalidf("grace_invalid", "grace", "The grace period is 0 to 86400 seconds.")
	}
	m, err := c.managed(ctx, actor, address)
	if err != nil {
		return nil, err
	}
	rotated, proven, err := c.rotatedKey(ctx, m, key, password)
	if err != nil {
		return nil, err
	}
	secret, hash := newSecret()
	until := c.now().Add(grace)
	var ended []string
	err = c.change(ctx, m, model.ActionKeyRotate, func(tx *store.Tx, m *managed, line *model.AuditEntry) error {
		line.OnKey = key
		if err := stillProven(tx, m.by, proven); err != nil {
			return err
		}
		k, err := m.key(tx, key)
		if err != nil {
			return err
		}
		issued, err := descendants(tx, m.ID, []string{key}, "")
		if err != nil {
			return err
		}
		all := append(issued, key)
		if ended = nil; grace == 0 {
			ended = issued
			if err := endIssued(tx, m.ID, ended, all); err != nil {
				return err
			}
		}
		if k.Scope == "" && rotated.Scope != "" {
			if err := giveScope(tx, m.ID, all, rotated.Scope); err != nil {
				return err
			}
		} else {
			rotated.Scope = k.Scope // which another rotation may have given it meanwhile
		}
		if err := tx.RotateKey(key, hash, until); err != nil || m.self {
			return err
		}
		position, err := m.queueNotice(tx)
		if err != nil {
			return err
		}
		if err := tx.NoteNoticed(&k, position); err != nil {
			return err
		}
		return m.recordAbroad(tx, line, rotated.Scope)
	})
	if err != nil {
		return nil, err
	}
	c.Forget(m.ID)
	c.streams.Recheck() // some may read with the old secret, or the one before
	if grace == 0 {
		c.hub.CloseSecrets(m.ID, key, model.MarkOf(hash), live.Revoked)
	}
	c.ended(m.ID, ended...)
	c.hub.Wake(ctx, m.ID)
	return &IssuedKey{Key: rotated, Secret: secret}, nil
}

// endIssued ends what was issued with the old secret of a key: keys, and the passkeys, subscriptions and webhooks
// that were made with any of these or with the key itself.
func endIssued(tx *store.Tx, account model.AccountID, issued, all []string) error {
	if err := tx.DeleteKeys(issued); err != nil {
		return err
	}
	if err := tx.EndMadeWith(all); err != nil {
		return err
	}
	return tx.EndWebhooksOf(account, all)
}

// giveScope gives keys a scope, and what was made with them.
func giveScope(tx *store.Tx, account model.AccountID, keys []string, scope model.OrganizationID) error {
	if err := tx.SetKeyScope(keys, scope); err != nil {
		return err
	}
	if err := tx.ScopePasskeysOf(account, keys, scope); err != nil {
		return err
	}
	return tx.ScopeWebhooksOf(account, keys, scope)
}

// rotatedKey returns a key as it is once the actor has rotated it, which it may, and the password that proved it, or
// nil.
func (c *Control) rotatedKey(ctx context.Context, m *managed, key, password string) (k model.Key,
	proven *store.Password, err error) {
	err = c.store.View(ctx, func(tx *store.Tx) (err error) {
		k, err = m.key(tx, key)
		return err
	})
	if err == nil {
		err = MayGiveAccess(m.by)
	}
	if err == nil && k.Session {
		err = model.NotAllowed() // a browser has its secret, and nobody else is to
	}
	if err != nil {
		return k, nil, err
	}
	if !m.all && k.Scope == "" {
		k.Scope = m.scopes[0]
	}
	issuer := m.by.Key
	if !m.self || m.by.Elevated { // which takes more than a cookie
		issuer.Expires = issuer.LastGrant()
	}
	if k.Exceeds(&issuer) {
		return k, nil, exceedsIssuer()
	}
	if k.Kind == model.Administrative {
		proven, err = c.proveAdministrative(ctx, m.by, password, k.Scope)
		if err == nil && proven != nil && proven.Scope != "" && k.Scope == "" {
			err = model.AdministrativeKeyRequired()
		}
	}
	return k, proven, err
}

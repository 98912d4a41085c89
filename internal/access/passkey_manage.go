package access

import (
	"context"
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Passkeys lists the passkeys of an account that the actor manages: its own, or as keys of their scope.
func (c *Control) Passkeys(ctx context.Context, actor *model.Actor, address string) (all []model.Passkey, err error) {
	m, err := c.managed(ctx, actor, address)
	if err != nil {
		return nil, err
	}
	line := model.AuditEntry{Action: model.ActionPasskeyList, User: m.ID}
	if err := c.reads.Record(ctx, c.now(), actor, line); err != nil {
		return nil, err
	}
	err = c.store.View(ctx, func(tx *store.Tx) error {
		all, err = tx.Passkeys(m.ID)
		return err
	})
	return slices.DeleteFunc(all, func(p model.Passkey) bool { return !m.managesPasskey(&p) }), err
}

func (m *managed) managesPasskey(p *model.Passkey) bool {
	k := p.Key()
	return m.manages(&k)
}

// RemovePasskey ends a passkey at once, with the sessions that came of it and what these issued; the session that asks
// stays. Where somebody else than the account does it, the account is told.
func (c *Control) RemovePasskey(ctx context.Context, actor *model.Actor, address string, id model.PasskeyID) error {
	m, err := c.mayChange(ctx, actor, address)
	if err == nil && m.self {
		err = c.wantRecent(actor)
	}
	if err != nil {
		return err
	}
	var ended []string
	err = c.change(ctx, m, model.ActionPasskeyRemove, func(tx *store.Tx, m *managed, line *model.AuditEntry) error {
		line.OnKey = id.String()
		p, found, err := tx.LockPasskey(m.ID, id)
		if err == nil && (!found || !m.managesPasskey(&p)) {
			err = model.Missing()
		}
		if err != nil {
			return err
		}
		if _, err := tx.DeletePasskey(m.ID, id); err != nil {
			return err
		}
		if ended, err = m.endProvenBy(tx, model.ProofOf(id)); err != nil {
			return err
		}
		if !m.self {
			if _, err := m.queueNotice(tx); err != nil {
				return err
			}
		}
		return m.recordAbroad(tx, line, p.Scope)
	})
	if err != nil {
		return err
	}
	c.ended(m.ID, ended...)
	c.hub.Wake(ctx, m.ID)
	return nil
}

// endProvenBy ends the account's keys whose sign-ins had a proof, but for the one that asks for it.
func (m *managed) endProvenBy(tx *store.Tx, by model.Proof) ([]string, error) {
	keys, err := tx.KeysProvenBy(m.ID, by)
	if err != nil {
		return nil, err
	}
	var stays *model.Key
	if m.self {
		stays = &m.by.Key
		keys = slices.DeleteFunc(keys, func(k string) bool { return k == stays.Key })
	}
	return endKeys(tx, m.ID, keys, stays)
}

// AllowPasskey lets an account whose passkey is lost make one with its password alone, within a day. It is for
// administrators of the organization that created the account, and for operators; the account is told.
func (c *Control) AllowPasskey(ctx context.Context, actor *model.Actor, address string) (until time.Time, err error) {
	m, err := c.mayChange(ctx, actor, address)
	if err == nil {
		err = m.mayAllow()
	}
	if err != nil {
		return until, err
	}
	until = c.now().Add(model.PasskeyAllowance)
	err = c.change(ctx, m, model.ActionPasskeyAllow, func(tx *store.Tx, m *managed, _ *model.AuditEntry) error {
		if err := m.mayAllow(); err != nil {
			return err
		}
		if err := tx.AllowPasskey(m.ID, until); err != nil {
			return err
		}
		_, err := m.queueNotice(tx)
		return err
	})
	if err == nil {
		c.hub.Wake(ctx, m.ID)
	}
	return until, err
}

// mayAllow refuses who does not manage the account for the organization that may require a passkey of it.
func (m *managed) mayAllow() error {
	if !m.self && (m.all || m.CreatedBy != "" && slices.Contains(m.scopes, m.CreatedBy)) {
		return nil
	}
	return model.NotAllowed()
}

// ExportedPasskeys returns the account's passkeys that the actor manages.
func (c *Control) ExportedPasskeys(ctx context.Context, actor *model.Actor, e Export) ([]model.Passkey, error) {
	m, err := c.managed(ctx, actor, e.Account.String())
	if err != nil {
		return nil, err
	}
	all, err := store.Read(ctx, c.store, func(tx *store.Tx) ([]model.Passkey, error) { return tx.Passkeys(m.ID) })
	return slices.DeleteFunc(all, func(p model.Passkey) bool { return !m.managesPasskey(&p) }), err
}

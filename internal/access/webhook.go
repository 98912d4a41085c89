package access

import (
	"context"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// A webhook gives access as a key does: whoever has the URL reads what a key of its scope would. So it is
// made, seen, changed and ended by whom keys are (contract, sections 1 and 8): what an administrator makes
// or changes has its organization as the scope, and the account is told; what an account makes itself has at
// most the scope of the key that it came with, and ends with that key. A webhook reads from everywhere, so a key
// with allowed networks makes none.

// Managed is an account of which an actor manages what gives access to it.
type Managed struct{ *managed }

// Self reports whether the account itself acts.
func (m *Managed) Self() bool { return m.self }

// Scope is that of a webhook which is made: the one that is asked for, or else that of a key which would
// be issued.
func (m *Managed) Scope(asked, call model.OrganizationID) (model.OrganizationID, error) {
	return m.scope(asked, call, m.Memberships)
}

// Refuses is why a webhook is not managed; nil: it is. It is listed where it is managed only, so any other
// does not exist for the actor.
func (m *Managed) Refuses(w *model.Webhook) error {
	if k := w.Key(); !m.manages(&k) {
		return model.Missing()
	}
	return nil
}

// MayMake refuses an actor who may not say where events go to: a webhook would exceed its key.
func (m *Managed) MayMake() error {
	if len(m.by.Key.Networks) > 0 {
		return model.Forbiddenf("exceeds_issuer", "A key with allowed networks makes no webhook, and has none go "+
			"elsewhere: a webhook reads from everywhere.")
	}
	return nil
}

// Made says who made a webhook, and tells the account where that was somebody else. It returns the
// position from which on events go there.
func (m *Managed) Made(tx *store.Tx, w *model.Webhook) (position int64, err error) {
	if m.self {
		w.Parent = m.by.Key.Key
		return tx.Position(1, m.ID)
	}
	w.IssuedBy = m.by.Account
	w.Noticed, err = m.queueNotice(tx)
	return w.Noticed, err
}

// Adopt makes the actor answer for a webhook from now on, who gives it another URL or enables it after its key ended.
// Where somebody else than the account does, Tell comes first.
func (m *Managed) Adopt(w *model.Webhook) error {
	if err := m.MayMake(); err != nil {
		return err
	}
	if m.self {
		w.Parent, w.IssuedBy, w.Noticed = m.by.Key.Key, model.AccountID{}, 0
	} else {
		w.Parent, w.IssuedBy = "", m.by.Account
	}
	return nil
}

// Tell tells the account that somebody else changes a webhook of it, which then passes over that notice. As a
// key that is rotated, it has a scope of the actor's from then on.
func (m *Managed) Tell(tx *store.Tx, w *model.Webhook) (err error) {
	if m.self {
		return nil
	}
	if !m.all && w.Scope == "" {
		w.Scope = m.scopes[0]
	}
	w.Noticed, err = m.queueNotice(tx)
	return err
}

// StandsScope asks whether the organization is there in which a webhook is to serve.
func (m *Managed) StandsScope(tx *store.Tx, w *model.Webhook) error {
	k := w.Key()
	return scopeStands(tx, &k)
}

// Manage finds an account of which the actor manages something, for a call that reads.
func (c *Control) Manage(ctx context.Context, actor *model.Actor, address string) (*Managed, error) {
	m, err := c.managed(ctx, actor, address)
	return &Managed{m}, err
}

// ManageToChange is Manage for a call that is about to change what gives access.
func (c *Control) ManageToChange(ctx context.Context, actor *model.Actor, address string) (*Managed, error) {
	m, err := c.mayChange(ctx, actor, address)
	return &Managed{m}, err
}

// ChangeWebhook changes something of an account's webhooks, after asking once more, inside the
// transaction, what the actor manages, which fn is told. fn returns the webhook that it is about. The line
// of the audit log says which it is, and is the last that is written.
func (c *Control) ChangeWebhook(ctx context.Context, m *Managed, action model.AuditAction,
	fn func(*store.Tx, *Managed, *model.AuditEntry) (*model.Webhook, error)) error {
	err := c.change(ctx, m.managed, action, func(tx *store.Tx, current *managed, line *model.AuditEntry) error {
		w, err := fn(tx, &Managed{current}, line)
		if err != nil {
			return err
		}
		line.OnKey = w.ID.String()
		return current.recordAbroad(tx, line, w.Scope)
	})
	if err == nil {
		c.hub.Wake(ctx, m.ID)
	}
	return err
}

// RecordRead notes that an actor read of the webhooks of an account.
func (c *Control) RecordRead(ctx context.Context, m *Managed) error {
	return c.reads.Record(ctx, c.now(), m.by, model.AuditEntry{Action: model.ActionWebhookRead, User: m.ID})
}

// Standing is what a webhook opens at a time.
type Standing int

const (
	Opens  Standing = iota // what its Actor may read
	Rests                  // nothing now, since its account is disabled
	Lacks                  // nothing now, since a password alone made it, and an organization requires more
	Ended                  // nothing any more: the key that it came from ended
	Absent                 // nothing any more: its account is gone
)

// WebhookActor returns who reads for a webhook: its account, as a key of its scope would act. It is asked
// for before each part of a queue that is read.
func (c *Control) WebhookActor(ctx context.Context, w *model.Webhook) (actor *model.Actor, standing Standing,
	err error) {
	now := c.clock()
	err = c.store.View(ctx, func(tx *store.Tx) error {
		actor, standing = nil, Opens
		account, found, err := tx.Account(w.Account)
		if err != nil || !found {
			standing = Absent
			return err
		}
		memberships, err := tx.Memberships(w.Account)
		if err != nil {
			return err
		}
		made := newActor(w.Key(), &account, memberships)
		made.Webhook = true
		if made.Issuers, err = issuers(tx, &made.Key, nil); err != nil {
			return err
		}
		if made.OneFactor, err = oneFactor(tx, &made); err != nil {
			return err
		}
		switch ended := w.Parent != "" && (len(made.Issuers) == 0 || made.Issuers[0].Key != w.Parent); {
		case ended || c.over(&made, now):
			standing = Ended
		case made.Disabled:
			standing = Rests
		case made.OneFactor:
			standing = Lacks
		}
		actor = &made
		return nil
	}, store.Short)
	return actor, standing, err
}

// EndWebhook tells, in the transaction in which the server disables a webhook, its account and the audit
// log. Nothing comes after it there. The caller wakes the account.
func (c *Control) EndWebhook(ctx context.Context, tx *store.Tx, w *model.Webhook) error {
	account, found, err := tx.Account(w.Account)
	if err != nil || !found {
		return err
	}
	if err := tx.QueueSettingsOnce(w.Account, ""); err != nil {
		return err
	}
	line := audit.NewLine(ctx, c.now(), nil, model.ActionWebhookDisable)
	line.OnKey, line.Detail = w.ID.String(), "reason="+string(w.Ended)
	if err := audit.OnAccount(tx, &line, &account); err != nil {
		return err
	}
	if w.Scope != "" {
		audit.OnOrganization(&line, w.Scope)
	}
	return audit.Record(tx, &line)
}

// Wake wakes the readers of an account.
func (c *Control) Wake(ctx context.Context, account model.AccountID) { c.hub.Wake(ctx, account) }

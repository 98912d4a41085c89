package access

import (
	"context"
	"slices"

	"signet/internal/model"
	"signet/internal/store"
)

// Export is the archive of an account's data that an actor asks for.
type Export struct {
	Account model.AccountID
	Own     bool // of the actor's own account, with what people wrote
}

// Exported is an account as an archive tells of it.
type Exported struct {
	Target // with the memberships that it tells of

	// Reader is the account itself in those organizations: what it may see there is what
	// there is in the archive.
	Reader *model.Actor

	// All is set where the archive tells of all organizations, and of what is in none.
	All bool
}

// BeginExport lets an actor have the archive of an account, and leaves the line of it in
// the audit log. For oneself any key will do, since each reads all of it call by call, but
// a session has to be elevated: a browser that somebody left open would give away a life
// in one file. For others it takes who manages some of the account's keys, and the account
// is told by account:settings.
func (c *Control) BeginExport(ctx context.Context, actor *model.Actor, address string) (e Export, err error) {
	m, err := c.managed(ctx, actor, address)
	if err == nil {
		err = m.mayExport()
	}
	if err != nil {
		return e, err
	}
	e = Export{Account: m.ID, Own: m.self}
	err = c.Act(ctx, actor, model.ActionUserExport, func(tx *store.Tx, line *model.AuditEntry) error {
		if !e.Own {
			if err := tx.LockQueues(m.ID); err != nil {
				return err
			}
		}
		m, err := c.stillManaged(tx, actor, m.ID, line)
		if err == nil {
			err = m.mayExport()
		}
		if err != nil || e.Own {
			return err
		}
		if _, err := m.queueNotice(tx); err != nil || m.all {
			return err
		}
		return m.recordAbroad(tx, line, m.scopes[0])
	})
	if err == nil && !e.Own {
		c.hub.Wake(ctx, m.ID)
	}
	return e, err
}

func (m *managed) mayExport() error {
	if m.self && m.by.Key.Session && !m.by.Elevated {
		return model.AdministrativeKeyRequired()
	}
	return nil
}

// Exported returns what the actor may have of an account by now, in an archive that was
// begun: it ends with the actor's key, and with its rights. A session stays as elevated as
// it was.
func (c *Control) Exported(ctx context.Context, actor *model.Actor, e Export) (out Exported, err error) {
	fresh, err := c.Current(ctx, actor)
	if err == nil {
		err = WantSecondFactor(fresh)
	}
	if err != nil {
		return out, err
	}
	current := *fresh
	current.Elevated = actor.Elevated
	err = c.store.View(ctx, func(tx *store.Tx) error {
		if out.Target, err = c.Target(tx, &current, e.Account.String()); err != nil {
			return err
		}
		r, err := reachOf(&current, &out.Account, out.Memberships)
		if err != nil {
			return err
		}
		out.All = r.all
		if out.Reader = &current; !e.Own {
			out.Memberships = slices.DeleteFunc(out.Memberships,
				func(m model.Membership) bool { return !current.Administers(m.Organization) })
			out.Reader = &model.Actor{Account: e.Account, Memberships: out.Memberships}
		}
		return nil
	})
	return out, err
}

// ExportedKeys returns the account's keys that the actor sees.
func (c *Control) ExportedKeys(ctx context.Context, actor *model.Actor, e Export) ([]model.Key, error) {
	m, err := c.managed(ctx, actor, e.Account.String())
	if err != nil {
		return nil, err
	}
	keys, err := store.Read(ctx, c.store, func(tx *store.Tx) ([]model.Key, error) { return tx.Keys(m.ID) })
	return c.seen(&m.reach, keys), err
}

// ExportedWebhooks returns the account's webhooks that the actor manages.
func (c *Control) ExportedWebhooks(ctx context.Context, actor *model.Actor, e Export) ([]store.WebhookRow, error) {
	m, err := c.managed(ctx, actor, e.Account.String())
	if err != nil {
		return nil, err
	}
	all, err := store.Read(ctx, c.store, func(tx *store.Tx) ([]store.WebhookRow, error) { return tx.Webhooks(m.ID) })
	of := &Managed{m}
	return slices.DeleteFunc(all, func(w store.WebhookRow) bool { return of.Refuses(&w.Webhook) != nil }), err
}

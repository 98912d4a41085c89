package access

import (
	"context"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// managed is an account of which an actor manages some keys, as both were when that was asked.
type managed struct {
	Target
	reach
	by *model.Actor
}

// managed finds an account of which the actor manages some keys.
func (c *Control) managed(ctx context.Context, actor *model.Actor, address string) (*managed, error) {
	m := &managed{by: actor}
	err := c.store.View(ctx, func(tx *store.Tx) (err error) {
		if m.Target, err = c.Target(tx, actor, address); err != nil {
			return err
		}
		m.reach, err = reachOf(actor, &m.Account, m.Memberships)
		return err
	})
	return m, err
}

// mayChange finds an account whose keys or password the actor is about to change. What gives
// access takes more than managing the account: a secret that was replaced gives none.
func (c *Control) mayChange(ctx context.Context, actor *model.Actor, address string) (*managed, error) {
	m, err := c.managed(ctx, actor, address)
	if err == nil {
		err = MayGiveAccess(actor)
	}
	return m, err
}

// change changes something about an account's keys, after asking once more, inside the
// transaction, what the actor manages, which fn is told. It holds the account's queue, so
// that a transaction which ends all keys of an account misses none that is being
// made.
func (c *Control) change(ctx context.Context, m *managed, action model.AuditAction,
	fn func(*store.Tx, *managed, *model.AuditEntry) error) error {
	return c.Act(ctx, m.by, action, func(tx *store.Tx, line *model.AuditEntry) error {
		if err := tx.LockQueues(m.ID); err != nil {
			return err
		}
		current, err := c.stillManaged(tx, m.by, m.ID, line)
		if err != nil {
			return err
		}
		return fn(tx, current, line)
	})
}

// stillManaged asks inside a transaction which keys of an account the actor manages.
func (c *Control) stillManaged(tx *store.Tx, actor *model.Actor, account model.AccountID, line *model.AuditEntry) (
	*managed, error) {
	current, err := c.stillGivesAccess(tx, actor)
	if err != nil {
		return nil, err
	}
	m := &managed{by: actor}
	if m.Target, err = targetOf(tx, account, model.Missing); err != nil {
		return nil, err
	}
	if m.reach, err = reachOf(current, &m.Account, m.Memberships); err != nil {
		return nil, err
	}
	return m, audit.OnAccount(tx, line, &m.Account)
}

// stillGivesAccess returns the actor as it is inside a transaction, in which it may change
// who has access.
func (c *Control) stillGivesAccess(tx *store.Tx, actor *model.Actor) (*model.Actor, error) {
	current, err := c.StillActs(tx, actor)
	if err == nil {
		err = MayGiveAccess(current)
	}
	return current, err
}

// targetOf reads an account with all its memberships. It answers as it is told where the
// account was erased a moment ago.
func targetOf(tx *store.Tx, id model.AccountID, erased func() *model.Error) (t Target, err error) {
	account, found, err := tx.Account(id)
	if err == nil && !found {
		err = erased()
	}
	if err != nil {
		return t, err
	}
	memberships, err := tx.Memberships(id)
	return Target{Account: account, Memberships: memberships}, err
}

// key returns a key of the account, if it is within reach.
func (m *managed) key(tx *store.Tx, key string) (model.Key, error) {
	k, found, err := tx.Key(key)
	switch {
	case err != nil:
		return k, err
	case !found || k.Account != m.ID:
		return k, model.Missing()
	}
	return k, m.refuses(&k)
}

// queueNotice tells the account that the actor changed its access, and returns where in its
// queue.
func (m *managed) queueNotice(tx *store.Tx) (position int64, err error) {
	if actsAbroad(m.by, &m.Account) {
		return tx.QueueNoticeOnce(m.ID)
	}
	return tx.QueueNotice(m.ID)
}

// recordAbroad has the line of an act on the account's keys be of the organization whose
// keys these are, where the actor administers that one and not the account's own.
func (m *managed) recordAbroad(tx *store.Tx, line *model.AuditEntry, scope model.OrganizationID) error {
	if scope == "" || !actsAbroad(m.by, &m.Account) {
		return nil
	}
	audit.OnOrganization(line, scope)
	return TellHome(tx, m.by, line, &m.Account)
}

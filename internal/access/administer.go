package access

import (
	"context"
	"slices"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// AdministeredTarget finds the account that a call about an organization is about: for the
// account itself, and for administrators of the organization. It answers others alike
// whether or not there is such an account.
func (c *Control) AdministeredTarget(tx *store.Tx, actor *model.Actor, address string,
	organization model.OrganizationID) (Target, error) {
	t, err := c.Target(tx, actor, address)
	if (err == nil || model.IsNotFound(err)) && (err != nil || t.ID != actor.Account) {
		if refused := actor.MayAdminister(organization); refused != nil {
			return Target{}, refused
		}
	}
	return t, err
}

// Administer is act for a call that takes an administrator of the organization. The
// right is checked before, and once more with the organization locked.
func (c *Control) Administer(ctx context.Context, actor *model.Actor, action model.AuditAction,
	organization model.OrganizationID, fn func(tx *store.Tx, line *model.AuditEntry) error) error {
	if err := actor.MayAdminister(organization); err != nil {
		return err
	}
	return c.ActOn(ctx, actor, action, organization, func(tx *store.Tx, line *model.AuditEntry) error {
		if err := c.StillAdministers(tx, actor, organization); err != nil {
			return err
		}
		return fn(tx, line)
	})
}

// Quit is act for a call by which an account leaves the organization itself. Whether it is
// a member is for fn to find out, with the organization locked: a key with a scope may be
// one of the creating organization's.
func (c *Control) Quit(ctx context.Context, actor *model.Actor, action model.AuditAction,
	organization model.OrganizationID, fn func(tx *store.Tx, line *model.AuditEntry) error) error {
	if !actor.MemberOf(organization) && actor.Key.Scope == "" {
		return model.Missing()
	}
	return c.ActOn(ctx, actor, action, organization, func(tx *store.Tx, line *model.AuditEntry) error {
		if err := c.StillOpens(tx, actor); err != nil {
			return err
		}
		return fn(tx, line)
	})
}

// ActOn is act on an organization, which is locked.
func (c *Control) ActOn(ctx context.Context, actor *model.Actor, action model.AuditAction,
	organization model.OrganizationID, fn func(tx *store.Tx, line *model.AuditEntry) error) error {
	return c.Act(ctx, actor, action, func(tx *store.Tx, line *model.AuditEntry) error {
		audit.OnOrganization(line, organization)
		if err := tx.LockOrganization(organization); err != nil {
			return err
		}
		return fn(tx, line)
	})
}

// StillAdministersAny asks inside a transaction whether the actor is still an operator,
// or the administrator of some organization, which stays so until it ends.
func (c *Control) StillAdministersAny(tx *store.Tx, actor *model.Actor) error {
	if err := c.StillOpens(tx, actor); err != nil || actor.Operator {
		return err
	}
	organizations := actor.Organizations()
	slices.Sort(organizations)
	for _, id := range organizations {
		if !actor.Administers(id) {
			continue
		}
		if err := tx.ShareOrganization(id); err != nil {
			return err
		}
		memberships, err := tx.MembershipsIn(id, []model.AccountID{actor.Account})
		if err != nil {
			return err
		}
		current := *actor
		if current.Memberships = memberships; current.Administers(id) {
			return nil
		}
	}
	return model.NotAdministrator()
}

// Acting is what an actor does in a transaction, while what it came with opens still.
func (c *Control) Acting(actor *model.Actor, fn func(*store.Tx) error) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		if err := c.StillCalls(tx, actor); err != nil {
			return err
		}
		return fn(tx)
	}
}

package access

import (
	"context"
	"slices"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/rota"
	"signet/internal/store/searchindex"
)

// SetDisabled disables an account, or enables it again. Nothing opens a disabled one: its
// keys and its password answer as wrong ones do. All else goes on, so that it is as before
// once it is enabled, of which it is told then. It is for those who may set the account's
// password without the old one. Doing it again changes nothing.
func (c *Control) SetDisabled(ctx context.Context, actor *model.Actor, address string, disabled bool) error {
	t, err := c.Ruled(ctx, actor, address)
	if err != nil {
		return err
	}
	action, kind := model.ActionUserEnable, searchindex.Account
	if disabled {
		action, kind = model.ActionUserDisable, searchindex.DisabledAccount
	}
	changed := false
	err = c.Act(ctx, actor, action, func(tx *store.Tx, line *model.AuditEntry) error {
		changed = false
		if err := LockOrganizationsOf(tx, t.ID); err != nil {
			return err
		}
		if err := tx.LockQueues(t.ID); err != nil {
			return err
		}
		t, err := c.StillRules(tx, actor, t.ID, line)
		if err != nil || t.Disabled == disabled {
			return err
		}
		for _, m := range t.Memberships {
			if disabled && m.Has(model.RoleAdmin) {
				if err := NotLastAdministrator(tx, m.Organization, t.ID); err != nil {
					return err
				}
			}
			if err := searchindex.SetKind(tx, m.Organization, model.EntityID(t.ID), kind); err != nil {
				return err
			}
		}
		if err := tx.SetDisabled(t.ID, disabled); err != nil {
			return err
		}
		if err := rota.NoteAway(tx, t.ID); err != nil {
			return err
		}
		if changed = true; disabled {
			return nil // nothing of it is read now
		}
		_, err = tx.QueueNotice(t.ID)
		return err
	})
	if err != nil || !changed {
		return err
	}
	c.Forget(t.ID)
	if disabled {
		c.hub.CloseAccount(t.ID, live.Revoked)
	} else {
		c.hub.Wake(ctx, t.ID)
	}
	return nil
}

// Ruled finds the account that an address names for an actor who decides about the whole
// of it: one who may set its password without the old one. No actor decides about itself.
func (c *Control) Ruled(ctx context.Context, actor *model.Actor, address string) (Target, error) {
	m, err := c.mayChange(ctx, actor, address)
	if err == nil && !m.rules() {
		err = model.NotAllowed()
	}
	return m.Target, err
}

// StillRules asks that once more, inside the transaction in which the account's
// organizations and its queue are locked.
func (c *Control) StillRules(tx *store.Tx, actor *model.Actor, account model.AccountID,
	line *model.AuditEntry) (Target, error) {
	m, err := c.stillManaged(tx, actor, account, line)
	if err != nil {
		return Target{}, err
	}
	if !m.rules() {
		return Target{}, model.NotAllowed()
	}
	return m.Target, nil
}

// rules reports whether the actor decides about the whole account, which is neither its own nor an
// operator's.
func (m *managed) rules() bool { return !m.self && !m.Operator && (m.all || m.unscoped) }

// LockOrganizationsOf locks the organizations of an account in one order, so that their
// administrators stay who they are.
func LockOrganizationsOf(tx *store.Tx, account model.AccountID) error {
	organizations, err := tx.OrganizationsOf(account)
	if err != nil {
		return err
	}
	slices.Sort(organizations)
	for _, organization := range organizations {
		if err := tx.LockOrganization(organization); err != nil {
			return err
		}
	}
	return nil
}

// NotLastAdministrator refuses to take an administrator from an organization, which is
// locked, unless it has another one that is not disabled.
func NotLastAdministrator(tx *store.Tx, organization model.OrganizationID, account model.AccountID) error {
	admins, err := tx.Holders(organization, model.RoleAdmin)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(admins, func(id model.AccountID) bool { return id == account })
	disabled, err := tx.DisabledAmong(others)
	if err == nil && len(disabled) == len(others) {
		err = LastAdministrator()
	}
	return err
}

// LastAdministrator is the answer to what would leave an organization without one.
func LastAdministrator() *model.Error {
	return model.Invalidf("last_administrator", "", "An organization keeps at least one administrator.")
}

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
	action := model.ActionUserEnable
	if disabled {
		action = model.ActionUserDisable
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
		changed = true
		return Switch(tx, &t, disabled)
	})
	if err == nil && changed {
		c.Switched(ctx, t.ID, disabled)
	}
	return err
}

// Switch disables an account or enables it, inside a transaction in which its organizations and its queue are
// locked. Switched comes after it.
func Switch(tx *store.Tx, t *Target, disabled bool) error {
	kind := searchindex.Account
	if disabled {
		kind = searchindex.DisabledAccount
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
	if err := rota.NoteAway(tx, t.ID); err != nil || disabled { // nothing of its queue is read then
		return err
	}
	_, err := tx.QueueNotice(t.ID)
	return err
}

// Switched makes it hold at once.
func (c *Control) Switched(ctx context.Context, account model.AccountID, disabled bool) {
	c.Forget(account)
	if disabled {
		c.hub.CloseAccount(account, live.Revoked)
	} else {
		c.hub.Wake(ctx, account)
	}
}

// EndKeys ends all keys of an account, whose queue is locked, and with them its sessions and what these pushed to.
func EndKeys(tx *store.Tx, account model.AccountID) error {
	keys, err := tx.Keys(account)
	if err != nil {
		return err
	}
	names := make([]string, len(keys))
	for i := range keys {
		names[i] = keys[i].Key
	}
	return tx.DeleteKeys(names)
}

// EndAll takes everything from an account, whose queue is locked, by which somebody could sign in, read or
// be told something: what somebody of the same name gets it with who may be somebody else.
func EndAll(tx *store.Tx, account model.AccountID) error {
	if err := EndKeys(tx, account); err != nil {
		return err
	}
	if err := tx.SetPassword(account, store.Password{}); err != nil {
		return err
	}
	hooks, err := tx.Webhooks(account)
	if err != nil {
		return err
	}
	for i := range hooks {
		if _, err := tx.DeleteWebhook(account, hooks[i].ID); err != nil {
			return err
		}
	}
	passkeys, err := tx.Passkeys(account)
	if err != nil {
		return err
	}
	for i := range passkeys {
		if _, err := tx.DeletePasskey(account, passkeys[i].ID); err != nil {
			return err
		}
	}
	return tx.ForgetAllowance(account)
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

// Rules reports whether an actor decides about the whole of an account, whose memberships are all there: it may
// disable it, and take all its access away.
func Rules(actor *model.Actor, t *Target) bool {
	r, err := reachOf(actor, &t.Account, t.Memberships)
	m := managed{Target: *t, reach: r}
	return err == nil && m.rules()
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

package access

import (
	"context"
	"slices"

	"signet/internal/model"
	"signet/internal/store"
)

func oldPasswordRequired() error {
	return model.Invalidf("old_password_required", "old_password", "The old password is required.")
}

// SetPassword changes a password: one's own with the old one, or, without it, that of
// an account whose password the actor sets (contract, section 1). It ends what came of
// sign-ins, but for the key that asks. An operator that has none yet sets its first with an
// administrative key, or in a session that is elevated.
//
// What is set with a key of some scope gives no access beyond that of the password before:
// else an administrator could make a password that it knows the account's own.
func (c *Control) SetPassword(ctx context.Context, actor *model.Actor, address, old, password string,
	organization model.OrganizationID) error {
	if err := ValidPassword(password); err != nil {
		return err
	}
	m, err := c.mayChange(ctx, actor, address)
	if err != nil {
		return err
	}
	set := store.Password{}
	var before *store.Password
	first := old == "" && m.mayBeFirst()
	if !first {
		if set.Scope, before, err = c.passwordScope(ctx, m, old, organization); err != nil {
			return err
		}
	}
	if err := c.WantOwnPassword(ctx, password, &m.Account, m.Memberships); err != nil {
		return err
	}
	if set.Hash, err = c.HashPassword(ctx, password); err != nil {
		return err
	}
	var ended []string
	err = c.change(ctx, m, model.ActionPasswordSet, func(tx *store.Tx, m *managed, _ *model.AuditEntry) error {
		if !m.self && !m.rules() {
			return model.NotAllowed()
		}
		if first {
			if err := wantNoPassword(tx, m.ID); err != nil {
				return err
			}
		}
		if before != nil { // nobody has set another one while this one was hashed
			if err := stillPassword(tx, m.ID, before, codeOldPasswordWrong, wrongOldPassword); err != nil {
				return err
			}
		}
		var err error
		if ended, err = m.endLogins(tx); err != nil {
			return err
		}
		if err := tx.SetPassword(m.ID, set); err != nil || m.self {
			return err
		}
		_, err = tx.QueueNotice(m.ID)
		return err
	})
	if err != nil {
		return err
	}
	c.ended(m.ID, ended...)
	c.hub.Wake(ctx, m.ID)
	return nil
}

// mayBeFirst reports whether the actor sets a first password of its own without an old one:
// an operator, because nobody else sets the password of the only one.
func (m *managed) mayBeFirst() bool {
	return m.self && m.all && m.by.Operator && m.by.Administrative()
}

// HasPassword reports whether the actor's account has a password: whoever came by a key or by the link of a first start
// may have none, and pages ask for one to elevate a session.
func (c *Control) HasPassword(ctx context.Context, actor *model.Actor) (has bool, err error) {
	err = c.store.View(ctx, func(tx *store.Tx) error {
		given, err := tx.Password(actor.Account)
		has = given.Hash != ""
		return err
	})
	return has, err
}

// wantNoPassword refuses to go without the old password where there is one.
func wantNoPassword(tx *store.Tx, account model.AccountID) error {
	given, err := tx.Password(account)
	if err == nil && given.Hash != "" {
		err = oldPasswordRequired()
	}
	return err
}

const wrongOldPassword = "The old password is wrong."

// passwordScope returns the scope of a password that the actor sets: by the old one, which it returns too, that of
// this, and without it that in which the actor gives access.
func (c *Control) passwordScope(ctx context.Context, m *managed, old string, organization model.OrganizationID) (
	scope model.OrganizationID, before *store.Password, err error) {
	switch {
	case m.self && old == "":
		return "", nil, oldPasswordRequired()
	case m.self:
		compared, err := c.checkPassword(ctx, m.ID, old, codeOldPasswordWrong, wrongOldPassword)
		if !m.all {
			scope = compared.Scope
		}
		return scope, &compared, err
	case m.all:
		scope, err = m.scope(organization, "", m.Memberships)
		return scope, nil, err
	case m.unscoped:
		return m.scopes[0], nil, nil
	}
	return "", nil, model.NotAllowed()
}

// endLogins ends what came of the account's sign-ins, but for the key that asks for it.
func (m *managed) endLogins(tx *store.Tx) (ended []string, err error) {
	logins, err := tx.AllLoginKeys(m.ID)
	if err != nil {
		return nil, err
	}
	var stays *model.Key
	if m.self {
		stays = &m.by.Key
		logins = slices.DeleteFunc(logins, func(k string) bool { return k == stays.Key })
	}
	return endKeys(tx, m.ID, logins, stays)
}

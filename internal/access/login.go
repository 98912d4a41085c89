package access

import (
	"context"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// maxDevice bounds the name of a device, in bytes.
const maxDevice = 256

// Login is what a sign-in gives: a key for the device, and who calls with it.
type Login struct {
	Actor  *model.Actor
	Secret string
}

// Proven is an account whose password was given.
type Proven struct {
	account model.AccountID
	hash    string // of the password
}

// Counter is what all password sign-ins of the account share: its daily allowance of
// messages, and the rate of its requests. Else signing in again would renew both.
func (p *Proven) Counter() string { return store.CounterOf(p.account) }

// CheckPassword returns the account of a user whose password is right. A wrong one and
// an unknown user answer alike and take as long.
func (c *Control) CheckPassword(ctx context.Context, user, password string) (*Proven, error) {
	var account model.AccountID
	var hash string
	err := c.store.View(ctx, func(tx *store.Tx) error {
		account, hash = model.AccountID{}, ""
		entity, _, found, err := c.Resolve(tx, &model.Actor{}, user, false)
		if err != nil || !found || entity.IsZero() {
			return err
		}
		account = model.AccountID(entity)
		hash, err = tx.PasswordHash(account)
		return err
	})
	if err != nil {
		return nil, err
	}
	ok, err := c.verifyPassword(ctx, hash, password)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, WrongCredentials()
	}
	return &Proven{account, hash}, nil
}

// LoginWithPassword signs an account in on a device.
func (c *Control) LoginWithPassword(ctx context.Context, proven *Proven, device string) (Login, error) {
	return c.login(ctx, proven.account, device, nil, proven.hash)
}

// LoginWithKey signs the owner of a key in on a device; the new key counts its
// messages with the one that it came from.
func (c *Control) LoginWithKey(ctx context.Context, actor *model.Actor, device string) (Login, error) {
	return c.login(ctx, actor.Account, device, actor, "")
}

// login issues a regular key for a device, in place of that device's last one. It
// asks once more for what was proved: the key that it is from, or the password.
func (c *Control) login(ctx context.Context, account model.AccountID, device string, from *model.Actor,
	passwordHash string) (Login, error) {
	if len(device) > maxDevice {
		return Login{}, model.Invalidf("too_long", "device_id", "At most %d bytes are allowed.", maxDevice)
	}
	issued := c.NewKey(account, model.Regular)
	issued.Login, issued.Device = true, device
	if from != nil {
		issued.share(&from.Key)
		issued.Expires, issued.Networks = from.Key.Expires, from.Key.Networks
	} else {
		issued.Counter = store.CounterOf(account)
	}
	var replaced []string
	by, signed := model.Actor{Account: account}, model.Actor{}
	if from != nil {
		by = *from
	}
	err := c.act(ctx, &by, model.ActionLogin, func(tx *store.Tx, line *model.AuditEntry) error {
		replaced = nil
		if err := tx.LockQueues(account); err != nil {
			return err
		}
		keys, err := tx.Keys(account)
		if err != nil {
			return err
		}
		if err := c.stillProved(tx, account, from, passwordHash); err != nil {
			return err
		}
		for _, k := range keys {
			if k.Login && k.Device == device && device != "" && (from == nil || k.Key != from.Key.Key) {
				replaced = append(replaced, k.Key)
				if err := tx.DeleteKey(k.Key); err != nil {
					return err
				}
			}
		}
		if err := tx.InsertKey(&issued.Key); err != nil {
			return err
		}
		owner, found, err := tx.Account(account)
		if err == nil && !found {
			err = WrongCredentials() // it was erased a moment ago
		}
		if err != nil {
			return err
		}
		memberships, err := tx.Memberships(account)
		if err != nil {
			return err
		}
		signed = newActor(issued.Key, &owner, memberships)
		line.OnKey = issued.Key.Key
		return audit.OnAccount(tx, line, &owner)
	})
	if err != nil {
		return Login{}, err
	}
	for _, key := range replaced {
		c.ended(account, key)
	}
	return Login{Actor: &signed, Secret: issued.Secret}, nil
}

// stillProved asks whether a key that signs in still opens, or the password is the
// one that was compared.
func (c *Control) stillProved(tx *store.Tx, account model.AccountID, from *model.Actor, passwordHash string) error {
	if from != nil {
		return c.StillOpens(tx, from)
	}
	current, err := tx.PasswordHash(account)
	if err == nil && current != passwordHash {
		err = WrongCredentials()
	}
	return err
}

// Logout ends a key that a login issued; of another key it ends the streams.
func (c *Control) Logout(ctx context.Context, actor *model.Actor) error {
	err := c.act(ctx, actor, model.ActionLogout, func(tx *store.Tx, line *model.AuditEntry) error {
		account, found, err := tx.Account(actor.Account)
		if err != nil {
			return err
		}
		if !found {
			return model.Missing()
		}
		if actor.Key.Login {
			if err := tx.DeleteKey(actor.Key.Key); err != nil {
				return err
			}
		}
		line.OnKey = actor.Key.Key
		return audit.OnAccount(tx, line, &account)
	})
	if err != nil {
		return err
	}
	if !actor.Key.Login {
		_, err := c.streams.End(ctx, actor.Account, actor.Key.Key)
		return err
	}
	c.ended(actor.Account, actor.Key.Key)
	return nil
}

// SetPassword changes a password: one's own with the old one, or, without it,
// that of an account whose keys the actor may manage. It ends the sign-ins of
// other devices.
func (c *Control) SetPassword(ctx context.Context, actor *model.Actor, address, old, password string) error {
	if err := ValidPassword(password); err != nil {
		return err
	}
	t, err := c.managed(ctx, actor, address, mayManageKeys)
	if err != nil {
		return err
	}
	if t.ID == actor.Account {
		if err := c.checkOldPassword(ctx, t.ID, old); err != nil {
			return err
		}
	}
	hash, err := c.HashPassword(ctx, password)
	if err != nil {
		return err
	}
	var ended []string
	err = c.updateManaged(ctx, actor, model.ActionPasswordSet, t.ID, mayManageKeys,
		func(tx *store.Tx, _ *model.AuditEntry) error {
			ended = nil
			keys, err := tx.Keys(t.ID)
			if err != nil {
				return err
			}
			for _, k := range keys {
				if k.Login && k.Key != actor.Key.Key {
					ended = append(ended, k.Key)
					if err := tx.DeleteKey(k.Key); err != nil {
						return err
					}
				}
			}
			if err := tx.SetPasswordHash(t.ID, hash); err != nil || t.ID == actor.Account {
				return err
			}
			return tx.QueueSettings(t.ID, "")
		})
	if err != nil {
		return err
	}
	for _, key := range ended {
		c.ended(t.ID, key)
	}
	c.hub.Wake(t.ID)
	return nil
}

// checkOldPassword: oneself changes a password only with the old one.
func (c *Control) checkOldPassword(ctx context.Context, account model.AccountID, old string) error {
	if old == "" {
		return model.Invalidf("old_password_required", "old_password", "The old password is required.")
	}
	var hash string
	err := c.store.View(ctx, func(tx *store.Tx) (err error) {
		hash, err = tx.PasswordHash(account)
		return err
	})
	if err != nil {
		return err
	}
	ok, err := c.verifyPassword(ctx, hash, old)
	if err == nil && !ok {
		err = model.Forbiddenf(codeOldPasswordWrong, "The old password is wrong.")
	}
	return err
}

package access

import (
	"context"
	"slices"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// maxDevice bounds the name of a device, in bytes.
const maxDevice = 256

// Device is on what somebody signs in.
type Device struct {
	Name    string // at most 256 bytes: what the client calls it, or what people are told of a browser
	Browser bool   // its sign-in is a session, whose cookie holds the secret
}

// Login is what a sign-in gives: a key for the device, and who calls with it.
type Login struct {
	Actor  *model.Actor
	Secret string
}

// Proven is an account whose password was given.
type Proven struct {
	account  model.AccountID
	password store.Password
	elevated bool // its sign-in counts as administrative at once
}

// FirstStart is the operator of a server that is not set up, who came by its link: as if
// that were the password, for as long as the account has none. The session is elevated,
// because without that nothing could be set up, and there is no password to do it with.
func FirstStart(account model.AccountID) *Proven { return &Proven{account: account, elevated: true} }

// Counter is what all password sign-ins of the account share: its daily allowance of
// messages, and the rate of its requests. Else signing in again would renew both.
func (p *Proven) Counter() string { return store.CounterOf(p.account) }

// CheckPassword returns the account of a user whose password is right. A wrong one and
// an unknown user answer alike and take as long, with as many statements. What is no text names
// nobody, which tells a caller nothing that it does not know. A password is only hashed, and may
// be of any characters.
func (c *Control) CheckPassword(ctx context.Context, user, password string) (*Proven, error) {
	if !model.IsText(user) {
		return nil, WrongCredentials()
	}
	var account model.AccountID
	var of store.Password
	err := c.store.View(ctx, func(tx *store.Tx) error {
		entity, _, _, err := c.Resolve(tx, &model.Actor{}, user, false)
		if err != nil {
			return err
		}
		account = model.AccountID(entity)
		of, err = tx.Password(account)
		return err
	})
	if err != nil {
		return nil, err
	}
	ok, err := c.verifyPassword(ctx, of.Hash, password)
	if err != nil {
		return nil, err
	}
	if !ok || of.Disabled {
		return nil, WrongCredentials()
	}
	return &Proven{account: account, password: of}, nil
}

// LoginWithPassword signs an account in on a device.
func (c *Control) LoginWithPassword(ctx context.Context, proven *Proven, device Device) (Login, error) {
	return c.login(ctx, proven, device, nil)
}

// LoginWithKey signs the owner of a key in on a device; the new key counts its
// messages with the one that it came from.
func (c *Control) LoginWithKey(ctx context.Context, actor *model.Actor, device Device) (Login, error) {
	if err := MayGiveAccess(actor); err != nil {
		return Login{}, err
	}
	return c.login(ctx, &Proven{account: actor.Account}, device, actor)
}

// login issues a regular key for a device, in place of the last one for the same device. It
// asks once more for what was proved: the key that it is from, or the password.
func (c *Control) login(ctx context.Context, proven *Proven, device Device, from *model.Actor) (Login, error) {
	account := proven.account
	if len(device.Name) > maxDevice {
		return Login{}, model.Invalidf("too_long", "device_id", "At most %d bytes are allowed.", maxDevice)
	}
	issued := c.NewKey(account, model.Regular)
	issued.Login, issued.Device, issued.Session = true, device.Name, device.Browser
	if from != nil {
		issued.share(&from.Key)
		issued.Expires, issued.Networks = from.Key.Expires, from.Key.Networks
		issued.Scope, issued.Parent = from.Key.Scope, from.Key.Key
	} else {
		issued.Counter, issued.Scope = store.CounterOf(account), proven.password.Scope
	}
	if issued.Session {
		if proven.elevated {
			issued.Elevated = issued.Created.Add(model.Elevation)
		}
		issued.Grants = issued.Expires
		if end := issued.Created.Add(model.SessionLife); issued.Expires.IsZero() || end.Before(issued.Expires) {
			issued.Expires = end
		}
	}
	var replaced []string
	by, signed := model.Actor{Account: account}, model.Actor{}
	if from != nil {
		by = *from
	}
	err := c.Act(ctx, &by, model.ActionLogin, func(tx *store.Tx, line *model.AuditEntry) error {
		replaced = nil
		if err := tx.LockQueues(account); err != nil {
			return err
		}
		k, err := c.stillProved(tx, proven, from)
		if err != nil {
			return err
		}
		if from == nil {
			// Else signing in again would give back what an operator changed.
			issued.MessagesPerDay, issued.RequestsPerSecond, err = tx.LimitsOf(account, issued.Counter)
			if err != nil {
				return err
			}
		}
		if replaced, err = c.replaceLogin(tx, &issued.Key, k); err != nil {
			return err
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
		if issued.Session {
			line.Detail = "session"
			if proven.elevated {
				line.Detail = "session, first start"
			}
		}
		return audit.OnAccount(tx, line, &owner)
	})
	if err != nil {
		return Login{}, err
	}
	c.ended(account, replaced...)
	return Login{Actor: &signed, Secret: issued.Secret}, nil
}

// stillProved asks whether a key that signs in still opens, and returns it, or whether the
// password is the one that was compared.
func (c *Control) stillProved(tx *store.Tx, proven *Proven, from *model.Actor) (*model.Key, error) {
	if from != nil {
		current, err := c.StillActs(tx, from)
		if err == nil {
			err = MayGiveAccess(current)
		}
		if err != nil {
			return nil, err
		}
		return &current.Key, nil
	}
	password, err := tx.Password(proven.account)
	if err == nil && password != proven.password {
		err = WrongCredentials()
	}
	return nil, err
}

// Logout ends a key that a login issued; of another key it ends the streams.
func (c *Control) Logout(ctx context.Context, actor *model.Actor) error {
	if actor.Key.Login {
		if err := MayGiveAccess(actor); err != nil {
			return err
		}
	}
	var ended []string
	err := c.Act(ctx, actor, model.ActionLogout, func(tx *store.Tx, line *model.AuditEntry) error {
		account, found, err := tx.Account(actor.Account)
		if err != nil {
			return err
		}
		if !found {
			return model.Missing()
		}
		if actor.Key.Login {
			if ended, err = endKeys(tx, actor.Account, []string{actor.Key.Key}, nil); err != nil {
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
		_, err := c.streams.End(ctx, actor.Account, actor.Key.Key, "")
		return err
	}
	c.ended(actor.Account, ended...)
	return nil
}

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
	t, r, err := c.managed(ctx, actor, address)
	if err == nil {
		err = MayGiveAccess(actor)
	}
	if err != nil {
		return err
	}
	set := store.Password{}
	first := false // its first one
	switch {
	case r.self && r.all && old == "" && actor.Operator && actor.Administrative():
		// Nobody else sets the password of the only operator.
		first = true
	case r.self:
		if old == "" {
			return oldPasswordRequired()
		}
		before, err := c.checkPassword(ctx, t.ID, old, codeOldPasswordWrong, "The old password is wrong.")
		if err != nil {
			return err
		}
		if !r.all {
			set.Scope = before.Scope
		}
	case r.all:
		if set.Scope, err = r.scope(organization, "", t.Memberships); err != nil {
			return err
		}
	case r.unscoped:
		set.Scope = r.scopes[0]
	default:
		return model.NotAllowed()
	}
	if err := c.WantOwnPassword(ctx, password, &t.Account, t.Memberships); err != nil {
		return err
	}
	if set.Hash, err = c.HashPassword(ctx, password); err != nil {
		return err
	}
	var ended []string
	err = c.updateManaged(ctx, actor, model.ActionPasswordSet, t.ID,
		func(tx *store.Tx, r reach, _ *model.AuditEntry) error {
			if !r.self && !r.all && !r.unscoped {
				return model.NotAllowed()
			}
			if first {
				given, err := tx.Password(t.ID)
				if err == nil && given.Hash != "" {
					err = oldPasswordRequired()
				}
				if err != nil {
					return err
				}
			}
			logins, err := tx.AllLoginKeys(t.ID)
			if err != nil {
				return err
			}
			var stays *model.Key
			if r.self {
				stays = &actor.Key
				logins = slices.DeleteFunc(logins, func(k string) bool { return k == stays.Key })
			}
			if ended, err = endKeys(tx, t.ID, logins, stays); err != nil {
				return err
			}
			if err := tx.SetPassword(t.ID, set); err != nil || r.self {
				return err
			}
			_, err = tx.QueueNotice(t.ID)
			return err
		})
	if err != nil {
		return err
	}
	c.ended(t.ID, ended...)
	c.hub.Wake(t.ID)
	return nil
}

package access

import (
	"context"
	"strings"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/quota"
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

// Proven is an account whose password was given, whose passkey was used, or for which a provider vouches.
type Proven struct {
	account  model.AccountID
	password store.Password
	passkey  *provenPasskey
	vouched  *Vouched
	elevated bool // its sign-in counts as administrative at once
}

// FirstStart is the operator of a server that is not set up, who came by its link: as if
// that were the password, for as long as the account has none. The session is elevated,
// because without that nothing could be set up, and there is no password to do it with.
func FirstStart(account model.AccountID) *Proven { return &Proven{account: account, elevated: true} }

// Account is whose sign-in it is.
func (p *Proven) Account() model.AccountID { return p.account }

// Counter is what all password sign-ins of the account share: its daily allowance of
// messages, and the rate of its requests. Else signing in again would renew both.
func (p *Proven) Counter() string { return quota.CounterOf(p.account) }

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

// LoginProven signs an account in on a device: by its password, by a passkey, or since a provider vouches for it.
// With a password alone, where more is required, a browser gets a session that can only make a passkey, or use one,
// and any other device nothing.
func (c *Control) LoginProven(ctx context.Context, proven *Proven, device Device) (Login, error) {
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
	issued := c.loginKey(proven, device, from)
	var replaced []string
	by, signed := model.Actor{Account: account}, model.Actor{}
	if from != nil {
		by = *from
	}
	err := c.Act(ctx, &by, model.ActionLogin, func(tx *store.Tx, line *model.AuditEntry) error {
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
		owner, err := targetOf(tx, account, WrongCredentials)
		if err != nil {
			return err
		}
		if err := c.admit(tx, proven, from, &owner, &issued.Key); err != nil {
			return err
		}
		signed = newActor(issued.Key, &owner.Account, owner.Memberships)
		if signed.OneFactor, err = oneFactor(tx, &signed); err != nil {
			return err
		}
		if signed.OneFactor && !issued.Session {
			return SecondFactorRequired()
		}
		line.OnKey = issued.Key.Key
		if issued.Session {
			line.Detail = proven.detail()
		}
		if proven.vouched != nil {
			line.Detail = strings.TrimPrefix(line.Detail+", provider of "+string(proven.vouched.Organization), ", ")
		}
		return audit.OnAccount(tx, line, &owner.Account)
	})
	if err != nil {
		return Login{}, err
	}
	c.ended(account, replaced...)
	return Login{Actor: &signed, Secret: issued.Secret}, nil
}

// detail says in the audit log what a session came of.
func (p *Proven) detail() string {
	switch {
	case p.elevated:
		return "session, first start"
	case p.passkey != nil:
		return "session, passkey"
	}
	return "session"
}

// loginKey makes the key of a sign-in. It opens no more than what was proved: the key that
// it is from, or the password.
func (c *Control) loginKey(proven *Proven, device Device, from *model.Actor) *IssuedKey {
	k := c.NewKey(proven.account, model.Regular)
	k.Login, k.Device, k.Session = true, device.Name, device.Browser
	if from != nil {
		k.share(&from.Key)
		k.Expires, k.Networks = from.Key.Expires, from.Key.Networks
		k.Scope, k.Parent = from.Key.Scope, from.Key.Key
	} else {
		k.Counter, k.Scope = quota.CounterOf(proven.account), proven.password.Scope
		switch {
		case proven.vouched != nil:
			k.Scope = proven.vouched.Organization
		case proven.passkey != nil:
			k.Proof = model.ProofOf(proven.passkey.ID)
			k.Scope, k.Parent = proven.passkey.Scope, proven.passkey.Parent
		case proven.password.Hash != "":
			k.Proof = model.ProofPassword
		}
	}
	if k.Session {
		if proven.elevated {
			k.Elevated = k.Created.Add(model.Elevation)
		}
		k.Grants = k.Expires
		k.endBy(k.Created.Add(model.SessionLife))
	}
	return k
}

// stillProved asks whether a key that signs in still opens, and returns it, or whether the
// password is the one that was compared and its scope stands, or the passkey is there.
func (c *Control) stillProved(tx *store.Tx, proven *Proven, from *model.Actor) (*model.Key, error) {
	if from != nil {
		current, err := c.stillGivesAccess(tx, from)
		if err != nil {
			return nil, err
		}
		return &current.Key, nil
	}
	if proven.vouched != nil {
		return nil, c.stillVouched(tx, proven.vouched, proven.account)
	}
	if proven.passkey != nil {
		return nil, c.usePasskey(tx, proven.passkey, model.Unauthenticated)
	}
	password, err := tx.Password(proven.account)
	if err == nil {
		err = scopeStands(tx, &model.Key{Scope: password.Scope})
	}
	if model.IsNotFound(err) || err == nil && password != proven.password {
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
		// Locked, so that no key that is being issued with this one escapes.
		if err := tx.LockQueues(actor.Account); err != nil {
			return err
		}
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

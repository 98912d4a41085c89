package service

import (
	"context"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// maxDevice bounds the name of a device, in bytes.
const maxDevice = 256

// Login is what a sign-in gives: an account, and a key for the device.
type Login struct {
	Entity model.Entity
	Key    *IssuedKey
}

// Proven is an account whose password was given.
type Proven struct {
	account model.AccountID
	hash    string // of the password
}

// Counter is what all password sign-ins of the account share: its daily allowance of
// messages, and the rate of its requests. Else signing in again would renew both.
func (p *Proven) Counter() string { return "account:" + p.account.String() }

// CheckPassword returns the account of a user whose password is right. A wrong one and
// an unknown user answer alike and take as long.
func (s *Service) CheckPassword(ctx context.Context, user, password string) (*Proven, error) {
	var account model.AccountID
	var hash string
	err := s.store.View(ctx, func(tx *store.Tx) error {
		account, hash = model.AccountID{}, ""
		entity, _, found, err := s.resolve(tx, &model.Actor{}, user, false)
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
	ok, err := s.verifyPassword(ctx, hash, password)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, wrongCredentials()
	}
	return &Proven{account, hash}, nil
}

// LoginWithPassword signs an account in on a device.
func (s *Service) LoginWithPassword(ctx context.Context, proven *Proven, device string) (Login, error) {
	return s.login(ctx, proven.account, device, nil, proven.hash)
}

// LoginWithKey signs the owner of a key in on a device; the new key counts its
// messages with the one that it came from.
func (s *Service) LoginWithKey(ctx context.Context, actor *model.Actor, device string) (Login, error) {
	return s.login(ctx, actor.Account, device, &actor.Key, "")
}

// login issues a regular key for a device, in place of that device's last one. It
// asks once more for what was proved: the key that it is from, or the password.
func (s *Service) login(ctx context.Context, account model.AccountID, device string, from *model.Key,
	passwordHash string) (Login, error) {
	if len(device) > maxDevice {
		return Login{}, model.Invalidf("too_long", "device_id", "At most %d bytes are allowed.", maxDevice)
	}
	issued := s.newKey(account, model.Regular)
	issued.Login, issued.Device = true, device
	if from != nil {
		issued.Counter, issued.MessagesPerDay, issued.RequestsPerSecond = from.Counter, from.MessagesPerDay,
			from.RequestsPerSecond
		issued.Expires, issued.Networks = from.Expires, from.Networks
	} else {
		issued.Counter = (&Proven{account: account}).Counter()
	}
	var replaced []string
	var entity model.Entity
	actor := model.Actor{Account: account}
	if from != nil {
		actor.Key = *from
	}
	err := s.act(ctx, &actor, model.ActionLogin, func(tx *store.Tx, line *model.AuditEntry) error {
		replaced = nil
		if err := tx.LockQueues(account); err != nil {
			return err
		}
		keys, err := tx.Keys(account)
		if err != nil {
			return err
		}
		if err := s.stillProved(tx, account, from, passwordHash); err != nil {
			return err
		}
		for _, k := range keys {
			if k.Login && k.Device == device && device != "" && (from == nil || k.Key != from.Key) {
				replaced = append(replaced, k.Key)
				if err := tx.DeleteKey(k.Key); err != nil {
					return err
				}
			}
		}
		if err := tx.InsertKey(&issued.Key); err != nil {
			return err
		}
		owner := model.Actor{Account: account}
		if owner.Memberships, err = tx.Memberships(account); err != nil {
			return err
		}
		t, err := s.target(tx, &owner, "me")
		if err != nil {
			return err
		}
		entity = present(&owner, &t, "")
		line.OnKey = issued.Key.Key
		return audit.OnAccount(tx, line, &t.Account)
	})
	if err != nil {
		return Login{}, err
	}
	for _, key := range replaced {
		s.ended(account, key)
	}
	return Login{Entity: entity, Key: issued}, nil
}

// stillProved asks whether a key that signs in still opens, or the password is the
// one that was compared.
func (s *Service) stillProved(tx *store.Tx, account model.AccountID, from *model.Key, passwordHash string) error {
	if from != nil {
		return stillOpens(tx, from, s.now())
	}
	current, err := tx.PasswordHash(account)
	if err == nil && current != passwordHash {
		err = wrongCredentials()
	}
	return err
}

// Logout ends a key that a login issued; of another key it ends the streams.
func (s *Service) Logout(ctx context.Context, actor *model.Actor) error {
	err := s.act(ctx, actor, model.ActionLogout, func(tx *store.Tx, line *model.AuditEntry) error {
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
		_, err := s.streams.End(ctx, actor.Account, actor.Key.Key)
		return err
	}
	s.ended(actor.Account, actor.Key.Key)
	return nil
}

// SetPassword changes a password: one's own with the old one, or, without it,
// that of an account whose keys the actor may manage. It ends the sign-ins of
// other devices.
func (s *Service) SetPassword(ctx context.Context, actor *model.Actor, address, old, password string) error {
	if err := validPassword(password); err != nil {
		return err
	}
	t, err := s.managed(ctx, actor, address, mayManageKeys)
	if err != nil {
		return err
	}
	if t.ID == actor.Account {
		if err := s.checkOldPassword(ctx, t.ID, old); err != nil {
			return err
		}
	}
	hash, err := s.hashPassword(ctx, password)
	if err != nil {
		return err
	}
	var ended []string
	err = s.updateManaged(ctx, actor, model.ActionPasswordSet, t.ID, mayManageKeys,
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
			return queueSettings(tx, t.ID, "")
		})
	if err != nil {
		return err
	}
	for _, key := range ended {
		s.ended(t.ID, key)
	}
	s.hub.Wake(t.ID)
	return nil
}

// checkOldPassword: oneself changes a password only with the old one.
func (s *Service) checkOldPassword(ctx context.Context, account model.AccountID, old string) error {
	if old == "" {
		return model.Invalidf("old_password_required", "old_password", "The old password is required.")
	}
	var hash string
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		hash, err = tx.PasswordHash(account)
		return err
	})
	if err != nil {
		return err
	}
	ok, err := s.verifyPassword(ctx, hash, old)
	if err == nil && !ok {
		err = model.Forbiddenf(codeOldPasswordWrong, "The old password is wrong.")
	}
	return err
}

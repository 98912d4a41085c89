package access

import (
	"context"
	"encoding/hex"

	"signet/internal/model"
	"signet/internal/passkey"
	"signet/internal/store"
)

// provenPasskey is a passkey that signed a challenge, with what its authenticator told of it.
type provenPasskey struct {
	model.Passkey
	use passkey.Use
}

// AskToSign asks for a signature by a passkey: of the account whose session it is to elevate, or of anybody who signs
// in.
func (c *Control) AskToSign(ctx context.Context, session *model.Actor, party *passkey.Party) (passkey.Asked, error) {
	challenge := model.Challenge{Purpose: model.ToSignIn}
	var allowed []model.Passkey
	if session != nil {
		if err := MayGiveAccess(session); err != nil {
			return passkey.Asked{}, err
		}
		challenge.Account, challenge.Key = session.Account, session.Key.Key
		all, err := store.Read(ctx, c.store, func(tx *store.Tx) ([]model.Passkey, error) {
			return tx.Passkeys(session.Account)
		})
		if err != nil {
			return passkey.Asked{}, err
		}
		if allowed = party.Of(all); len(allowed) == 0 {
			return passkey.Asked{}, model.Invalidf("passkey_missing", "", "The account has no passkey that is good at this "+
				"address.")
		}
	}
	asked, err := party.AskToSign(allowed)
	if err != nil {
		return asked, err
	}
	challenge.Mark = asked.Mark
	return asked, c.noteChallenge(ctx, challenge)
}

// Signed is the answer of an authenticator, before anything of it is believed.
type Signed struct{ given *passkey.Signed }

// ParseSigned reads the answer of an authenticator.
func ParseSigned(answer []byte) (Signed, error) {
	given, err := passkey.ParseSigned(answer)
	return Signed{given}, refusedAnswer(err, model.Invalid)
}

// Credential names the passkey that the answer is said to be of.
func (s Signed) Credential() string { return hex.EncodeToString(s.given.Credential) }

// Account is whose passkey it is said to be; zero: the answer does not say.
func (s Signed) Account() model.AccountID { return s.given.Account() }

// CheckPasskey returns the account whose passkey signed the challenge of AskToSign: for the same session, or nil where
// it was for none. The challenge is used up. What is wrong is of kind Unauthenticated, or Forbidden for a session.
func (c *Control) CheckPasskey(ctx context.Context, session *model.Actor, party *passkey.Party, answer Signed) (
	*Proven, error) {
	kind := model.Unauthenticated
	if session != nil {
		kind = model.Forbidden
	}
	challenge, err := c.takeChallenge(ctx, answer.given.Mark(), model.ToSignIn, session)
	if err != nil {
		return nil, refusedAnswer(err, kind)
	}
	account := answer.Account()
	switch {
	case session == nil:
	case account.IsZero(): // who was asked need not be named
		account = challenge.Account
	case account != challenge.Account:
		return nil, refusedAnswer(passkey.Unknown, kind)
	}
	found := provenPasskey{}
	err = c.store.View(ctx, func(tx *store.Tx) (err error) {
		if err = opensByPasskey(tx, account); err == nil {
			found.Passkey, err = passkeyOf(tx, account, answer.given.Credential)
		}
		return err
	})
	if err == nil {
		found.use, err = party.Verify(answer.given, &found.Passkey)
	}
	if err == nil && !found.use.Follows(found.Counter) {
		err = passkey.Behind
	}
	if err != nil {
		return nil, refusedAnswer(err, kind)
	}
	return &Proven{account: account, passkey: &found}, nil
}

// opensByPasskey refuses an account that there is not, or that is disabled, as one that has no such passkey.
func opensByPasskey(tx *store.Tx, id model.AccountID) error {
	account, found, err := tx.Account(id)
	if err == nil && (!found || account.Disabled) {
		err = passkey.Unknown
	}
	return err
}

// usePasskey notes in a transaction, in which the account's queue is locked, that a passkey was used. It asks once more
// for what was checked: it may have been removed, or used with the same count, since.
func (c *Control) usePasskey(tx *store.Tx, used *provenPasskey, kind model.Kind) error {
	if err := opensByPasskey(tx, used.Account); err != nil {
		return refusedAnswer(err, kind)
	}
	current, found, err := tx.LockPasskey(used.Account, used.ID)
	switch {
	case err != nil:
		return err
	case !found:
		return refusedAnswer(passkey.Unknown, kind)
	case !used.use.Follows(current.Counter):
		return refusedAnswer(passkey.Behind, kind)
	}
	current.Counter, current.Copied, current.LastUsed = used.use.Counter, used.use.Copied, c.now()
	return tx.UsePasskey(&current)
}

// ElevateWithPasskey makes a session count as an administrative key for a while, by a passkey of its account
// (CheckPasskey). It counts as a session of the passkey from then on. It returns the new secret, as Elevate does.
func (c *Control) ElevateWithPasskey(ctx context.Context, actor *model.Actor, proven *Proven) (secret string,
	err error) {
	if err := MayGiveAccess(actor); err != nil {
		return "", err
	}
	used := proven.passkey
	if used.Scope != "" && used.Scope != actor.Key.Scope {
		return "", exceedsIssuer() // it proves nothing beyond its organization
	}
	now := c.now()
	secret, hash := newSecret()
	err = c.actOnSession(ctx, actor, model.ActionElevate, func(tx *store.Tx, line *model.AuditEntry) error {
		line.Detail = "passkey"
		if err := c.usePasskey(tx, used, model.Forbidden); err != nil {
			return err
		}
		return tx.ProveKey(actor.Key.Key, model.ProofOf(used.ID), used.Parent, hash, now.Add(graceOf(actor)),
			now.Add(model.Elevation))
	})
	if err != nil {
		return "", err
	}
	c.streams.Recheck() // some read with the old secret
	return secret, nil
}

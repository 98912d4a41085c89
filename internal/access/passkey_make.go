package access

import (
	"bytes"
	"context"
	"time"

	"github.com/google/uuid"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/passkey"
	"signet/internal/store"
)

// AskToMake asks for a passkey of the actor's account, whose session was elevated, or signed in to, a moment ago.
func (c *Control) AskToMake(ctx context.Context, actor *model.Actor, party *passkey.Party) (passkey.Asked, error) {
	if err := c.mayMake(actor); err != nil {
		return passkey.Asked{}, err
	}
	var account model.Account
	var others []model.Passkey
	err := c.store.View(ctx, func(tx *store.Tx) error {
		var found bool
		var err error
		if account, found, err = tx.Account(actor.Account); err == nil && !found {
			err = SessionEnded()
		}
		if err != nil {
			return err
		}
		others, err = c.roomForPasskey(tx, actor)
		return err
	})
	if err != nil {
		return passkey.Asked{}, err
	}
	asked, err := party.AskToMake(&account, others)
	if err != nil {
		return asked, err
	}
	return asked, c.noteChallenge(ctx, model.Challenge{Mark: asked.Mark, Purpose: model.ToMakePasskey,
		Account: actor.Account, Key: actor.Key.Key})
}

// noteChallenge keeps a challenge for as long as it may be answered.
func (c *Control) noteChallenge(ctx context.Context, challenge model.Challenge) error {
	now := c.now()
	challenge.Expires = now.Add(model.ChallengeLife)
	return c.store.Update(ctx, func(tx *store.Tx) error { return tx.NoteChallenge(&challenge, now) })
}

// takeChallenge uses up the challenge of a mark, whatever follows from its answer. It has to be for this purpose, and
// of the actor's session; nil: of nobody's.
func (c *Control) takeChallenge(ctx context.Context, mark []byte, purpose model.ChallengePurpose, actor *model.Actor) (
	challenge model.Challenge, err error) {
	if actor == nil {
		actor = &model.Actor{}
	}
	found := false
	err = c.store.Update(ctx, func(tx *store.Tx) (err error) {
		challenge, found, err = tx.TakeChallenge(mark, c.now())
		return err
	})
	if err == nil && (!found || challenge.Purpose != purpose || challenge.Account != actor.Account ||
		challenge.Key != actor.Key.Key) {
		err = passkey.NotAsked
	}
	return challenge, err
}

// mayMake refuses a session by which no passkey is made: what it made would outlast what it came of, or open more.
func (c *Control) mayMake(actor *model.Actor) error {
	if err := MayGiveAccess(actor); err != nil {
		return err
	}
	if len(actor.Key.Networks) > 0 || !actor.Key.Grants.IsZero() {
		return exceedsPasskey()
	}
	return c.wantRecent(actor)
}

// parentOfPasskey returns with which key a passkey ends that an actor makes: the one that its session came of, or that
// elevated it. A passkey ends with one key, and lasts as long as that may.
func parentOfPasskey(tx *store.Tx, actor *model.Actor) (parent string, err error) {
	with := actor.Key.ElevatedWith
	if !actor.Elevated || with == "" || with == actor.Key.Parent {
		return actor.Key.Parent, nil
	}
	k, found, err := tx.Key(with)
	if err == nil && (!found || actor.Key.Parent != "" || !k.Expires.IsZero() || len(k.Networks) > 0) {
		err = exceedsPasskey()
	}
	return with, err
}

func exceedsPasskey() *model.Error {
	return model.Forbiddenf("exceeds_issuer", "A session of a key that ends, or with allowed networks, makes no passkey: "+
		"that would last longer, and open from everywhere.")
}

// wantRecent refuses a session that nobody proved a moment ago to be whose it is.
func (c *Control) wantRecent(actor *model.Actor) error {
	if actor.Administrative() || actor.Key.Session && c.now().Before(actor.Key.Created.Add(model.Recent)) {
		return nil
	}
	return model.Forbiddenf("recent_sign_in_required", "This takes a session that is elevated, or that was signed in to "+
		"within %d minutes.", model.Recent/time.Minute)
}

// roomForPasskey returns the passkeys of an actor's account, if it may have one more.
func (c *Control) roomForPasskey(tx *store.Tx, actor *model.Actor) ([]model.Passkey, error) {
	others, err := tx.Passkeys(actor.Account)
	if err != nil {
		return nil, err
	}
	if len(others) >= model.MaxPasskeys {
		return nil, model.Invalidf("too_many_passkeys", "", "An account has at most %d passkeys; remove one first.",
			model.MaxPasskeys)
	}
	if !actor.OneFactor {
		return others, nil
	}
	allowed, err := c.mayMakeAnother(tx, actor, others)
	if err == nil && !allowed {
		err = model.Forbiddenf("passkey_exists", "The account has a passkey: go on with it, or ask an administrator to "+
			"allow another one.")
	}
	return others, err
}

// mayMakeAnother reports whether a password alone makes a passkey, beside these: the first, or one that an
// administrator allowed. Else whoever has the password would need no second factor.
func (c *Control) mayMakeAnother(tx *store.Tx, actor *model.Actor, others []model.Passkey) (bool, error) {
	if len(others) == 0 {
		return true, nil
	}
	until, err := tx.PasskeyAllowed(actor.Account)
	return c.now().Before(until), err
}

// Make adds the passkey that an authenticator answered with. A session that came of a password alone counts as one of
// the passkey from then on, and gets another secret; empty: it keeps its own. The account is told.
func (c *Control) Make(ctx context.Context, actor *model.Actor, party *passkey.Party, answer []byte, label string) (
	made model.Passkey, secret string, err error) {
	if err := c.mayMake(actor); err != nil {
		return made, "", err
	}
	given, err := passkey.ParseMade(answer)
	if err == nil {
		_, err = c.takeChallenge(ctx, given.Mark(), model.ToMakePasskey, actor)
	}
	if err == nil {
		made, err = party.Accept(given, &model.Account{ID: actor.Account})
	}
	if err != nil {
		return made, "", refusedAnswer(err, model.Invalid)
	}
	made.ID, made.Account = model.PasskeyID(uuid.Must(uuid.NewV7())), actor.Account
	made.Label, made.Created = label, c.now()
	made.Scope = actor.Key.Scope
	fresh, hash := newSecret()
	err = c.Act(ctx, actor, model.ActionPasskeyMake, func(tx *store.Tx, line *model.AuditEntry) error {
		secret = ""
		if err := tx.LockQueues(actor.Account); err != nil {
			return err
		}
		current, err := c.stillGivesAccess(tx, actor)
		if err != nil {
			return err
		}
		owner, err := targetOf(tx, actor.Account, SessionEnded)
		if err != nil {
			return err
		}
		line.OnKey = made.ID.String()
		if err := audit.OnAccount(tx, line, &owner.Account); err != nil {
			return err
		}
		if made.Parent, err = parentOfPasskey(tx, current); err != nil {
			return err
		}
		if err := c.insertPasskey(tx, current, &made); err != nil {
			return err
		}
		if current.Key.Proof == model.ProofPassword {
			secret = fresh
			err = tx.ProveKey(current.Key.Key, model.ProofOf(made.ID), "", hash, made.Created.Add(graceOf(actor)), time.Time{})
			if err != nil {
				return err
			}
		}
		_, err = tx.QueueNotice(actor.Account)
		return err
	})
	if err != nil {
		return made, "", err
	}
	c.Forget(actor.Account)
	c.hub.Wake(ctx, actor.Account)
	if secret != "" {
		c.streams.Recheck() // some read with the old secret
	}
	return made, secret, nil
}

// insertPasskey adds a passkey, if the account may have one more and no other has its credential.
func (c *Control) insertPasskey(tx *store.Tx, actor *model.Actor, made *model.Passkey) error {
	if _, err := c.roomForPasskey(tx, actor); err != nil {
		return err
	}
	k := made.Key()
	if err := scopeStands(tx, &k); err != nil {
		return err
	}
	added, err := tx.InsertPasskey(made)
	if err == nil && !added {
		err = refusedAnswer(passkey.Unknown, model.Invalid)
	}
	if err != nil {
		return err
	}
	return tx.ForgetAllowance(actor.Account) // it was for one
}

// passkeyOf finds the one of an account's passkeys that has a credential.
func passkeyOf(tx *store.Tx, account model.AccountID, credential []byte) (model.Passkey, error) {
	all, err := tx.Passkeys(account)
	if err != nil {
		return model.Passkey{}, err
	}
	for i := range all {
		if bytes.Equal(all[i].Credential, credential) {
			return all[i], nil
		}
	}
	return model.Passkey{}, passkey.Unknown
}

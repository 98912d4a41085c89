package access

import (
	"context"
	"maps"
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// An organization may require a second factor of the accounts that it created (contract, section 9: second_factor). A
// password alone then signs in to a session that can only make a passkey, or use one. Other organizations leave that to
// the one that created an account, as they leave its password to it: a membership that somebody else made changes
// nothing elsewhere.
//
// Whether an actor gave a password alone is found out where the actor is read (Actor.OneFactor), so that a
// requirement holds for sessions that are open as well. What such an actor may call the table of routes says, and
// WantSecondFactor refuses the rest.

// SecondFactorRequired is the answer to who gave a password alone.
func SecondFactorRequired() *model.Error {
	return model.Forbiddenf("second_factor_required", "The organization requires a second factor: with a password alone, "+
		"one can only make a passkey, or go on with one.")
}

// WantSecondFactor refuses an actor who gave a password alone where that is not enough.
func WantSecondFactor(actor *model.Actor) error {
	if actor != nil && actor.OneFactor {
		return SecondFactorRequired()
	}
	return nil
}

// oneFactor reports whether a key comes of a sign-in with a password alone, itself or by what it ends with, though its
// account's organization requires more.
func oneFactor(tx *store.Tx, actor *model.Actor) (bool, error) {
	if !byPassword(actor) {
		return false, nil
	}
	return requiresSecondFactor(tx, actor.Home)
}

// byPassword reports whether a key comes of a sign-in with a password alone, itself or by what it ends with.
func byPassword(actor *model.Actor) bool {
	for k := range actor.Line() {
		if k.Proof == model.ProofPassword && k.Account == actor.Account {
			return true
		}
	}
	return false
}

// requiresSecondFactor reports whether an organization requires it of the accounts that it created.
func requiresSecondFactor(tx *store.Tx, id model.OrganizationID) (bool, error) {
	if id == "" {
		return false, nil
	}
	o, found, err := tx.Organization(id)
	return found && o.Settings.RequiresSecondFactor(), err
}

// graceOf is how long the secret of before opens a session whose secret a passkey replaces. One that lacked a second
// factor had no calls on their way, and whoever has its secret has no passkey.
func graceOf(session *model.Actor) time.Duration {
	if session.OneFactor {
		return 0
	}
	return elevationGrace
}

// FactorsChanged has everybody read anew who gave a password, and ends the streams of those for whom that is not enough
// any more. The transaction that changed the requirement calls NoteAccessOfAll for the other servers.
func (c *Control) FactorsChanged() {
	c.DropAll()
	c.streams.Recheck()
}

// Factor is what a session lacks.
type Factor string

// What it lacks.
const (
	LacksNothing Factor = ""
	LacksPasskey Factor = "make" // a passkey, which it may make
	LacksUse     Factor = "use"  // that a passkey is used which the account has
)

// LackedBy returns what the actor's session lacks, and whether the account has a passkey.
func (c *Control) LackedBy(ctx context.Context, actor *model.Actor) (lacks Factor, has bool, err error) {
	err = c.store.View(ctx, func(tx *store.Tx) error {
		passkeys, err := tx.Passkeys(actor.Account)
		if err != nil {
			return err
		}
		lacks, has = LacksNothing, len(passkeys) > 0
		if !actor.OneFactor {
			return nil
		}
		allowed, err := c.mayMakeAnother(tx, actor, passkeys)
		if lacks = LacksUse; allowed {
			lacks = LacksPasskey
		}
		return err
	})
	return lacks, has, err
}

// OneFactorAmong returns the names of those of the keys that come of a password alone which is not enough, as
// Actor.OneFactor says of each who calls.
func OneFactorAmong(tx *store.Tx, keys map[string]model.Key) (map[string]bool, error) {
	of := map[model.AccountID][]string{}
	for name, k := range keys {
		line, err := issuers(tx, &k, keys)
		if err != nil {
			return nil, err
		}
		if byPassword(&model.Actor{Account: k.Account, Key: k, Issuers: line}) {
			of[k.Account] = append(of[k.Account], name)
		}
	}
	if len(of) == 0 {
		return nil, nil
	}
	accounts, err := tx.Accounts(slices.Collect(maps.Keys(of)))
	if err != nil {
		return nil, err
	}
	required, out := map[model.OrganizationID]bool{}, map[string]bool{}
	for i := range accounts {
		home := accounts[i].CreatedBy
		if _, known := required[home]; !known {
			if required[home], err = requiresSecondFactor(tx, home); err != nil {
				return nil, err
			}
		}
		for _, name := range of[accounts[i].ID] {
			out[name] = required[home]
		}
	}
	return out, nil
}

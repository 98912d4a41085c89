package access

import (
	"context"
	"slices"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// Vouched is what the provider of an organization said of a person (contract, section 9: OpenID Connect). What comes
// of it opens that organization alone: its administrators chose the provider, and manage no other access.
type Vouched struct {
	model.Subject
	Session string // the provider's name of its session, by which it may end; empty: it has none
}

// ProvenBy is an account for which a provider vouches. Its row of subjects has to be there when it signs in.
func ProvenBy(account model.AccountID, v Vouched) *Proven {
	return &Proven{account: account, vouched: &v}
}

// Unvouched is the answer to whom the provider of an organization vouches for in vain: it has no account, or one that
// may not come in so.
func Unvouched() *model.Error {
	return model.Forbiddenf("identity_unknown", "Nobody in the organization is known by this identity: ask an "+
		"administrator of it.")
}

// stillVouched asks, inside the transaction of a sign-in, whether a person still has the account, which may come in by
// the provider: no operator, of whom no organization has a say, and nobody who is disabled or has left.
func (c *Control) stillVouched(tx *store.Tx, v *Vouched, account model.AccountID) error {
	p, found, err := tx.Provider(v.Organization)
	if err != nil || !found || !p.Enabled || p.Issuer != v.Issuer {
		return orElse(err, Unvouched())
	}
	row, found, err := tx.SubjectAccount(v.Subject)
	if err != nil || !found || row.Account != account {
		return orElse(err, Unvouched())
	}
	t, err := targetOf(tx, account, Unvouched)
	if err != nil {
		return err
	}
	return MayBeVouched(&t, v.Organization)
}

// MayBeVouched refuses an account for which no provider of the organization may vouch.
func MayBeVouched(t *Target, organization model.OrganizationID) error {
	if _, member := t.In(organization); !member || t.Operator || t.Disabled {
		return Unvouched()
	}
	return nil
}

func orElse(err error, other *model.Error) error {
	if err != nil {
		return err
	}
	return other
}

// admit asks, inside the transaction of a sign-in, whether its way is open to the account, and notes of which sign-in
// the key came.
func (c *Control) admit(tx *store.Tx, proven *Proven, from *model.Actor, owner *Target, k *model.Key) error {
	switch {
	case from != nil:
		return nil
	case proven.vouched != nil:
		return tx.PutSubjectKey(&store.SubjectKey{Subject: proven.vouched.Subject, Session: proven.vouched.Session,
			Account: proven.account, Key: k.Key})
	}
	return wantPasswords(tx, &owner.Account)
}

// wantPasswords refuses the password of an account whose creating organization has its members sign in with its
// provider alone. Operators always may.
func wantPasswords(tx *store.Tx, account *model.Account) error {
	if account.Operator || account.CreatedBy == "" {
		return nil
	}
	off, err := PasswordsOff(tx, account.CreatedBy)
	if err == nil && off {
		err = model.Forbiddenf("passwords_off", "Members of this organization sign in with its provider of identities.")
	}
	return err
}

// wantPasswordOf refuses an actor's password as the only proof of whose session or key it is: where the organization
// requires a second factor, and where its members sign in with its provider alone.
func wantPasswordOf(tx *store.Tx, actor *model.Actor) error {
	required, err := requiresSecondFactor(tx, actor.Home)
	if err == nil && required {
		err = SecondFactorRequired()
	}
	if err != nil {
		return err
	}
	account, _, err := tx.Account(actor.Account)
	if err != nil {
		return err
	}
	return wantPasswords(tx, &account)
}

// PasswordsOff reports whether an organization has its members sign in with its provider alone. So that nobody is
// locked out, that holds while an administrator who is not disabled has come by the provider as it is now: with the
// issuer, the client and the secret that it has since.
func PasswordsOff(tx *store.Tx, organization model.OrganizationID) (bool, error) {
	p, found, err := tx.Provider(organization)
	if err != nil || !found || p.Passwords || !p.Enabled {
		return false, err
	}
	return ProviderTried(tx, &p.Provider)
}

// ProviderTried reports whether an administrator of the organization, who is not disabled, has come by its provider as
// it is now.
func ProviderTried(tx *store.Tx, p *model.Provider) (bool, error) {
	admins, err := tx.Holders(p.Organization, model.RoleAdmin)
	if err != nil || len(admins) == 0 {
		return false, err
	}
	known, err := tx.SubjectsOf(p.Organization, admins)
	if err != nil {
		return false, err
	}
	var come []model.AccountID
	for _, s := range known {
		if s.Version == p.Version && s.Issuer == p.Issuer {
			come = append(come, s.Account)
		}
	}
	if len(come) == 0 {
		return false, nil
	}
	disabled, err := tx.DisabledAmong(come)
	return slices.ContainsFunc(come, func(id model.AccountID) bool { return !slices.Contains(disabled, id) }), err
}

// ElevateVouched makes a session count as an administrative key for a while: its person proved anew to the provider
// who it is. It returns the new secret of the session, as Elevate does. A session that opens more than the
// organization is not elevated so.
func (c *Control) ElevateVouched(ctx context.Context, session string, account model.AccountID, v Vouched) (
	secret string, err error) {
	actor, err := c.Reader(ctx, session)
	switch {
	case err != nil:
		return "", err
	case actor == nil || actor.Account != account || !actor.Key.Session:
		return "", SessionEnded()
	case actor.Key.Scope != v.Organization:
		return "", exceedsIssuer()
	}
	now := c.now()
	secret, hash := newSecret()
	err = c.actOnSession(ctx, actor, model.ActionElevate, func(tx *store.Tx, _ *model.AuditEntry) error {
		if err := c.stillVouched(tx, &v, account); err != nil {
			return err
		}
		return tx.ElevateKey(session, hash, now.Add(elevationGrace), now.Add(model.Elevation), "")
	})
	if err != nil {
		return "", err
	}
	c.streams.Recheck() // some read with the old secret
	return secret, nil
}

// EndVouched ends the keys that came of sign-ins of a person, or of one session of the provider's where it is named,
// and returns how many these were. The subject may be empty then.
func (c *Control) EndVouched(ctx context.Context, v Vouched) (ended int, err error) {
	keys, err := store.Read(ctx, c.store, func(tx *store.Tx) ([]store.SubjectKey, error) {
		return tx.SubjectKeys(v.Subject, v.Session)
	})
	if err != nil {
		return 0, err
	}
	return c.endAllVouched(ctx, keys)
}

// EndUnvouched ends the keys that came of sign-ins with an issuer that an organization has no more, since it would be
// in vain that this issuer ends them; but for the one that the actor calls with. It returns how many these were.
func (c *Control) EndUnvouched(ctx context.Context, actor *model.Actor, organization model.OrganizationID) (ended int,
	err error) {
	keys, err := store.Read(ctx, c.store, func(tx *store.Tx) ([]store.SubjectKey, error) {
		p, _, err := tx.Provider(organization) // there is no issuer without a name
		if err != nil {
			return nil, err
		}
		return tx.SubjectKeysBut(organization, p.Issuer)
	})
	if err != nil {
		return 0, err
	}
	for k := range actor.Line() {
		keys = slices.DeleteFunc(keys, func(of store.SubjectKey) bool { return of.Key == k.Key })
	}
	if keys, err = c.stillThere(ctx, keys); err != nil {
		return 0, err
	}
	return c.endAllVouched(ctx, keys)
}

// stillThere returns those of the keys, which are in the order of their accounts, that have not ended: what is noted of
// the others waits for the sweep.
func (c *Control) stillThere(ctx context.Context, keys []store.SubjectKey) (out []store.SubjectKey, err error) {
	var of model.AccountID
	var there []model.Key
	for _, k := range keys {
		if k.Account != of {
			of = k.Account
			there, err = store.Read(ctx, c.store, func(tx *store.Tx) ([]model.Key, error) { return tx.Keys(of) })
			if err != nil {
				return nil, err
			}
		}
		if slices.ContainsFunc(there, func(one model.Key) bool { return one.Key == k.Key }) {
			out = append(out, k)
		}
	}
	return out, nil
}

// endAllVouched ends keys, which are in the order of their accounts, account by account.
func (c *Control) endAllVouched(ctx context.Context, keys []store.SubjectKey) (ended int, err error) {
	for len(keys) > 0 {
		account, names := keys[0].Account, []string(nil)
		for len(keys) > 0 && keys[0].Account == account {
			names, keys = append(names, keys[0].Key), keys[1:]
		}
		n, err := c.endVouched(ctx, account, names)
		if ended += n; err != nil {
			return ended, err
		}
	}
	return ended, nil
}

// endVouched ends those of the keys of an account that are still there. Their line is one of its own: the account does
// not act, nor does anybody of the installation.
func (c *Control) endVouched(ctx context.Context, account model.AccountID, names []string) (n int, err error) {
	var ended []string
	err = c.Act(ctx, &model.Actor{Account: account}, model.ActionLogout,
		func(tx *store.Tx, line *model.AuditEntry) error {
			n, ended = 0, nil
			if err := tx.LockQueues(account); err != nil {
				return err
			}
			owner, err := targetOf(tx, account, model.Missing)
			if err != nil {
				return err
			}
			var there []string
			for _, name := range names {
				k, found, err := tx.Key(name)
				if err != nil {
					return err
				}
				if found && k.Account == account {
					there = append(there, name)
				}
			}
			if n = len(there); n > 0 {
				if ended, err = endKeys(tx, account, there, nil); err != nil {
					return err
				}
			}
			line.Detail, line.Times = "by the provider", int64(max(n, 1))
			if n == 1 {
				line.OnKey = there[0]
			}
			return audit.OnAccount(tx, line, &owner.Account)
		})
	if model.IsNotFound(err) {
		return 0, nil // it was erased a moment ago
	}
	if err == nil {
		c.ended(account, ended...)
	}
	return n, err
}

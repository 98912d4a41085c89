package access

import (
	"cmp"
	"context"
	"crypto/sha256"
	"time"

	"signet/internal/audit"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
)

// Limits of a rotation's grace period.
const (
	DefaultGrace = time.Hour
	MaxGrace     = 24 * time.Hour
)

// IssuedKey is a new key with its secret, which is shown this once.
type IssuedKey struct {
	model.Key
	Secret string
}

// newSecret returns a secret of 256 random bits and its hash.
func newSecret() (secret string, hash []byte) {
	secret = model.FormatSecret(model.RandomText(model.SecretPayload))
	sum := sha256.Sum256([]byte(secret))
	return secret, sum[:]
}

// NewCredentials returns the name and the secret of a key that is still to be made.
func NewCredentials() (key, secret string) {
	secret, _ = newSecret()
	return model.RandomText(keyName), secret
}

// keyName is how many characters the name of a key has.
const keyName = 22

// NewKey makes a key that counts its own messages.
func (c *Control) NewKey(account model.AccountID, kind model.KeyKind) *IssuedKey {
	secret, hash := newSecret()
	name := model.RandomText(keyName)
	return &IssuedKey{Secret: secret, Key: model.Key{
		Key: name, Account: account, Kind: kind, SecretHash: hash, PreviousHash: []byte{}, Counter: name, Created: c.now(),
	}}
}

// share has the key count its messages and requests with another.
func (k *IssuedKey) share(with *model.Key) {
	k.Counter, k.MessagesPerDay, k.RequestsPerSecond = with.Counter, with.MessagesPerDay, with.RequestsPerSecond
}

// IssueKeyCommand is a key as it is asked for.
type IssueKeyCommand struct {
	Account           string // an address
	Kind              model.KeyKind
	ExpiresIn         time.Duration // 0: never
	Password          string        // of the actor's account, in place of an administrative key
	MessagesPerDay    *int          // by operators only
	RequestsPerSecond *int
	Networks          []string // in CIDR notation; none: those of the actor's key

	Organization     model.OrganizationID // the scope; empty: as the actor gives it
	CallOrganization model.OrganizationID // the organization header
}

// IssueKey makes a key for an account. It never exceeds the key that asks for it
// (contract, section 1).
func (c *Control) IssueKey(ctx context.Context, actor *model.Actor, in IssueKeyCommand) (*IssuedKey, error) {
	for _, limit := range []struct {
		field string
		value *int
	}{{"messages_per_day", in.MessagesPerDay}, {"requests_per_second", in.RequestsPerSecond}} {
		if limit.value != nil && *limit.value < 0 {
			return nil, model.Invalidf("limit_invalid", limit.field, "A limit is 0 (none) or more.")
		}
	}
	networks, err := parseNetworks(in.Networks)
	if err != nil {
		return nil, err
	}
	t, r, err := c.managed(ctx, actor, in.Account)
	if err != nil {
		return nil, err
	}
	if err := MayGiveAccess(actor); err != nil {
		return nil, err
	}
	if (in.MessagesPerDay != nil || in.RequestsPerSecond != nil) && !actor.Operates() {
		return nil, model.Forbiddenf("operator_required", "Only an operator gives a key other limits.")
	}
	issued := c.NewKey(t.ID, in.Kind)
	if issued.Scope, err = r.scope(in.Organization, in.CallOrganization, t.Memberships); err != nil {
		return nil, err
	}
	if in.Kind == model.Administrative {
		proven, err := c.proveAdministrative(ctx, actor, in.Password, issued.Scope)
		if err != nil {
			return nil, err
		}
		issued.Scope = cmp.Or(issued.Scope, proven)
	}
	if in.ExpiresIn > 0 {
		issued.Expires = issued.Created.Add(in.ExpiresIn)
	}
	issuer := actor.Key
	if t.ID != actor.Account {
		issuer.Expires = issuer.LastGrant()
	}
	if end := issuer.Expires; !end.IsZero() && (issued.Expires.IsZero() || issued.Expires.After(end)) {
		issued.Expires = end
	}
	if issued.Networks = networks; len(networks) == 0 {
		issued.Networks = issuer.Networks
	}
	if issued.Exceeds(&issuer) {
		return nil, exceedsIssuer()
	}
	if t.ID == actor.Account {
		issued.share(&actor.Key)
		issued.Parent = actor.Key.Key
		if actor.Elevated {
			issued.ElevatedWith = actor.Key.ElevatedWith
		}
	} else {
		issued.IssuedBy = actor.Account
	}
	if in.MessagesPerDay != nil {
		issued.MessagesPerDay = in.MessagesPerDay
	}
	if in.RequestsPerSecond != nil {
		issued.RequestsPerSecond = in.RequestsPerSecond
	}
	err = c.updateManaged(ctx, actor, model.ActionKeyIssue, t.ID,
		func(tx *store.Tx, r reach, line *model.AuditEntry) error {
			line.OnKey, line.Detail = issued.Key.Key, "kind="+issued.Kind.String()
			if issued.Scope != "" {
				line.Detail += " organization=" + string(issued.Scope)
			}
			if err := r.refuses(&issued.Key); err != nil {
				return err
			}
			if err := scopeStands(tx, &issued.Key); err != nil {
				return err
			}
			if t.ID != actor.Account {
				var err error
				if issued.Noticed, err = queueNotice(tx, actor, &t.Account); err != nil {
					return err
				}
			}
			if err := c.insertKey(tx, &issued.Key); err != nil {
				return err
			}
			return recordAbroad(tx, actor, line, &t.Account, issued.Scope)
		})
	if err != nil {
		return nil, err
	}
	c.Forget(t.ID) // where its other keys were noticed
	c.hub.Wake(t.ID)
	return issued, nil
}

// parseNetworks reads the networks that a key is asked for.
func parseNetworks(texts []string) (model.Networks, error) {
	const field = "allowed_networks"
	networks, err := model.ParseNetworks(texts)
	switch {
	case err != nil:
		return nil, model.Invalidf("network_invalid", field, "A network is an address, or CIDR notation with no bits past "+
			"its length, such as 192.0.2.0/24.")
	case len(networks) > model.MaxNetworks:
		return nil, model.Invalidf("too_many_networks", field, "At most %d networks are allowed.", model.MaxNetworks)
	}
	return networks, nil
}

func exceedsIssuer() *model.Error {
	return model.Forbiddenf("exceeds_issuer", "The key would last longer, or open from more networks or in more "+
		"organizations, than the one that asks for it.")
}

// Keys lists the keys of an account that the actor sees, without their secrets. Of those
// that it does not manage there is what tells that they exist, and who issued them.
func (c *Control) Keys(ctx context.Context, actor *model.Actor, address string) (keys []model.Key, err error) {
	t, r, err := c.managed(ctx, actor, address)
	if err != nil {
		return nil, err
	}
	if err := c.reads.Record(ctx, c.now(), actor, model.AuditEntry{Action: model.ActionKeyList, User: t.ID}); err != nil {
		return nil, err
	}
	err = c.store.View(ctx, func(tx *store.Tx) error {
		keys, err = tx.Keys(t.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return c.seen(&r, keys), nil
}

// RevokeKey ends a key at once, with what its account issued with it.
func (c *Control) RevokeKey(ctx context.Context, actor *model.Actor, address, key string) error {
	t, _, err := c.managed(ctx, actor, address)
	if err == nil {
		err = MayGiveAccess(actor)
	}
	if err != nil {
		return err
	}
	var ended []string
	err = c.updateManaged(ctx, actor, model.ActionKeyRevoke, t.ID,
		func(tx *store.Tx, r reach, line *model.AuditEntry) error {
			line.OnKey = key
			k, err := r.key(tx, t.ID, key)
			if err != nil {
				return err
			}
			if ended, err = endKeys(tx, t.ID, []string{key}, nil); err != nil {
				return err
			}
			return recordAbroad(tx, actor, line, &t.Account, k.Scope)
		})
	if err != nil {
		return err
	}
	c.ended(t.ID, ended...)
	return nil
}

// ended forgets keys that are no more, and ends what was opened with them.
func (c *Control) ended(account model.AccountID, keys ...string) {
	if len(keys) == 0 {
		return
	}
	c.Forget(account)
	for _, key := range keys {
		c.hub.CloseKey(account, key, live.Revoked)
	}
}

// RotateKey gives a key a new secret; the old one stays valid for the grace period.
// The caller has the key's secret from then on, so the key, like an issued one, must
// not exceed the key that asks for it (contract, section 1). One without a scope gets
// that of the administrator who rotates it.
func (c *Control) RotateKey(ctx context.Context, actor *model.Actor, address, key string, grace time.Duration,
	password string) (*IssuedKey, error) {
	if grace < 0 || grace > MaxGrace {
		return nil, model.Invalidf("grace_invalid", "grace", "The grace period is 0 to 86400 seconds.")
	}
	t, r, err := c.managed(ctx, actor, address)
	if err != nil {
		return nil, err
	}
	var current model.Key
	err = c.store.View(ctx, func(tx *store.Tx) (err error) {
		current, err = r.key(tx, t.ID, key)
		return err
	})
	if err == nil {
		err = MayGiveAccess(actor)
	}
	if err == nil && current.Session {
		err = model.NotAllowed() // a browser has its secret, and nobody else is to
	}
	if err != nil {
		return nil, err
	}
	if !r.all && current.Scope == "" {
		current.Scope = r.scopes[0]
	}
	issuer := actor.Key
	if t.ID != actor.Account || actor.Elevated { // which takes more than a cookie
		issuer.Expires = issuer.LastGrant()
	}
	if current.Exceeds(&issuer) {
		return nil, exceedsIssuer()
	}
	if current.Kind == model.Administrative {
		proven, err := c.proveAdministrative(ctx, actor, password, current.Scope)
		if err == nil && proven != "" && current.Scope == "" {
			err = model.AdministrativeKeyRequired()
		}
		if err != nil {
			return nil, err
		}
	}
	secret, hash := newSecret()
	until := c.now().Add(grace)
	var ended []string
	err = c.updateManaged(ctx, actor, model.ActionKeyRotate, t.ID,
		func(tx *store.Tx, r reach, line *model.AuditEntry) error {
			line.OnKey = key
			k, err := r.key(tx, t.ID, key)
			if err != nil {
				return err
			}
			issued, err := descendants(tx, t.ID, []string{key}, "")
			if err != nil {
				return err
			}
			if ended = nil; grace == 0 {
				ended = issued
				if err := tx.DeleteKeys(ended); err != nil {
					return err
				}
			}
			if k.Scope != current.Scope {
				if err := tx.SetKeyScope(append(issued, key), current.Scope); err != nil {
					return err
				}
			}
			if err := tx.RotateKey(key, hash, until); err != nil || t.ID == actor.Account {
				return err
			}
			position, err := queueNotice(tx, actor, &t.Account)
			if err != nil {
				return err
			}
			if err := tx.NoteNoticed(&k, position); err != nil {
				return err
			}
			return recordAbroad(tx, actor, line, &t.Account, current.Scope)
		})
	if err != nil {
		return nil, err
	}
	c.Forget(t.ID)
	c.streams.Recheck() // some may read with the old secret, or the one before
	if grace == 0 {
		c.hub.CloseSecrets(t.ID, key, model.MarkOf(hash), live.Revoked)
	}
	c.ended(t.ID, ended...)
	c.hub.Wake(t.ID)
	return &IssuedKey{Key: current, Secret: secret}, nil
}

// key returns a key of the account, if it is within reach.
func (r *reach) key(tx *store.Tx, account model.AccountID, key string) (model.Key, error) {
	k, found, err := tx.Key(key)
	switch {
	case err != nil:
		return k, err
	case !found || k.Account != account:
		return k, model.Missing()
	}
	return k, r.refuses(&k)
}

// proveAdministrative lets an administrative key be issued or rotated only with
// another one, or with the password of the account that asks. One that an organization's
// administrator set proves nothing beyond that organization, which is returned.
func (c *Control) proveAdministrative(ctx context.Context, actor *model.Actor, password string,
	scope model.OrganizationID) (proven model.OrganizationID, err error) {
	if actor.Administrative() {
		return "", nil
	}
	if password == "" {
		return "", model.AdministrativeKeyRequired()
	}
	of, err := c.checkPassword(ctx, actor.Account, password, codePasswordWrong, "The password is wrong.")
	if err == nil && scope != "" && of.Scope != "" && of.Scope != scope {
		err = model.AdministrativeKeyRequired()
	}
	return of.Scope, err
}

// checkPassword compares a password with that of an account, and returns this.
func (c *Control) checkPassword(ctx context.Context, account model.AccountID, given, code, message string) (
	p store.Password, err error) {
	err = c.store.View(ctx, func(tx *store.Tx) (err error) {
		p, err = tx.Password(account)
		return err
	})
	if err != nil {
		return p, err
	}
	ok, err := c.verifyPassword(ctx, p.Hash, given)
	if err == nil && !ok {
		err = model.Forbiddenf(code, "%s", message)
	}
	return p, err
}

// managed finds an account of which the actor manages some keys.
func (c *Control) managed(ctx context.Context, actor *model.Actor, address string) (t Target, r reach, err error) {
	err = c.store.View(ctx, func(tx *store.Tx) error {
		if t, err = c.Target(tx, actor, address); err != nil {
			return err
		}
		r, err = reachOf(actor, &t.Account, t.Memberships)
		return err
	})
	return t, r, err
}

// updateManaged changes something about an account's keys, after asking once more,
// inside the transaction, what the actor manages. It holds the account's queue, so
// that a transaction which ends all keys of an account misses none that is being
// made.
func (c *Control) updateManaged(ctx context.Context, actor *model.Actor, action model.AuditAction,
	account model.AccountID, fn func(*store.Tx, reach, *model.AuditEntry) error) error {
	return c.Act(ctx, actor, action, func(tx *store.Tx, line *model.AuditEntry) error {
		if err := tx.LockQueues(account); err != nil {
			return err
		}
		_, r, err := c.stillManaged(tx, actor, account, line)
		if err != nil {
			return err
		}
		return fn(tx, r, line)
	})
}

// stillManaged asks inside a transaction which keys of an account the actor manages.
func (c *Control) stillManaged(tx *store.Tx, actor *model.Actor, account model.AccountID, line *model.AuditEntry) (
	t Target, r reach, err error) {
	current, err := c.StillActs(tx, actor)
	if err == nil {
		err = MayGiveAccess(current)
	}
	if err != nil {
		return t, r, err
	}
	var found bool
	if t.Account, found, err = tx.Account(account); err == nil && !found {
		err = model.Missing()
	}
	if err != nil {
		return t, r, err
	}
	if t.Memberships, err = tx.Memberships(account); err != nil {
		return t, r, err
	}
	if r, err = reachOf(current, &t.Account, t.Memberships); err != nil {
		return t, r, err
	}
	return t, r, audit.OnAccount(tx, line, &t.Account)
}

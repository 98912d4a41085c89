package access

import (
	"cmp"
	"context"
	"crypto/sha256"
	"time"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
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

// endBy has the key end no later than a time; zero is never.
func (k *IssuedKey) endBy(end time.Time) {
	if !end.IsZero() && (k.Expires.IsZero() || k.Expires.After(end)) {
		k.Expires = end
	}
}

// IssueKeyCommand is a key as it is asked for.
type IssueKeyCommand struct {
	Account           string // an address
	Kind              model.KeyKind
	ExpiresIn         time.Duration // 0: never
	Password          string        // of the actor's account, in place of an administrative key
	Label             string        // what people call it; empty: nothing
	MessagesPerDay    *int          // by operators only
	RequestsPerSecond *int
	Networks          []string // in CIDR notation; none: those of the actor's key

	Organization     model.OrganizationID // the scope; empty: as the actor gives it
	CallOrganization model.OrganizationID // the organization header
}

// check refuses what no key can have, and returns the networks that are asked for.
func (in *IssueKeyCommand) check() (model.Networks, error) {
	for _, limit := range []struct {
		field string
		value *int
	}{{"messages_per_day", in.MessagesPerDay}, {"requests_per_second", in.RequestsPerSecond}} {
		if limit.value != nil && *limit.value < 0 {
			return nil, model.Invalidf("limit_invalid", limit.field, "A limit is 0 (none) or more.")
		}
	}
	return parseNetworks(in.Networks)
}

// IssueKey makes a key for an account. It never exceeds the key that asks for it
// (contract, section 1).
func (c *Control) IssueKey(ctx context.Context, actor *model.Actor, in IssueKeyCommand) (*IssuedKey, error) {
	networks, err := in.check()
	if err != nil {
		return nil, err
	}
	label, err := model.ParseLabel(in.Label)
	if err != nil {
		return nil, err
	}
	m, err := c.mayChange(ctx, actor, in.Account)
	if err != nil {
		return nil, err
	}
	if in.MessagesPerDay != nil || in.RequestsPerSecond != nil {
		if err := mayLimit(actor); err != nil {
			return nil, err
		}
	}
	issued, proven, err := c.keyFor(ctx, m, &in, networks)
	if err != nil {
		return nil, err
	}
	issued.Label = label
	err = c.change(ctx, m, model.ActionKeyIssue, func(tx *store.Tx, m *managed, line *model.AuditEntry) error {
		if err := stillProven(tx, m.by, proven); err != nil {
			return err
		}
		line.OnKey, line.Detail = issued.Key.Key, "kind="+issued.Kind.String()
		if issued.Scope != "" {
			line.Detail += " organization=" + string(issued.Scope)
		}
		if err := m.refuses(&issued.Key); err != nil {
			return err
		}
		if err := scopeStands(tx, &issued.Key); err != nil {
			return err
		}
		if !m.self {
			var err error
			if issued.Noticed, err = m.queueNotice(tx); err != nil {
				return err
			}
		}
		if err := c.insertKey(tx, &issued.Key); err != nil {
			return err
		}
		return m.recordAbroad(tx, line, issued.Scope)
	})
	if err != nil {
		return nil, err
	}
	c.Forget(m.ID) // where its other keys were noticed
	c.hub.Wake(ctx, m.ID)
	return issued, nil
}

// keyFor makes the key that is asked for, which lasts no longer than what asks for it, and returns the password that
// proved it, or nil.
func (c *Control) keyFor(ctx context.Context, m *managed, in *IssueKeyCommand, networks model.Networks) (
	issued *IssuedKey, proven *store.Password, err error) {
	issued = c.NewKey(m.ID, in.Kind)
	if issued.Scope, err = m.scope(in.Organization, in.CallOrganization, m.Memberships); err != nil {
		return nil, nil, err
	}
	if in.Kind == model.Administrative {
		if proven, err = c.proveAdministrative(ctx, m.by, in.Password, issued.Scope); err != nil {
			return nil, nil, err
		}
		if proven != nil {
			issued.Scope = cmp.Or(issued.Scope, proven.Scope)
		}
	}
	if in.ExpiresIn > 0 {
		issued.Expires = issued.Created.Add(in.ExpiresIn)
	}
	issuer := m.by.Key
	if !m.self {
		issuer.Expires = issuer.LastGrant()
	}
	issued.endBy(issuer.Expires)
	if issued.Networks = networks; len(networks) == 0 {
		issued.Networks = issuer.Networks
	}
	if issued.Exceeds(&issuer) {
		return nil, nil, exceedsIssuer()
	}
	if m.self {
		issued.share(&m.by.Key)
		issued.Parent = m.by.Key.Key
		if m.by.Elevated {
			issued.ElevatedWith = m.by.Key.ElevatedWith
		}
	} else {
		issued.IssuedBy = m.by.Account
	}
	if in.MessagesPerDay != nil {
		issued.MessagesPerDay = in.MessagesPerDay
	}
	if in.RequestsPerSecond != nil {
		issued.RequestsPerSecond = in.RequestsPerSecond
	}
	return issued, proven, nil
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
	m, err := c.managed(ctx, actor, address)
	if err != nil {
		return nil, err
	}
	if err := c.reads.Record(ctx, c.now(), actor, model.AuditEntry{Action: model.ActionKeyList, User: m.ID}); err != nil {
		return nil, err
	}
	err = c.store.View(ctx, func(tx *store.Tx) error {
		keys, err = tx.Keys(m.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return c.seen(&m.reach, keys), nil
}

// RevokeKey ends a key at once, with what its account issued with it.
func (c *Control) RevokeKey(ctx context.Context, actor *model.Actor, address, key string) error {
	m, err := c.mayChange(ctx, actor, address)
	if err != nil {
		return err
	}
	var ended []string
	err = c.change(ctx, m, model.ActionKeyRevoke, func(tx *store.Tx, m *managed, line *model.AuditEntry) error {
		line.OnKey = key
		k, err := m.key(tx, key)
		if err != nil {
			return err
		}
		if ended, err = endKeys(tx, m.ID, []string{key}, nil); err != nil {
			return err
		}
		return m.recordAbroad(tx, line, k.Scope)
	})
	if err != nil {
		return err
	}
	c.ended(m.ID, ended...)
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

// proveAdministrative lets an administrative key be issued or rotated only with
// another one, or with the password of the account that asks. One that an organization's
// administrator set proves nothing beyond that organization, which is returned.
func (c *Control) proveAdministrative(ctx context.Context, actor *model.Actor, password string,
	scope model.OrganizationID) (proven *store.Password, err error) {
	if actor.Administrative() {
		return nil, nil
	}
	if password == "" {
		return nil, model.AdministrativeKeyRequired()
	}
	of, err := c.checkPassword(ctx, actor.Account, password, codePasswordWrong, "The password is wrong.")
	if err == nil && scope != "" && of.Scope != "" && of.Scope != scope {
		err = model.AdministrativeKeyRequired()
	}
	if err == nil {
		err = c.store.View(ctx, func(tx *store.Tx) error { return wantPasswordOf(tx, actor) })
	}
	return &of, err
}

// stillProven asks, in the transaction of what a password proved, whether the actor still has it and may prove itself
// by it: hashing takes long enough for somebody to set another one. nil: none was asked for.
func stillProven(tx *store.Tx, actor *model.Actor, proven *store.Password) error {
	if proven == nil {
		return nil
	}
	if err := wantPasswordOf(tx, actor); err != nil {
		return err
	}
	return stillPassword(tx, actor.Account, proven, codePasswordWrong, "The password is wrong.")
}

// stillPassword refuses a password that was compared before, and is another one by now.
func stillPassword(tx *store.Tx, account model.AccountID, compared *store.Password, code, message string) error {
	given, err := tx.Password(account)
	if err == nil && given != *compared {
		err = model.Forbiddenf(code, "%s", message)
	}
	return err
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

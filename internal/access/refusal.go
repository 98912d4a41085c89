package access

import (
	"context"
	"net/netip"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// Refusal is a call that was refused, as the interface knows it.
type Refusal struct {
	Action       model.AuditAction
	Outcome      string       // the code of the error
	Actor        *model.Actor // nil where the credentials opened nothing
	Name         string       // the key, or else the address, that was tried then
	Organization model.OrganizationID
	User         string // as the path names them
	Group        string
	Key          string
}

// Refused notes in the audit log that a call was refused. It never fails.
func (c *Control) Refused(ctx context.Context, r Refusal) {
	line := audit.NewLine(ctx, c.now(), r.Actor, r.Action)
	line.Outcome = r.Outcome
	if r.Actor == nil && nameable(r.Name) {
		line.User = c.OwnerOf(ctx, r.Name)
	}
	c.audit.Refuse(ctx, line, func(tx *store.Tx, line *model.AuditEntry) error {
		return c.describeRefusal(tx, &r, line)
	})
}

// describeRefusal names the target of a refused call. It notes only tokens in the path,
// and only those that exist: the rest may be a person's address, or a secret in the
// wrong place. The line goes into an organization's chain where its
// member was refused there; what strangers try is for the operators alone.
func (c *Control) describeRefusal(tx *store.Tx, r *Refusal, line *model.AuditEntry) error {
	concerned := line.Account
	if r.Actor == nil {
		if err := c.describeAttempt(tx, r.Name, line); err != nil {
			return err
		}
		concerned = line.User
	}
	if id, ok := model.ParseAccountID(r.User); ok {
		line.User = id
	}
	if id, ok := model.ParseGroupID(r.Group); ok {
		line.Group = id
	}
	if r.Key != "" && r.Actor != nil {
		k, found, err := tx.Key(r.Key)
		if err != nil {
			return err
		}
		if found {
			line.OnKey = k.Key
		}
	}
	if id, ok := model.ParseOrganizationID(string(r.Organization)); ok {
		_, found, err := tx.Organization(id)
		if err != nil {
			return err
		}
		if !found {
			return c.refusedAtHome(tx, concerned, line)
		}
		line.Organization = r.Organization
		if r.Actor != nil && (r.Actor.MemberOf(r.Organization) || r.Actor.Operator) {
			line.Chain = r.Organization
			return nil
		}
	}
	return c.refusedAtHome(tx, concerned, line)
}

// refusedAtHome puts a refusal into the chain of the account that was refused, or
// tried.
func (c *Control) refusedAtHome(tx *store.Tx, concerned model.AccountID, line *model.AuditEntry) error {
	account, _, err := tx.Account(concerned)
	if err != nil {
		return err
	}
	return audit.AtHome(tx, line, &account)
}

// maxAttempt is more than a key or an address has, in bytes.
const maxAttempt = 320

// nameable reports whether a name that was tried may be that of a key or an account.
func nameable(name string) bool {
	return name != "" && len(name) <= maxAttempt && model.IsText(name)
}

// describeAttempt names the key or the account that was tried in vain.
func (c *Control) describeAttempt(tx *store.Tx, name string, line *model.AuditEntry) error {
	if !nameable(name) {
		return nil
	}
	key, found, err := tx.Key(name)
	if err != nil {
		return err
	}
	if found {
		line.OnKey, line.User = key.Key, key.Account
		return c.explain(tx, &key, line)
	}
	entity, _, found, err := c.Resolve(tx, &model.Actor{}, name, false)
	if err != nil {
		return err
	}
	if found {
		line.User = model.AccountID(entity)
	}
	return c.explain(tx, nil, line)
}

// explain says in the line of credentials that opened nothing why that is so, as far as the store tells: the
// answer to the caller says nothing of it. key is the one that was tried; nil: a password was. An
// account that there is not is asked for as one that there is, so that neither takes longer.
func (c *Control) explain(tx *store.Tx, key *model.Key, line *model.AuditEntry) error {
	account, found, err := tx.Account(line.User)
	if err != nil {
		return err
	}
	password, err := tx.Password(line.User)
	if err != nil || line.Outcome != WrongCredentials().Code {
		return err
	}
	from, _ := netip.ParseAddr(line.Address)
	switch {
	case !found:
		line.Detail = "unknown name"
	case account.Disabled:
		line.Detail = "account disabled"
	case key == nil && password.Hash == "":
		line.Detail = "no password"
	case key == nil:
		line.Detail = "wrong password"
	case c.over(&model.Actor{Key: *key}, c.clock()):
		line.Detail = "key expired"
	case !key.Networks.Allow(from):
		line.Detail = "address not allowed"
	default:
		line.Detail = "wrong secret"
	}
	return nil
}

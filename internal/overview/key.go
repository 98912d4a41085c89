package overview

import (
	"context"
	"time"

	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/store"
	stored "signet/internal/store/overview"
)

// Key is a key of a list, with its owner's names.
type Key struct {
	model.Key
	Username, DisplayName string
	Managed               bool // the actor may rename, replace and revoke it
}

// KeyFilter leaves keys out.
type KeyFilter struct {
	Query    string         // every word begins some word of the label, the owner's names, or the key
	Kind     *model.KeyKind // nil: both
	Session  *bool          // those of browsers' sessions, or the others; nil: both. One that is not managed is another
	IdleDays int            // not used, and not made, for so many days; 0: all
	Account  string         // an address: only keys of this account; empty: of all
}

// Keys lists the live keys that act in an organization, in the order of their accounts:
// those of its scope, and what members have without one. An administrator sees of each
// account's what it sees there (contract, section 1). Of what it does not manage it is
// not told the last use, so that such keys are not among those idle for some days.
func (c *Overview) Keys(ctx context.Context, actor *model.Actor, organization model.OrganizationID, f KeyFilter,
	ask Ask) (out Page[Key], err error) {
	err = c.read(ctx, actor, model.ActionKeyList, organization, func(tx *store.Tx) error {
		w := c.keys(actor, organization, f)
		w.accounts = func(tx *store.Tx, after model.AccountID, limit int) ([]model.AccountID, error) {
			return tx.MembersAfter(organization, after, limit)
		}
		out, err = c.keyPage(tx, actor, w, f, ask)
		return err
	})
	return out, err
}

// AllKeys lists the live keys of the installation for operators, but for those of other
// operators.
func (c *Overview) AllKeys(ctx context.Context, actor *model.Actor, f KeyFilter, ask Ask) (out Page[Key], err error) {
	err = c.readAll(ctx, actor, model.ActionKeyList, func(tx *store.Tx) error {
		w := c.keys(actor, "", f)
		w.accounts = stored.KeyOwnersAfter
		out, err = c.keyPage(tx, actor, w, f, ask)
		return err
	})
	return out, err
}

// keyPage is a page of keys of all accounts, or of the one that the filter names.
func (c *Overview) keyPage(tx *store.Tx, actor *model.Actor, w *walk[Key], f KeyFilter, ask Ask) (Page[Key], error) {
	if f.Account != "" {
		all := w.accounts
		only, err := c.access.ResolveAccount(tx, actor, f.Account)
		if model.IsNotFound(err) {
			return Page[Key]{Results: []Key{}}, nil
		}
		if err != nil {
			return Page[Key]{}, err
		}
		w.accounts = func(tx *store.Tx, _ model.AccountID, _ int) ([]model.AccountID, error) {
			accounts, err := all(tx, before(only), 1)
			if len(accounts) > 0 && accounts[0] != only {
				accounts = nil
			}
			return accounts, err
		}
	}
	return w.page(tx, ask)
}

// keys is the list of keys that act in an organization, or of all where that is empty.
func (c *Overview) keys(actor *model.Actor, organization model.OrganizationID, f KeyFilter) *walk[Key] {
	idle := c.now().AddDate(0, 0, -f.IdleDays)
	query, searched := search.NewText(f.Query)
	return &walk[Key]{
		list:   c.list(actor, "keys", organization, f.Kind, f.Session, f.IdleDays, f.Account, f.Query),
		cursor: func(k *Key) cursor { return cursor{Account: k.Account, Then: k.Key.Key} },
		entries: func(tx *store.Tx, accounts []model.AccountID, _ cursor) (out []Key, err error) {
			owners, err := owners(tx, accounts)
			if err != nil {
				return nil, err
			}
			for _, id := range accounts {
				o := owners[id]
				if o == nil {
					continue
				}
				o.Keys = c.acting(o.Keys, organization)
				for _, k := range c.access.SeenKeys(actor, o) {
					if f.keeps(&k, idle) && (!searched || query.In(k.Label, o.Username, o.DisplayName, k.Key)) {
						out = append(out, Key{k, o.Username, o.DisplayName, isTold(&k)})
					}
				}
			}
			return out, nil
		},
	}
}

// acting keeps of keys those that are live and act in an organization.
func (c *Overview) acting(keys []model.Key, organization model.OrganizationID) (out []model.Key) {
	for _, k := range c.access.LiveKeys(keys) {
		if organization == "" || k.Covers(organization) {
			out = append(out, k)
		}
	}
	return out
}

func (f *KeyFilter) keeps(k *model.Key, idle time.Time) bool {
	return (f.Kind == nil || k.Kind == *f.Kind) && (f.Session == nil || k.Session == *f.Session) &&
		(f.IdleDays == 0 || isTold(k) && k.Active().Before(idle))
}

// isTold tells whether all of a key is told that is seen, as of those that the actor manages: see access.SeenKeys.
func isTold(k *model.Key) bool { return len(k.SecretHash) > 0 }

package overview

import (
	"context"
	"slices"
	"time"

	"signet/internal/access"
	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/store"
	stored "signet/internal/store/overview"
	"signet/internal/store/provision"
)

// Member is an account as its organization's administrators see it.
type Member struct {
	model.Entity
	Roles, Pending []string // granted, and asked for
	Joined         time.Time
	Seen           time.Time // zero: never
	HasKeys        bool      // some key of it opens, and acts in the organization
	Managed        bool      // the actor decides what the account is called: see access.MayRename
	Directory      string    // what the organization's directory calls it, which keeps it by SCIM; empty: none does
}

// MemberFilter leaves members out.
type MemberFilter struct {
	Query       string // every word begins some word of the member, as in a search
	Role        string // granted
	WithoutKeys bool
	Disabled    *bool  // nil: disabled or not
	IdleDays    int    // not seen, and not joined, for so many days; 0: all
	Account     string // an address: only this account; empty: all
}

// Members lists the members of an organization by name, or the one whom the filter names, whatever
// its query.
func (c *Overview) Members(ctx context.Context, actor *model.Actor, organization model.OrganizationID, f MemberFilter,
	ask Ask) (out Page[Member], err error) {
	query := search.Query{
		Types: []string{"account"}, Directory: []model.OrganizationID{organization},
		Must:     []search.Criterion{{Fields: []string{"any"}, Text: f.Query}},
		PageSize: piece, Continuation: ask.Continuation, Disabled: true,
		Sifted: []any{"members", f.Role, f.WithoutKeys, f.Disabled, f.IdleDays, f.Account},
	}
	first, err := search.New(c.store.Secret(), actor.Account, query.Directory, query)
	if err != nil {
		return out, err
	}
	err = c.read(ctx, actor, model.ActionMemberList, organization, func(tx *store.Tx) error {
		if f.Account != "" {
			out, err = c.member(tx, actor, organization, f)
			return err
		}
		out, err = c.sift(tx, actor, organization, first, query, f, ask.Size)
		return err
	})
	return out, err
}

// member is the page of the member whom the filter names, if the rest of the filter keeps it.
func (c *Overview) member(tx *store.Tx, actor *model.Actor, organization model.OrganizationID,
	f MemberFilter) (Page[Member], error) {
	out := Page[Member]{Results: []Member{}}
	account, err := c.access.ResolveAccount(tx, actor, f.Account)
	if model.IsNotFound(err) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	members, err := c.members(tx, actor, organization, []search.Hit{{Entity: model.EntityID(account)}})
	if err != nil {
		return out, err
	}
	if m := members[0]; m != nil && f.keeps(m, c.now()) {
		out.Results = append(out.Results, *m)
	}
	return out, nil
}

// sift goes through what a search finds until a page is full.
func (c *Overview) sift(tx *store.Tx, actor *model.Actor, organization model.OrganizationID, next *search.Search,
	query search.Query, f MemberFilter, size int) (out Page[Member], err error) {
	out.Results = make([]Member, 0, size)
	last := "" // the continuation after the last result
	for looked := 0; ; looked += piece {
		found, err := next.Page(tx)
		if err != nil {
			return out, err
		}
		members, err := c.members(tx, actor, organization, found.Hits)
		if err != nil {
			return out, err
		}
		for i, m := range members {
			if m == nil || !f.keeps(m, c.now()) {
				continue
			}
			if len(out.Results) == size {
				out.Continuation = last
				return out, nil
			}
			out.Results = append(out.Results, *m)
			if last, err = found.After(i); err != nil {
				return out, err
			}
		}
		if found.Continuation == "" {
			return out, nil
		}
		if looked+piece >= mostLooked {
			out.Continuation = found.Continuation
			return out, nil
		}
		query.Continuation = found.Continuation
		if next, err = search.New(c.store.Secret(), actor.Account, query.Directory, query); err != nil {
			return out, err
		}
	}
}

func (f *MemberFilter) keeps(m *Member, now time.Time) bool {
	since := m.Joined
	if m.Seen.After(since) {
		since = m.Seen
	}
	return (f.Role == "" || slices.Contains(m.Roles, f.Role)) && !(f.WithoutKeys && m.HasKeys) &&
		(f.Disabled == nil || m.Account.Disabled == *f.Disabled) &&
		(f.IdleDays == 0 || since.Before(now.AddDate(0, 0, -f.IdleDays)))
}

// members shows hits, each in its place; nil is one that left a moment ago.
func (c *Overview) members(tx *store.Tx, actor *model.Actor, organization model.OrganizationID,
	hits []search.Hit) ([]*Member, error) {
	if len(hits) == 0 {
		return nil, nil
	}
	ids := make([]model.AccountID, len(hits))
	for i, h := range hits {
		ids[i] = model.AccountID(h.Entity)
	}
	owners, err := owners(tx, ids)
	if err != nil {
		return nil, err
	}
	pending, err := stored.PendingRoles(tx, organization, ids)
	if err != nil {
		return nil, err
	}
	kept, err := provision.OfEach(tx, organization, ids)
	if err != nil {
		return nil, err
	}
	out := make([]*Member, len(ids))
	for i, id := range ids {
		o := owners[id]
		if o == nil {
			continue
		}
		membership, ok := o.In(organization)
		if !ok {
			continue
		}
		out[i] = &Member{Entity: o.SeenBy(actor, organization), Roles: membership.Roles,
			Pending: stored.RoleNames(pending[id]), Joined: membership.Joined}
		out[i].HasKeys, out[i].Seen = c.use(o, organization)
		out[i].Managed = access.MayRename(actor, &o.Target) == nil
		out[i].Directory = kept[id].Name
	}
	return out, nil
}

// use tells whether an account has keys that act in an organization, or at all where that
// is empty, and when one of them was last used: to the hour, because a key without a scope is used for other
// organizations too.
func (c *Overview) use(o *access.Owned, organization model.OrganizationID) (has bool, last time.Time) {
	for _, k := range c.access.LiveKeys(slices.Clone(o.Keys)) {
		if organization != "" && !k.Covers(organization) {
			continue
		}
		if has = true; k.LastUsed.After(last) {
			last = k.LastUsed
		}
	}
	return has, last.Truncate(time.Hour)
}

// owners loads accounts with all of their memberships and keys.
func owners(tx *store.Tx, ids []model.AccountID) (map[model.AccountID]*access.Owned, error) {
	accounts, err := tx.Accounts(ids)
	if err != nil {
		return nil, err
	}
	memberships, err := tx.MembershipsOfEach(ids)
	if err != nil {
		return nil, err
	}
	keys, err := tx.KeysOfEach(ids)
	if err != nil {
		return nil, err
	}
	out := make(map[model.AccountID]*access.Owned, len(accounts))
	for _, a := range accounts {
		out[a.ID] = &access.Owned{Target: access.Target{Account: a, Memberships: memberships[a.ID]}, Keys: keys[a.ID]}
	}
	return out, nil
}

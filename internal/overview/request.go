package overview

import (
	"bytes"
	"context"
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	stored "signet/internal/store/overview"
)

// RequestKind is what is asked for.
type RequestKind string

// The kinds of request.
const (
	RequestAdmin RequestKind = "admin" // a member asks for the role of an administrator
	RequestJoin  RequestKind = "join"  // an organization wants an account that another one created
)

// Request is a request that somebody has to decide on.
type Request struct {
	Kind         RequestKind
	Account      model.Entity
	Organization model.OrganizationID // in which the account is to have the role, or to be
	Role         string               // of RequestAdmin
	Created      time.Time
}

// Requests lists the open requests that concern an organization, in the order of their
// accounts: for the role of an administrator, and for memberships, those that it asks for
// and those of accounts that it created.
func (c *Overview) Requests(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	ask Ask) (out Page[Request], err error) {
	w := walk[Request]{
		list: c.list(actor, "requests", organization),
		accounts: func(tx *store.Tx, after model.AccountID, limit int) ([]model.AccountID, error) {
			admins, err := stored.RequestsAfter(tx, organization, model.RoleAdmin, after, limit)
			if err != nil {
				return nil, err
			}
			joins, err := stored.JoinsAfter(tx, organization, after, limit)
			all := append(admins, joins...)
			slices.SortFunc(all, func(a, b model.AccountID) int { return bytes.Compare(a[:], b[:]) })
			all = slices.Compact(all)
			return all[:min(len(all), limit)], err
		},
		entries: func(tx *store.Tx, accounts []model.AccountID, _ cursor) ([]Request, error) {
			return requests(tx, actor, organization, accounts)
		},
		cursor: func(r *Request) cursor {
			return cursor{Account: r.Account.Account.ID, Then: string(r.Kind) + " " + string(r.Organization)}
		},
	}
	err = c.read(ctx, actor, model.ActionRoleList, organization, func(tx *store.Tx) error {
		out, err = w.page(tx, ask)
		return err
	})
	return out, err
}

// requests returns those about accounts, in the order of their cursors.
func requests(tx *store.Tx, actor *model.Actor, organization model.OrganizationID,
	accounts []model.AccountID) (out []Request, err error) {
	owners, err := owners(tx, accounts)
	if err != nil {
		return nil, err
	}
	pending, err := stored.PendingRoles(tx, organization, accounts)
	if err != nil {
		return nil, err
	}
	joins, err := tx.JoinRequestsOf(accounts)
	if err != nil {
		return nil, err
	}
	for _, id := range accounts {
		o := owners[id]
		if o == nil {
			continue
		}
		for _, asked := range pending[id] {
			if asked.Role == model.RoleAdmin {
				out = append(out, Request{Kind: RequestAdmin, Account: o.SeenBy(actor, organization),
					Organization: organization, Role: model.RoleAdmin, Created: asked.Since})
			}
		}
		for _, j := range joins[id] {
			if j.Organization == organization || o.CreatedBy == organization {
				out = append(out, Request{Kind: RequestJoin, Account: o.SeenBy(actor, organization),
					Organization: j.Organization, Created: j.Created})
			}
		}
	}
	return out, nil
}

package console

import (
	"context"

	"signet/internal/access"
	"signet/internal/model"
	"signet/internal/store"
)

// RequestKind is what is asked for.
type RequestKind string

// RequestAdmin is a request of a member for the role of an administrator.
const RequestAdmin RequestKind = "admin"

// Request is a request that somebody has to decide on.
type Request struct {
	Kind         RequestKind
	Account      model.Entity
	Organization model.OrganizationID // that is asked
	Role         string               // of RequestAdmin
}

// Requests lists the open requests of an organization, in the order of their accounts.
func (c *Console) Requests(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	ask Ask) (out Page[Request], err error) {
	w := walk[Request]{
		list: c.list(actor, "requests", organization),
		accounts: func(tx *store.Tx, after model.AccountID, limit int) ([]model.AccountID, error) {
			return tx.RequestsAfter(organization, model.RoleAdmin, after, limit)
		},
		entries: func(tx *store.Tx, accounts []model.AccountID) ([]Request, error) {
			owners, err := owners(tx, accounts)
			if err != nil {
				return nil, err
			}
			out := make([]Request, 0, len(accounts))
			for _, id := range accounts {
				if o := owners[id]; o != nil {
					out = append(out, adminRequest(actor, o, organization))
				}
			}
			return out, nil
		},
		place: func(r *Request) place { return place{Account: r.Account.Account.ID, Then: string(r.Kind)} },
	}
	err = c.read(ctx, actor, model.ActionRoleList, organization, func(tx *store.Tx) error {
		out, err = w.page(tx, ask)
		return err
	})
	return out, err
}

func adminRequest(actor *model.Actor, o *access.Owned, organization model.OrganizationID) Request {
	return Request{Kind: RequestAdmin, Account: o.SeenBy(actor, organization), Organization: organization,
		Role: model.RoleAdmin}
}

package people

import (
	"context"
	"errors"
	"slices"

	"signet/internal/model"
	"signet/internal/store"
)

// Most is how many people one call makes.
const Most = 500

// Many are people as a call asks for them, all of one organization.
type Many struct {
	Organization model.OrganizationID
	Request      string // the Request-ID; empty: none
	DryRun       bool   // nobody is made: only what would be refused is told
	People       []Asked
}

// Asked is one of them.
type Asked struct {
	CreateCommand
	Refused error // what is wrong with it already; nil: nothing
}

// Outcome is what became of one of them.
type Outcome struct {
	Created       // zero in a dry run
	Repeated bool // the same call has made the person before; its secret is not shown again
	// Err is why the person was not made; nil where it was. Where it is no *model.Error, the
	// server failed: it has not tried those who follow, which have the same error.
	Err error
}

// CreateMany makes people, each in a transaction of its own, in their order. Where one is
// refused the others are made all the same. The whole again under the same Request-ID
// makes those who are missing. Its error is of the call as a whole: nobody was made then,
// unless ctx has ended.
func (p *People) CreateMany(ctx context.Context, actor *model.Actor, m Many) ([]Outcome, error) {
	if m.Organization == "" {
		return nil, model.OrganizationRequired(model.OrganizationHeader)
	}
	if err := actor.MayAdminister(m.Organization); err != nil {
		return nil, err
	}
	if m.DryRun { // it tells which addresses somebody has
		err := p.reads.Record(ctx, p.now(), actor, model.AuditEntry{Action: model.ActionUserLookup,
			Chain: m.Organization, Organization: m.Organization})
		if err != nil {
			return nil, err
		}
	}
	out := make([]Outcome, len(m.People))
	claimed := map[model.Address]bool{} // by those before, in a dry run
	for i := range m.People {
		asked := &m.People[i]
		asked.Organization = m.Organization
		made, repeated, err := p.one(ctx, actor, &m, i, claimed)
		if gone := ctx.Err(); gone != nil {
			return nil, gone
		}
		if out[i].Err = err; err == nil {
			out[i].Created, out[i].Repeated = made, repeated
		} else if _, refused := errors.AsType[*model.Error](err); !refused { // nor would the store answer the rest
			for j := range out[i:] {
				out[i+j].Err = err
			}
			break
		}
	}
	return out, nil
}

// one makes one of many, or finds out what would become of it.
func (p *People) one(ctx context.Context, actor *model.Actor, m *Many, place int,
	claimed map[model.Address]bool) (made Created, repeated bool, err error) {
	asked := &m.People[place]
	if asked.Refused != nil {
		return made, false, asked.Refused
	}
	account, err := p.newAccount(actor, &asked.CreateCommand)
	if err != nil {
		return made, false, err
	}
	once := p.noteOf(actor, m.Request, place, &asked.CreateCommand, &account)
	if made, repeated, err = once.before(ctx); repeated || err != nil {
		return made, repeated, err
	}
	if m.DryRun {
		return made, false, p.wantFree(ctx, &asked.CreateCommand, account.Addresses(), claimed)
	}
	made, err = p.insert(ctx, actor, &asked.CreateCommand, &account, once)
	if errors.Is(err, store.ErrConflict) {
		conflict := err
		if made, repeated, err = once.before(ctx); err == nil && !repeated {
			err = conflict
		}
	}
	return made, repeated, err
}

// wantFree refuses addresses that an account has, or somebody earlier in the call.
func (p *People) wantFree(ctx context.Context, c *CreateCommand, addresses []model.Address,
	claimed map[model.Address]bool) error {
	err := p.store.View(ctx, func(tx *store.Tx) error {
		for _, address := range addresses {
			_, taken, err := tx.AccountAt(address)
			if err != nil {
				return err
			}
			if taken || claimed[address] {
				return model.AddressTaken(address.Kind)
			}
		}
		return p.access.WantFree(tx, model.AccountID{}, slices.Concat(c.Emails, c.Phones)...)
	})
	if err == nil {
		for _, address := range addresses {
			claimed[address] = true
		}
	}
	return err
}

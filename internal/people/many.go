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
	// Errs are why the person was not made; none where it was. The first is what a call for this
	// person alone would have told. Where it is no *model.Error, the server failed: it has not tried
	// those who follow, which have the same error.
	Errs []error
	// SameAs is the place of one before in the call who has an address of the person; -1: nobody.
	SameAs int
	// Existing is, in a dry run, the account that has all the addresses which are taken; nil: none
	// is, or several accounts have them.
	Existing *Existing
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
	if m.DryRun {
		if err := p.noteLook(ctx, actor, m.Organization); err != nil {
			return nil, err
		}
	}
	out := make([]Outcome, len(m.People))
	b := batch{p, actor, &m, map[model.Address]int{}}
	for i := range m.People {
		err := b.one(ctx, i, &out[i])
		if gone := ctx.Err(); gone != nil {
			return nil, gone
		}
		if err == nil {
			continue
		}
		for j := range out[i:] { // nor would the store answer the rest
			out[i+j] = Outcome{Errs: []error{err}, SameAs: -1}
		}
		break
	}
	return out, nil
}

// noteLook notes in the log of an organization that somebody tries who could be made in it: that tells which
// addresses somebody has, and who that is.
func (p *People) noteLook(ctx context.Context, actor *model.Actor, id model.OrganizationID) error {
	err := p.store.View(ctx, func(tx *store.Tx) error {
		_, found, err := tx.Organization(id)
		if err == nil && !found {
			err = model.Missing()
		}
		return err
	})
	if err != nil {
		return err
	}
	return p.reads.Record(ctx, p.now(), actor, model.AuditEntry{Action: model.ActionUserLookup, Chain: id,
		Organization: id})
}

// batch is a call of CreateMany.
type batch struct {
	*People
	actor   *model.Actor
	asked   *Many
	claimed map[model.Address]int // the places of those who have them of this call
}

// one makes one of many, or finds out what would become of it. Its error is the server's.
func (b *batch) one(ctx context.Context, place int, out *Outcome) error {
	out.SameAs = -1
	asked := &b.asked.People[place]
	asked.Organization = b.asked.Organization
	account, faults := b.newAccount(b.actor, &asked.CreateCommand)
	if asked.Refused != nil { // what cannot be read is as if it were not there
		missing := wantAddress(&model.Account{})
		faults = slices.DeleteFunc(faults, func(fault error) bool { return errors.Is(fault, missing) })
		faults = slices.Insert(faults, 0, asked.Refused)
	}
	out.Errs = faults
	if len(faults) > 0 {
		if !b.asked.DryRun {
			return nil
		}
		return b.look(ctx, &asked.CreateCommand, &account, out)
	}
	once := b.noteOf(b.actor, b.asked.Request, place, &asked.CreateCommand, &account)
	var err error
	switch out.Created, out.Repeated, err = once.before(ctx); {
	case err != nil || out.Repeated:
	case b.asked.DryRun:
		err = b.look(ctx, &asked.CreateCommand, &account, out)
	default:
		out.Created, out.Repeated, err = b.create(ctx, &asked.CreateCommand, &account, once)
	}
	if _, refused := errors.AsType[*model.Error](err); refused {
		if errors.Is(err, model.AddressTaken(0)) {
			out.SameAs = b.claimant(&account)
		}
		out.Created, out.Repeated, out.Errs, err = Created{}, false, []error{err}, nil
	}
	if err == nil && len(out.Errs) == 0 {
		for _, address := range account.Addresses() {
			b.claimed[address] = place
		}
	}
	return err
}

// create makes a person, unless the same call sent at the same time was faster.
func (b *batch) create(ctx context.Context, c *CreateCommand, account *model.Account, once *note) (made Created,
	repeated bool, err error) {
	made, err = b.insert(ctx, b.actor, c, account, once)
	if errors.Is(err, store.ErrConflict) {
		conflict := err
		if made, repeated, err = once.before(ctx); err == nil && !repeated {
			err = conflict
		}
	}
	return made, repeated, err
}

// claimant returns the place of the first in the call who has an address of an account; -1: nobody.
func (b *batch) claimant(account *model.Account) int {
	earliest := -1
	for _, address := range account.Addresses() {
		if place, claimed := b.claimed[address]; claimed && (earliest < 0 || place < earliest) {
			earliest = place
		}
	}
	return earliest
}

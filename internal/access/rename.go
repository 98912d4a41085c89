package access

import (
	"context"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/erasure"
)

// MayRename asks whether an actor decides what an account is called, and under which addresses it
// is found: an operator, but not of another operator, and an administrator of the organization
// that created it, while it is in no other, itself included (contract, section 7: people and
// names). The memberships are all that the account has.
func MayRename(actor *model.Actor, t *Target) error {
	switch {
	case !actor.MaySee(t.ID, t.Memberships) && !actor.Administers(t.CreatedBy):
		return model.Missing()
	case !actor.Administrative():
		return model.AdministrativeKeyRequired()
	case t.Operator && t.ID != actor.Account && !actor.Command:
		return model.NotAllowed()
	case actor.Operator:
		return nil
	case t.CreatedBy == "" || !actor.Administers(t.CreatedBy):
		return model.NotAllowed()
	}
	for _, m := range t.Memberships {
		if m.Organization != t.CreatedBy {
			return model.NotAllowed()
		}
	}
	return nil
}

// MayRetitle asks whether an actor decides about the title and the department of an account in an
// organization, and returns which one that is: without a named one, that of those which the actor
// administers in which the account has been longest.
func MayRetitle(actor *model.Actor, t *Target, named model.OrganizationID) (model.OrganizationID, error) {
	if named != "" {
		if err := actor.MayAdminister(named); err != nil {
			return "", err
		}
		if _, member := t.In(named); !member {
			return "", model.Missing()
		}
		return named, nil
	}
	for _, m := range t.Memberships {
		if actor.Administers(m.Organization) {
			return m.Organization, nil
		}
	}
	switch {
	case !actor.MaySee(t.ID, t.Memberships) && !actor.Administers(t.CreatedBy):
		return "", model.Missing()
	case !actor.Administrative():
		return "", model.AdministrativeKeyRequired()
	default:
		return "", model.NotAllowed()
	}
}

// Whole finds the account that an address names, with all its memberships, also where it is the
// actor's own.
func (c *Control) Whole(ctx context.Context, actor *model.Actor, address string) (t Target, err error) {
	err = c.store.View(ctx, func(tx *store.Tx) error {
		if t, err = c.Target(tx, actor, address); err == nil && t.ID == actor.Account {
			t.Memberships, err = tx.Memberships(t.ID)
		}
		return err
	})
	return t, err
}

// StillWhole reads an account with all its memberships inside a transaction, in which its
// organizations and its queue are locked, and returns who the actor is there. One that has ended
// is Missing.
func (c *Control) StillWhole(tx *store.Tx, actor *model.Actor, account model.AccountID) (t Target,
	current *model.Actor, err error) {
	if current, err = c.StillActs(tx, actor); err != nil {
		return t, nil, err
	}
	if t, err = targetOf(tx, account, model.Missing); err != nil {
		return t, nil, err
	}
	ended, err := erasure.Erases(tx, account)
	if err == nil && ended {
		err = model.Missing()
	}
	return t, current, err
}

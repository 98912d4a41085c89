package identity

import (
	"context"
	"errors"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/openid"
	"signet/internal/people"
	"signet/internal/store"
)

func asModel(err error) (*model.Error, bool) { return errors.AsType[*model.Error](err) }

// refusedBy is that a provider refused to vouch for anybody.
func refusedBy(why string) error {
	if why == "" {
		why = "it gave no code"
	}
	return errors.Join(openid.ErrRefused, errors.New(cut(why)))
}

// way is how a person comes in.
type way string

const (
	known  way = "known"  // by its subject
	linked way = "linked" // by its e-mail address, for the first time
	made   way = "made"   // by an account that is made
)

// place is where a person belongs, as a transaction finds it; nothing is written for it.
type place struct {
	way     way
	account model.AccountID // zero where one is to be made
	version int64           // with which a known one came last
	email   string          // which a new account gets; empty: none
}

// find finds the account of a person: by issuer and subject; the first time by a verified e-mail address of a domain
// that was confirmed to be the organization's; else one is made where the provider says so (contract, section 9).
func (s *Identities) find(tx *store.Tx, p *store.ProviderRow, person *openid.Person) (at place, err error) {
	row, found, err := tx.SubjectAccount(model.Subject{Organization: p.Organization, Issuer: p.Issuer,
		Subject: person.Subject})
	switch {
	case err != nil:
		return at, err
	case found:
		_, err := s.mayCome(tx, row.Account, p.Organization)
		return place{way: known, account: row.Account, version: row.Version}, err
	}
	owned := false
	if domain := DomainOf(person.Email); person.Verified && domain != "" {
		owner, confirmed, err := tx.DomainOwner(domain)
		switch {
		case err != nil:
			return at, err
		case confirmed && owner != p.Organization:
			return at, access.Unvouched() // it is another organization's to say who that is
		}
		owned = confirmed
	}
	if owned {
		id, err := s.Access.ResolveAccount(tx, &model.Actor{}, person.Email)
		switch {
		case err == nil:
			if err := s.mayLink(tx, p, id); err != nil {
				return at, err
			}
			return place{way: linked, account: id}, nil
		case !model.IsNotFound(err):
			return at, err
		}
	}
	if !p.Provision {
		return at, access.Unvouched()
	}
	if at.way = made; owned {
		at.email = person.Email
	}
	return at, nil
}

// mayCome returns an account, and refuses one for which the provider may not vouch.
func (s *Identities) mayCome(tx *store.Tx, id model.AccountID, organization model.OrganizationID) (model.Account,
	error) {
	account, found, err := tx.Account(id)
	if err != nil {
		return account, err
	}
	if !found {
		return account, access.Unvouched()
	}
	memberships, err := tx.Memberships(id)
	if err != nil {
		return account, err
	}
	return account, access.MayBeVouched(&access.Target{Account: account, Memberships: memberships}, organization)
}

// mayLink refuses an account that the issuer knows as somebody else already: an e-mail address that passed on to
// another person gives nobody the account of the one before. It refuses one that another organization created, too:
// that may have given it this address, and has a way into it.
func (s *Identities) mayLink(tx *store.Tx, p *store.ProviderRow, id model.AccountID) error {
	account, err := s.mayCome(tx, id, p.Organization)
	if err == nil && account.CreatedBy != "" && account.CreatedBy != p.Organization {
		err = access.Unvouched()
	}
	if err != nil {
		return err
	}
	subjects, err := tx.SubjectsOf(p.Organization, []model.AccountID{id})
	if err != nil {
		return err
	}
	for _, other := range subjects {
		if other.Issuer == p.Issuer {
			return access.Unvouched()
		}
	}
	return nil
}

// admit returns the account of a person, links it where the person comes for the first time, and makes it where there
// is none.
func (s *Identities) admit(ctx context.Context, p *store.ProviderRow, person *openid.Person) (id model.AccountID,
	err error) {
	var at place
	err = s.Store.View(ctx, func(tx *store.Tx) error {
		at, err = s.find(tx, p, person)
		return err
	})
	if err != nil {
		return id, err
	}
	row := store.SubjectRow{Version: p.Version, Linked: s.now(), Subject: model.Subject{Organization: p.Organization,
		Issuer: p.Issuer, Subject: person.Subject}}
	switch {
	case at.way == made:
		id, err = s.People.Arrive(ctx, people.Arrival{Organization: p.Organization, Username: person.Username,
			DisplayName: person.DisplayName, Email: at.email, Link: func(tx *store.Tx, account model.AccountID) error {
				row.Account = account
				return link(tx, &row)
			}})
		if err == nil {
			s.Counts.Made.Add(1)
		}
		return id, err
	case at.way == known && at.version == p.Version:
		return at.account, nil
	}
	row.Account = at.account
	return at.account, s.link(ctx, p, person, &row, at.way)
}

// link notes whose account a person has, where nobody else was faster.
func link(tx *store.Tx, row *store.SubjectRow) error {
	ok, err := tx.LinkSubject(row)
	if err == nil && !ok {
		err = access.Unvouched()
	}
	return err
}

// link links an account, which is told of the first time: a way into it was opened that somebody else chose.
func (s *Identities) link(ctx context.Context, p *store.ProviderRow, person *openid.Person, row *store.SubjectRow,
	by way) error {
	if by == known {
		return s.Store.Update(ctx, func(tx *store.Tx) error { return link(tx, row) })
	}
	err := s.Access.ActOn(ctx, &model.Actor{Account: row.Account}, model.ActionIdentityLink, p.Organization,
		func(tx *store.Tx, line *model.AuditEntry) error {
			if err := tx.LockQueues(row.Account); err != nil {
				return err
			}
			at, err := s.find(tx, p, person) // another server may have been faster
			if err != nil {
				return err
			}
			if at.account != row.Account {
				return access.Unvouched()
			}
			if _, err := tx.QueueNotice(row.Account); err != nil {
				return err
			}
			line.User = row.Account
			audit.OnOrganization(line, p.Organization)
			return link(tx, row)
		})
	if err == nil {
		s.Hub.Wake(ctx, row.Account)
	}
	return err
}

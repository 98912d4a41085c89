package people

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// CreateCommand is an account as an administrator asks for it.
type CreateCommand struct {
	Organization                     model.OrganizationID
	FirstName, LastName, DisplayName string
	Username                         string
	Emails, Phones                   []string
	Password                         string
	Title, Department                string
	IssueKey                         bool

	also func(tx *store.Tx, line *model.AuditEntry) error // in the same transaction, when all is there; nil: nothing
}

// Created is a new account, and its first key where one was asked for.
type Created struct {
	Entity model.Entity
	Key    *access.IssuedKey
}

// Create makes an account and its membership of the organization of the call, together or
// not at all (contract, call 28).
func (p *People) Create(ctx context.Context, actor *model.Actor, c CreateCommand) (Created, error) {
	if c.Organization == "" {
		return Created{}, model.OrganizationRequired(model.OrganizationHeader)
	}
	account, faults := p.newAccount(actor, &c)
	if err := first(faults); err != nil {
		return Created{}, err
	}
	return p.insert(ctx, actor, &c, &account, nil)
}

// insert stores an account that newAccount made, with the note of the request that asked
// for it; nil: it has none.
func (p *People) insert(ctx context.Context, actor *model.Actor, c *CreateCommand, account *model.Account,
	once *note) (made Created, err error) {
	membership := model.Membership{Organization: c.Organization, Account: account.ID,
		Title: model.TidyName(c.Title), Department: model.TidyName(c.Department), Joined: account.Created}
	password := store.Password{}
	if !actor.Operator {
		password.Scope = c.Organization
	}
	if c.Password != "" { // no transaction waits for it
		err := p.access.WantOwnPassword(ctx, c.Password, account, []model.Membership{membership})
		if err != nil {
			return made, err
		}
		if password.Hash, err = p.access.HashPassword(ctx, c.Password); err != nil {
			return made, err
		}
	}
	if c.IssueKey {
		made.Key = p.access.NewKey(account.ID, model.Regular)
		made.Key.IssuedBy, made.Key.Scope = actor.Account, password.Scope
		made.Key.Expires, made.Key.Networks = actor.Key.LastGrant(), actor.Key.Networks
	}
	var kept audit.Updater = p.store
	if once != nil {
		kept = once
	}
	err = audit.Act(ctx, kept, account.Created, actor, model.ActionUserCreate,
		func(tx *store.Tx, line *model.AuditEntry) error {
			audit.OnOrganization(line, c.Organization)
			line.User = account.ID
			if made.Key != nil {
				line.OnKey = made.Key.Key.Key
			}
			if err := tx.ShareOrganization(c.Organization); err != nil {
				return err
			}
			if err := p.access.StillAdministers(tx, actor, c.Organization); err != nil {
				return err
			}
			if err := once.put(tx); err != nil {
				return err
			}
			if err := p.access.WantFree(tx, account.ID, slices.Concat(c.Emails, c.Phones)...); err != nil {
				return err
			}
			if err := tx.InsertAccount(account, ""); err != nil {
				return err
			}
			if c.Password != "" {
				if err := tx.SetPassword(account.ID, password); err != nil {
					return err
				}
			}
			if err := p.join(tx, account, membership); err != nil {
				return err
			}
			if c.also != nil {
				if err := c.also(tx, line); err != nil {
					return err
				}
			}
			if made.Key == nil {
				return nil
			}
			return tx.InsertKey(&made.Key.Key)
		})
	if err != nil {
		return Created{}, err
	}
	t := access.Target{Account: *account, Memberships: []model.Membership{membership}}
	made.Entity = t.SeenBy(actor, c.Organization)
	return made, nil
}

// newAccount makes the account that was asked for. The faults are all that is wrong with it, or
// with who asks; a call for one person tells the first.
func (p *People) newAccount(actor *model.Actor, c *CreateCommand) (a model.Account, faults []error) {
	a = model.Account{
		ID: model.AccountID(uuid.Must(uuid.NewV7())), Username: c.Username,
		DisplayName: model.TidyName(c.DisplayName),
		FirstName:   model.TidyName(c.FirstName),
		LastName:    model.TidyName(c.LastName), CreatedBy: c.Organization, Created: p.now(),
	}
	for _, text := range []struct{ field, value string }{
		{"first_name", a.FirstName}, {"last_name", a.LastName}, {"display_name", a.DisplayName}, {"title", c.Title},
		{"department", c.Department},
	} {
		if err := model.TooLong(text.field, text.value, model.MaxName); err != nil {
			faults = append(faults, err)
		}
	}
	emails, phones, wrong := p.readAddresses(c)
	a.Emails, a.Phones = emails, phones
	if faults = append(faults, wrong...); len(wrong) == 0 {
		if err := wantAddress(&a); err != nil {
			faults = append(faults, err)
		}
	}
	if c.Password != "" {
		if err := access.ValidPassword(c.Password); err != nil {
			faults = append(faults, err)
		}
	}
	err := actor.MayAdminister(c.Organization)
	if err == nil && (c.Password != "" || c.IssueKey) {
		err = access.MayGiveAccess(actor)
	}
	if err != nil {
		faults = append(faults, err)
	}
	a.DisplayName = a.ComposeDisplayName()
	return a, faults
}

// first returns the first of what is wrong; nil where nothing is.
func first(faults []error) error {
	if len(faults) == 0 {
		return nil
	}
	return faults[0]
}

// readAddresses brings the addresses that were asked for into their one form, each once, and
// returns what is wrong with the others.
func (p *People) readAddresses(c *CreateCommand) (emails []model.Email, phones []model.Phone, faults []error) {
	if c.Username != "" && !model.ValidUsername(c.Username) {
		faults = append(faults, model.Invalidf("username_invalid", "username", "A username is 1 to 64 of letters, digits, "+
			"'.', '_' and '-', one of them a letter, and not 'me'."))
	}
	for i, text := range c.Emails {
		address := access.Email(text)
		switch {
		case !model.ValidEmail(address):
			faults = append(faults, model.Invalidf("email_invalid", "email", "E-mail address %d is malformed.", i+1))
		case !slices.ContainsFunc(emails, func(e model.Email) bool { return e.Address == address }):
			emails = append(emails, model.Email{Address: address})
		}
	}
	for i, text := range c.Phones {
		number, ok := p.access.Number(text)
		switch {
		case !ok:
			faults = append(faults, model.Invalidf("phone_invalid", "phone", "Phone number %d is none.", i+1))
		case !slices.ContainsFunc(phones, func(p model.Phone) bool { return p.Number == number }):
			phones = append(phones, model.Phone{Number: number})
		}
	}
	return emails, phones, faults
}

// wantAddress refuses an account that nothing names but its token.
func wantAddress(a *model.Account) error {
	if a.Username == "" && len(a.Emails) == 0 && len(a.Phones) == 0 {
		return model.Invalidf("address_required", "email", "One of email, phone and username is required.")
	}
	return nil
}

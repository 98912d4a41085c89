package people

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/search"
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
	account, err := p.newAccount(actor, &c)
	if err != nil {
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
			m := membership
			var err error
			if m.Since, err = tx.Position(1, account.ID); err != nil {
				return err
			}
			if _, err := tx.PutMembership(m); err != nil {
				return err
			}
			if made.Key != nil {
				if err := tx.InsertKey(&made.Key.Key); err != nil {
					return err
				}
			}
			return search.IndexAccount(tx, account, m)
		})
	if err != nil {
		return Created{}, err
	}
	t := access.Target{Account: *account, Memberships: []model.Membership{membership}}
	made.Entity = t.SeenBy(actor, c.Organization)
	return made, nil
}

// newAccount checks what was asked for, and whether the actor may have it, and makes the
// account.
func (p *People) newAccount(actor *model.Actor, c *CreateCommand) (model.Account, error) {
	a := model.Account{
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
			return a, err
		}
	}
	if err := p.giveAddresses(&a, c); err != nil {
		return a, err
	}
	var wrong error
	if c.Password != "" {
		wrong = access.ValidPassword(c.Password)
	}
	if wrong == nil {
		wrong = actor.MayAdminister(c.Organization)
	}
	if wrong == nil && (c.Password != "" || c.IssueKey) {
		wrong = access.MayGiveAccess(actor)
	}
	a.DisplayName = a.ComposeDisplayName()
	return a, wrong
}

// giveAddresses gives an account the addresses that were asked for, in their one form.
func (p *People) giveAddresses(a *model.Account, c *CreateCommand) (err error) {
	if a.Emails, a.Phones, err = p.readAddresses(c); err != nil {
		return err
	}
	return wantAddress(a)
}

// readAddresses checks the addresses that were asked for, and brings them into their one form,
// each once.
func (p *People) readAddresses(c *CreateCommand) (emails []model.Email, phones []model.Phone, err error) {
	if c.Username != "" && !model.ValidUsername(c.Username) {
		return nil, nil, model.Invalidf("username_invalid", "username", "A username is 1 to 64 of letters, digits, '.', "+
			"'_' and '-', one of them a letter, and not 'me'.")
	}
	for i, text := range c.Emails {
		address := access.Email(text)
		if !model.ValidEmail(address) {
			return nil, nil, model.Invalidf("email_invalid", "email", "E-mail address %d is malformed.", i+1)
		}
		if !slices.ContainsFunc(emails, func(e model.Email) bool { return e.Address == address }) {
			emails = append(emails, model.Email{Address: address})
		}
	}
	for i, text := range c.Phones {
		number, ok := p.access.Number(text)
		if !ok {
			return nil, nil, model.Invalidf("phone_invalid", "phone", "Phone number %d is none.", i+1)
		}
		if !slices.ContainsFunc(phones, func(p model.Phone) bool { return p.Number == number }) {
			phones = append(phones, model.Phone{Number: number})
		}
	}
	return emails, phones, nil
}

// wantAddress refuses an account that nothing names but its token.
func wantAddress(a *model.Account) error {
	if a.Username == "" && len(a.Emails) == 0 && len(a.Phones) == 0 {
		return model.Invalidf("address_required", "email", "One of email, phone and username is required.")
	}
	return nil
}

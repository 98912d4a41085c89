package service

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/store"
)

// Lengths in characters that an account's texts may have.
const (
	maxName     = 256
	maxFreeText = 1024
)

// tooLong answers a text that is longer than it may be.
func tooLong(field, text string, limit int) error {
	if len([]rune(text)) > limit {
		return model.Invalidf("too_long", field, "At most %d characters are allowed.", limit)
	}
	return nil
}

// User shows an account to one who may see it (contract, call 4).
func (s *Service) User(ctx context.Context, actor *model.Actor, address string,
	organization model.OrganizationID) (e model.Entity, err error) {
	var t access.Target
	err = s.store.View(ctx, func(tx *store.Tx) error {
		if t, err = s.access.Target(tx, actor, address); err != nil {
			return err
		}
		if !actor.MaySee(t.ID, t.Memberships) {
			return model.Missing()
		}
		e = t.SeenBy(actor, organization)
		return nil
	}, store.Short)
	if err == nil && !actor.MaySeeAddresses(t.ID, t.Memberships) {
		err = s.reads.Record(ctx, s.now(), actor, model.AuditEntry{Action: model.ActionUserRead, User: t.ID})
	}
	return e, err
}

// LookupUser finds an account on the whole platform by its exact address, for
// administrators (contract, call 27).
func (s *Service) LookupUser(ctx context.Context, actor *model.Actor, address string,
	organization model.OrganizationID) (e model.Entity, err error) {
	if !actor.AdministersAny() {
		return e, model.NotAdministrator()
	}
	err = s.act(ctx, actor, model.ActionUserLookup, func(tx *store.Tx, line *model.AuditEntry) error {
		if err := s.stillAdministersAny(tx, actor); err != nil {
			return err
		}
		t, err := s.access.Target(tx, actor, address)
		if err != nil {
			return err
		}
		e = t.SeenBy(actor, organization)
		line.User = t.ID
		// It says what the actor did, and is for the actor's own organization.
		self, _, err := tx.Account(actor.Account)
		if err != nil {
			return err
		}
		return audit.AtHome(tx, line, &self)
	})
	return e, err
}

// CreateUserCommand is an account as an administrator asks for it.
type CreateUserCommand struct {
	Organization                     model.OrganizationID
	FirstName, LastName, DisplayName string
	Username                         string
	Emails, Phones                   []string
	Password                         string
	Title, Department                string
	IssueKey                         bool
}

// CreatedUser is a new account, and its first key where one was asked for.
type CreatedUser struct {
	Entity model.Entity
	Key    *access.IssuedKey
}

// CreateUser makes an account and its membership of the organization of the
// call, together or not at all (contract, call 28).
func (s *Service) CreateUser(ctx context.Context, actor *model.Actor, c CreateUserCommand) (CreatedUser, error) {
	if c.Organization == "" {
		return CreatedUser{}, organizationRequired(OrganizationHeader)
	}
	account, err := s.newAccount(&c)
	if err != nil {
		return CreatedUser{}, err
	}
	if err := actor.MayAdminister(c.Organization); err != nil {
		return CreatedUser{}, err
	}
	if c.Password != "" || c.IssueKey {
		if err := access.MayGiveAccess(actor); err != nil {
			return CreatedUser{}, err
		}
	}
	password := store.Password{}
	if !actor.Operator {
		password.Scope = c.Organization
	}
	if c.Password != "" {
		if password.Hash, err = s.access.HashPassword(ctx, c.Password); err != nil {
			return CreatedUser{}, err
		}
	}
	var issued *access.IssuedKey
	if c.IssueKey {
		issued = s.access.NewKey(account.ID, model.Regular)
		issued.IssuedBy, issued.Scope = actor.Account, password.Scope
		issued.Expires, issued.Networks = actor.Key.LastGrant(), actor.Key.Networks
	}
	now := account.Created
	membership := model.Membership{Organization: c.Organization, Account: account.ID, Title: c.Title,
		Department: c.Department, Joined: now}
	err = s.act(ctx, actor, model.ActionUserCreate, func(tx *store.Tx, line *model.AuditEntry) error {
		audit.OnOrganization(line, c.Organization)
		line.User = account.ID
		if issued != nil {
			line.OnKey = issued.Key.Key
		}
		if err := tx.ShareOrganization(c.Organization); err != nil {
			return err
		}
		if err := s.stillAdministers(tx, actor, c.Organization); err != nil {
			return err
		}
		if err := tx.InsertAccount(&account, ""); err != nil {
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
		if issued != nil {
			if err := tx.InsertKey(&issued.Key); err != nil {
				return err
			}
		}
		return search.IndexAccount(tx, &account, m)
	})
	if err != nil {
		return CreatedUser{}, err
	}
	t := access.Target{Account: account, Memberships: []model.Membership{membership}}
	entity := t.SeenBy(actor, c.Organization)
	return CreatedUser{Entity: entity, Key: issued}, nil
}

// OrganizationHeader stands in errors for the header that names the organization of
// a call, whose name is the vendor's.
const OrganizationHeader = "Organization-Key"

func organizationRequired(field string) *model.Error {
	return model.Invalidf("organization_required", field, "The call must name an organization.")
}

// newAccount checks what was asked for and makes the account.
func (s *Service) newAccount(c *CreateUserCommand) (model.Account, error) {
	a := model.Account{
		ID: newID(), Username: c.Username, DisplayName: strings.TrimSpace(c.DisplayName),
		FirstName: strings.TrimSpace(c.FirstName),
		LastName:  strings.TrimSpace(c.LastName), CreatedBy: c.Organization, Created: s.now(),
	}
	for _, text := range []struct{ field, value string }{
		{"first_name", a.FirstName}, {"last_name", a.LastName}, {"display_name", a.DisplayName}, {"title", c.Title},
		{"department", c.Department},
	} {
		if err := tooLong(text.field, text.value, maxName); err != nil {
			return a, err
		}
	}
	if c.Username != "" && !model.ValidUsername(c.Username) {
		return a, model.Invalidf("username_invalid", "username", "A username is 1 to 64 of letters, digits, '.', '_' and "+
			"'-', one of them a letter, and not 'me'.")
	}
	for i, text := range c.Emails {
		address := model.FoldEmail(norm.NFC.String(text))
		if !model.ValidEmail(address) {
			return a, model.Invalidf("email_invalid", "email", "E-mail address %d is malformed.", i+1)
		}
		if !slices.ContainsFunc(a.Emails, func(e model.Email) bool { return e.Address == address }) {
			a.Emails = append(a.Emails, model.Email{Address: address})
		}
	}
	for i, text := range c.Phones {
		number, ok := s.access.Number(text)
		if !ok {
			return a, model.Invalidf("phone_invalid", "phone", "Phone number %d is none.", i+1)
		}
		if !slices.ContainsFunc(a.Phones, func(p model.Phone) bool { return p.Number == number }) {
			a.Phones = append(a.Phones, model.Phone{Number: number})
		}
	}
	if a.Username == "" && len(a.Emails) == 0 && len(a.Phones) == 0 {
		return a, model.Invalidf("address_required", "email", "One of email, phone and username is required.")
	}
	if c.Password != "" {
		if err := access.ValidPassword(c.Password); err != nil {
			return a, err
		}
	}
	a.DisplayName = a.ComposeDisplayName()
	return a, nil
}

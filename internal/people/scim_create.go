package people

import (
	"context"
	"errors"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/scim"
	"signet/internal/store"
	"signet/internal/store/auditlog"
	"signet/internal/store/erasure"
	"signet/internal/store/provision"
)

// ScimCreate makes a person whom the directory keeps. One whom the organization created, and who is in no organization
// any more, is brought back: with the account, and with nothing by which somebody could sign in before, since a
// directory gives the name of somebody who left to somebody else. back tells that.
func (p *People) ScimCreate(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	u scim.User) (made scim.User, back bool, err error) {
	if err := actor.MayAdminister(organization); err != nil {
		return made, false, err
	}
	made, err = p.scimMake(ctx, actor, organization, u)
	if told, ok := errors.AsType[*model.Error](err); !ok || told.Code != model.AddressTaken(0).Code {
		return made, false, blame(err)
	}
	taken := err
	former, found, err := p.former(ctx, actor, organization, &u)
	if err != nil {
		return made, false, err
	}
	if !found {
		return made, false, blame(taken)
	}
	made, err = p.scimBringBack(ctx, actor, organization, former, u)
	return made, true, blame(err)
}

// scimMake makes a new account.
func (p *People) scimMake(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	u scim.User) (made scim.User, err error) {
	var phones []scim.Address
	if len(u.Phones) > 0 {
		err := p.store.View(ctx, func(tx *store.Tx) error {
			phones, _, err = p.freePhones(tx, model.AccountID{}, u.Phones)
			return err
		})
		if err != nil {
			return made, err
		}
	}
	emails := wantedEmails(&u)
	c := CreateCommand{Organization: organization, FirstName: u.GivenName, LastName: u.FamilyName,
		DisplayName: u.DisplayName, Username: username(u.Name), Emails: values(emails), Phones: values(phones),
		Title: u.Title, Department: u.Department}
	account, faults := p.newAccount(actor, &c)
	if err := first(faults); err != nil {
		return made, err
	}
	p.giveTypes(&account, emails, phones)
	account.Disabled = !u.Active
	person := provision.Person{Organization: organization, Account: account.ID, Name: u.Name, ExternalID: u.ExternalID}
	c.also = func(tx *store.Tx, line *model.AuditEntry) error {
		line.Detail = "scim"
		return named(tx, person)
	}
	created, err := p.insert(ctx, actor, &c, &account, nil)
	if err != nil {
		return made, err
	}
	membership := model.Membership{Title: created.Entity.Title, Department: created.Entity.Department}
	return scimUser(&account, &membership, &person), nil
}

// former finds an account that has a name which a person is to have, which the organization created, and which is in no
// organization.
func (p *People) former(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	u *scim.User) (id model.AccountID, found bool, err error) {
	texts := append([]string{u.Name}, values(u.Emails)...)
	err = p.store.View(ctx, func(tx *store.Tx) error {
		found = false
		for _, text := range texts {
			at, err := p.scimAt(tx, text)
			if err != nil || len(at) == 0 {
				if err != nil {
					return err
				}
				continue
			}
			if _, err := p.formerAccount(tx, organization, at[0]); err == nil {
				id, found = at[0], true
				return nil
			} else if !model.IsNotFound(err) {
				return err
			}
		}
		return nil
	})
	return id, found, err
}

// formerAccount reads such an account; any other is Missing.
func (p *People) formerAccount(tx *store.Tx, organization model.OrganizationID, id model.AccountID) (a model.Account,
	err error) {
	a, found, err := tx.Account(id)
	if err != nil {
		return a, err
	}
	in, err := tx.OrganizationsOf(id)
	if err != nil {
		return a, err
	}
	ended, err := erasure.Erases(tx, id)
	if err == nil && (!found || ended || len(in) > 0 || a.Operator || a.CreatedBy != organization) {
		err = model.Missing()
	}
	return a, err
}

// scimBringBack makes a former member a member again.
func (p *People) scimBringBack(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	id model.AccountID, u scim.User) (made scim.User, err error) {
	now, salt := p.now(), audit.NewSalt()
	m := model.Membership{Organization: organization, Account: id, Title: model.TidyName(u.Title),
		Department: model.TidyName(u.Department), Joined: now}
	person := provision.Person{Organization: organization, Account: id, Name: u.Name, ExternalID: u.ExternalID}
	err = audit.ActRenaming(ctx, p.store, now, actor, model.ActionMemberAdd,
		func(tx *store.Tx, line *model.AuditEntry) (changed *auditlog.Names, err error) {
			line.User, line.Detail = id, "scim"
			audit.OnOrganization(line, organization)
			if err := tx.LockOrganization(organization); err != nil {
				return nil, err
			}
			if err := tx.LockQueues(id); err != nil {
				return nil, err
			}
			if err := p.access.StillAdministers(tx, actor, organization); err != nil {
				return nil, err
			}
			before, err := p.formerAccount(tx, organization, id)
			if model.IsNotFound(err) {
				err = scim.NameTaken("userName") // it came back a moment ago
			}
			if err != nil {
				return nil, err
			}
			if err := errors.Join(access.EndAll(tx, id), tx.ForgetSubjects(organization, id)); err != nil {
				return nil, err
			}
			after, _, err := p.scimAccount(tx, &before, username(u.Name), &u)
			if err != nil {
				return nil, err
			}
			if err := tx.UpdatePerson(&before, &after); err != nil {
				return nil, err
			}
			if before.Disabled == u.Active {
				if err := tx.SetDisabled(id, !u.Active); err != nil {
					return nil, err
				}
			}
			after.Disabled = !u.Active
			if err := p.enter(tx, actor, &after, m); err != nil {
				return nil, err
			}
			made = scimUser(&after, &m, &person)
			if err := named(tx, person); err != nil {
				return nil, err
			}
			return nil, noteNames(tx, actor, line, changedNames(&before, &after, salt))
		})
	if err != nil {
		return made, err
	}
	p.membershipChanged(ctx, id)
	return made, nil
}

// noteNames adds a line of names that a former member came back with, if they are others.
func noteNames(tx *store.Tx, actor *model.Actor, line *model.AuditEntry, changed *auditlog.Names) error {
	if changed == nil {
		return nil
	}
	told := *line
	told.Action, told.Detail = model.ActionUserRename, "scim"
	for _, field := range fieldsOf(changed) {
		told.Detail += " " + field
	}
	return audit.RecordRename(tx, actor, &told, changed)
}

// scimAccount is an account as a directory wants it, with a user name. left is how many phone numbers it does not get.
func (p *People) scimAccount(tx *store.Tx, before *model.Account, name string, u *scim.User) (after model.Account,
	left int, err error) {
	after = *before
	after.FirstName, after.LastName = model.TidyName(u.GivenName), model.TidyName(u.FamilyName)
	after.DisplayName = model.TidyName(u.DisplayName)
	after.Username = name
	emails := wantedEmails(u)
	phones, left, err := p.freePhones(tx, before.ID, u.Phones)
	if err != nil {
		return after, left, err
	}
	err = p.assignAddresses(&after, &PersonCommand{Emails: values(emails), Phones: values(phones)})
	if err != nil {
		return after, left, err
	}
	p.giveTypes(&after, emails, phones)
	after.DisplayName = after.ComposeDisplayName()
	return after, left, nil
}

package people

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// Arrival is a person whom the provider of an organization vouches for, and who has no account there (contract,
// section 9: OpenID Connect).
type Arrival struct {
	Organization          model.OrganizationID
	Username, DisplayName string // as the provider tells them; what no account can have is left out
	Email                 string // verified, and of a confirmed domain; empty: none

	Link func(tx *store.Tx, account model.AccountID) error // comes last in the transaction
}

const (
	mostNamesakes = 100 // numbers that are tried behind a user name which another account has
	mostUsername  = 64  // characters of a user name
)

// Arrive makes the account of a person who arrives, with its membership and with what Link notes, together or not at
// all. The line of the audit log names the account as who made it: nobody else acted. It fails with the code
// identity_incomplete where the provider tells neither an address nor a name that is free.
func (p *People) Arrive(ctx context.Context, a Arrival) (account model.AccountID, err error) {
	made, err := p.arrival(ctx, &a)
	if err != nil {
		return account, err
	}
	by := &model.Actor{Account: made.ID, Home: a.Organization}
	err = audit.Act(ctx, p.store, made.Created, by, model.ActionUserCreate,
		func(tx *store.Tx, line *model.AuditEntry) error {
			audit.OnOrganization(line, a.Organization)
			line.User, line.Detail = made.ID, "by the provider"
			if err := tx.ShareOrganization(a.Organization); err != nil {
				return err
			}
			_, found, err := tx.Organization(a.Organization)
			if err != nil || !found {
				return orMissing(err)
			}
			if err := p.access.WantFree(tx, made.ID, a.Email); a.Email != "" && err != nil {
				return err
			}
			if err := tx.InsertAccount(&made, ""); err != nil {
				return err
			}
			m := model.Membership{Organization: a.Organization, Account: made.ID, Joined: made.Created}
			if err := p.join(tx, &made, m); err != nil {
				return err
			}
			return a.Link(tx, made.ID)
		})
	return made.ID, err
}

func orMissing(err error) error {
	if err != nil {
		return err
	}
	return model.Missing()
}

// arrival makes the account, with a user name that is free.
func (p *People) arrival(ctx context.Context, a *Arrival) (made model.Account, err error) {
	made = model.Account{ID: model.AccountID(uuid.Must(uuid.NewV7())), CreatedBy: a.Organization, Created: p.now()}
	if name := model.TidyName(a.DisplayName); model.TooLong("display_name", name, model.MaxName) == nil {
		made.DisplayName = name
	}
	if a.Email != "" {
		a.Email = access.Email(a.Email)
		made.Emails = []model.Email{{Address: a.Email, Verified: true}}
	}
	err = p.store.View(ctx, func(tx *store.Tx) error {
		made.Username = ""
		for n := 1; n <= mostNamesakes; n++ {
			name := usernameOf(a.Username, n)
			if name == "" {
				return nil
			}
			_, taken, err := tx.AccountAt(model.Address{Kind: model.UsernameAddress, Value: model.FoldUsername(name)})
			if err != nil {
				return err
			}
			if !taken {
				made.Username = name
				return nil
			}
		}
		return nil
	})
	if err == nil && made.Username == "" && len(made.Emails) == 0 {
		err = model.Forbiddenf("identity_incomplete", "The provider of identities tells neither a verified e-mail address "+
			"of the organization nor a user name, so that no account can be made: ask an administrator of the organization.")
	}
	made.DisplayName = made.ComposeDisplayName()
	return made, err
}

// usernameOf makes a user name of what a provider calls somebody, without what comes after an @, and with the number of
// its namesake from the second on; empty: there is none.
func usernameOf(told string, n int) string {
	told, _, _ = strings.Cut(told, "@")
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '_', r == '-':
			return r
		case r == ' ':
			return '.'
		}
		return -1
	}, told)
	suffix := ""
	if n > 1 {
		suffix = "-" + strconv.Itoa(n)
	}
	name = name[:min(len(name), mostUsername-len(suffix))] + suffix
	if !model.ValidUsername(name) {
		return ""
	}
	return name
}

// FollowGroups makes a member of an organization its administrator, or takes that away, as the groups say in which its
// provider has the person. The last administrator stays one. It reports whether anything changed.
func (p *People) FollowGroups(ctx context.Context, organization model.OrganizationID, account model.AccountID,
	admin bool) (changed bool, err error) {
	m, err := store.Read(ctx, p.store, func(tx *store.Tx) ([]model.Membership, error) {
		return tx.MembershipsIn(organization, []model.AccountID{account})
	})
	if err != nil || len(m) == 0 || m[0].Has(model.RoleAdmin) == admin {
		return false, err
	}
	if !admin { // asked beforehand, so that a sign-in of the last one leaves no line
		err = p.store.View(ctx, func(tx *store.Tx) error {
			return access.NotLastAdministrator(tx, organization, account)
		})
		switch {
		case isLast(err):
			return false, nil
		case err != nil:
			return false, err
		}
	}
	action := model.ActionRoleRevoke
	if admin {
		action = model.ActionRoleGrant
	}
	by := &model.Actor{Account: account}
	err = p.access.ActOn(ctx, by, action, organization, func(tx *store.Tx, line *model.AuditEntry) error {
		line.User, line.Detail = account, "role="+model.RoleAdmin+" by the provider"
		return p.followGroups(tx, by, line, organization, account, admin)
	})
	if isLast(err) {
		return false, nil
	}
	if err == nil {
		p.membershipChanged(ctx, account)
	}
	return err == nil, err
}

func isLast(err error) bool { return errors.Is(err, access.LastAdministrator()) }

// followGroups changes the role in a transaction that has locked the organization.
func (p *People) followGroups(tx *store.Tx, by *model.Actor, line *model.AuditEntry, organization model.OrganizationID,
	id model.AccountID, admin bool) error {
	account, found, err := tx.Account(id)
	if err != nil || !found {
		return orMissing(err)
	}
	member, err := tx.MembershipsIn(organization, []model.AccountID{id})
	if err == nil && len(member) == 0 { // it was removed meanwhile, and has no role
		err = access.Unvouched()
	}
	if err != nil {
		return err
	}
	if admin {
		err = tx.PutRole(organization, id, model.RoleAdmin)
	} else if err = access.NotLastAdministrator(tx, organization, id); err == nil {
		err = tx.DeleteRole(organization, id, model.RoleAdmin)
	}
	if err != nil {
		return err
	}
	if err := access.QueueSettings(tx, by, &account, organization); err != nil {
		return err
	}
	return access.TellHome(tx, by, line, &account)
}

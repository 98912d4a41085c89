package people

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/store"
	"signet/internal/store/auditlog"
)

// PersonCommand is what administrators change of an account; nil stays. A list takes the place of
// the one that is there.
type PersonCommand struct {
	Address      string
	Organization model.OrganizationID // of title and department; empty: see access.MayRetitle

	FirstName, LastName, DisplayName, Username *string
	Emails, Phones                             []string // nil: they stay
	Title, Department                          *string
}

// retitles reports whether the command changes what the account is in an organization.
func (c *PersonCommand) retitles() bool { return c.Title != nil || c.Department != nil }

// renames reports whether it changes the account itself. A command that changes nothing
// counts as one.
func (c *PersonCommand) renames() bool {
	return c.FirstName != nil || c.LastName != nil || c.DisplayName != nil || c.Username != nil || c.Emails != nil ||
		c.Phones != nil || !c.retitles()
}

// UpdatePerson changes what an account is called, the addresses that name it, and what it is in
// an organization, all or nothing. Names and addresses are for those whom access.MayRename lets,
// title and department for the administrators of the organization. The account gets
// account:settings, those who share an organization with it an update, live (contract, section 7:
// people and names).
func (p *People) UpdatePerson(ctx context.Context, actor *model.Actor, c PersonCommand) (e model.Entity, err error) {
	if err := p.validPerson(&c); err != nil {
		return e, err
	}
	t, err := p.access.Whole(ctx, actor, c.Address)
	if err != nil {
		return e, err
	}
	if _, err := mayUpdate(actor, &t, &c); err != nil {
		return e, err
	}
	change := personChange{p: p, actor: actor, command: &c, salt: audit.NewSalt(), account: t.ID}
	err = audit.ActRenaming(ctx, p.store, p.now(), actor, model.ActionUserUpdate, change.do)
	if err != nil {
		return e, err
	}
	p.membershipChanged(ctx, t.ID)
	if err := p.tellColleagues(context.WithoutCancel(ctx), t.ID, change.shown); err != nil {
		p.log.ErrorContext(ctx, "readers are not told of a changed person", "error", err)
	}
	return change.made.SeenBy(actor, cmp.Or(c.Organization, change.organization)), nil
}

// mayUpdate asks whether the actor may do what the command says, and returns the organization of
// its title.
func mayUpdate(actor *model.Actor, t *access.Target, c *PersonCommand) (organization model.OrganizationID, err error) {
	if c.renames() {
		if err := access.MayRename(actor, t); err != nil {
			return "", err
		}
	}
	if c.retitles() {
		if organization, err = access.MayRetitle(actor, t, c.Organization); err != nil {
			return "", err
		}
	}
	return organization, access.MayGiveAccess(actor)
}

// validPerson checks what was asked for, and brings it into its form.
func (p *People) validPerson(c *PersonCommand) error {
	err := namesTooLong(givenName{"first_name", c.FirstName}, givenName{"last_name", c.LastName},
		givenName{"display_name", c.DisplayName}, givenName{"title", c.Title}, givenName{"department", c.Department})
	if err != nil {
		return err
	}
	asked := CreateCommand{Emails: c.Emails, Phones: c.Phones}
	if c.Username != nil {
		asked.Username = *c.Username
	}
	_, _, faults := p.readAddresses(&asked)
	return first(faults)
}

// personChange is one call of UpdatePerson.
type personChange struct {
	p       *People
	actor   *model.Actor
	command *PersonCommand
	account model.AccountID
	salt    []byte

	organization model.OrganizationID // of its title; empty: that stays

	made  access.Target      // as it is then
	shown []model.Membership // in which others see that it changed
}

// do makes the change within a transaction.
func (h *personChange) do(tx *store.Tx, line *model.AuditEntry) (changed *auditlog.Names, err error) {
	h.shown = nil
	if err := access.LockOrganizationsOf(tx, h.account); err != nil {
		return nil, err
	}
	if err := tx.LockQueues(h.account); err != nil {
		return nil, err
	}
	t, actor, err := h.p.access.StillWhole(tx, h.actor, h.account)
	if err != nil {
		return nil, err
	}
	organization, err := mayUpdate(actor, &t, h.command)
	if err != nil {
		return nil, err
	}
	h.organization = organization
	line.User = t.ID
	if h.command.renames() {
		if changed, err = h.rename(tx, line, &t); err != nil {
			return nil, err
		}
	}
	h.made = t
	if !h.command.retitles() {
		return changed, nil
	}
	retitled, err := h.p.retitle(tx, actor, &h.made, organization, h.command.Title, h.command.Department)
	if err != nil {
		return nil, err
	}
	if retitled && h.shown == nil {
		m, _ := h.made.In(organization)
		h.shown = []model.Membership{m}
	}
	return changed, h.noteTitle(tx, actor, line, organization, retitled)
}

// noteTitle puts the line of a change of a title where it belongs: into the log of the
// organization, and where it changed the account, too, into that of the one which created it.
func (h *personChange) noteTitle(tx *store.Tx, actor *model.Actor, line *model.AuditEntry,
	organization model.OrganizationID, retitled bool) error {
	fields := given(map[string]bool{"title": h.command.Title != nil, "department": h.command.Department != nil})
	line.Detail = strings.TrimSpace(line.Detail + " " + fields)
	if h.command.renames() {
		line.Organization = organization
		told := *line
		told.Action, told.Detail = model.ActionUserUpdate, fields
		return audit.TellOrganizations(tx, actor, &told, []model.OrganizationID{organization})
	}
	audit.OnOrganization(line, organization)
	if !retitled {
		return nil
	}
	return access.TellHome(tx, actor, line, &h.made.Account)
}

// rename changes the account itself, where that is another one then.
func (h *personChange) rename(tx *store.Tx, line *model.AuditEntry, t *access.Target) (*auditlog.Names, error) {
	c, before := h.command, t.Account
	after := before
	assignName(&after.FirstName, c.FirstName)
	assignName(&after.LastName, c.LastName)
	assignName(&after.DisplayName, c.DisplayName)
	if err := h.p.assignAddresses(&after, c); err != nil {
		return nil, err
	}
	after.DisplayName = after.ComposeDisplayName()
	changed := changedNames(&before, &after, h.salt)
	if changed != nil {
		line.Action = model.ActionUserRename
		line.Detail = strings.Join(fieldsOf(changed), " ")
	}
	emails, phones := !slices.Equal(before.Emails, after.Emails), !slices.Equal(before.Phones, after.Phones)
	line.Detail = strings.TrimSpace(line.Detail + " " + given(map[string]bool{"emails": emails, "phones": phones}))
	if err := audit.OnAccount(tx, line, &after); err != nil || changed == nil && !emails && !phones {
		return nil, err
	}
	if err := h.p.access.WantFree(tx, after.ID, slices.Concat(c.Emails, c.Phones)...); err != nil {
		return nil, err
	}
	if err := tx.UpdatePerson(&before, &after); err != nil {
		return nil, err
	}
	for _, m := range t.Memberships {
		if err := search.IndexAccount(tx, &after, m); err != nil {
			return nil, err
		}
	}
	t.Account, h.shown = after, t.Memberships
	return changed, tx.QueueSettings(after.ID, "")
}

// given names the fields that are set, in their order.
func given(fields map[string]bool) string {
	var out []string
	for field, set := range fields {
		if set {
			out = append(out, field)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// assignAddresses gives an account those addresses that a command has in place of its own. One
// that it keeps stays as verified as it was.
func (p *People) assignAddresses(a *model.Account, c *PersonCommand) error {
	asked := CreateCommand{Emails: c.Emails, Phones: c.Phones}
	emails, phones, faults := p.readAddresses(&asked)
	if err := first(faults); err != nil {
		return err
	}
	if c.Username != nil {
		a.Username = *c.Username
	}
	if c.Emails != nil {
		for i, e := range emails {
			if at := slices.IndexFunc(a.Emails, func(had model.Email) bool { return had.Address == e.Address }); at >= 0 {
				emails[i] = a.Emails[at]
			}
		}
		a.Emails = emails
	}
	if c.Phones != nil {
		for i, n := range phones {
			if at := slices.IndexFunc(a.Phones, func(had model.Phone) bool { return had.Number == n.Number }); at >= 0 {
				phones[i] = a.Phones[at]
			}
		}
		a.Phones = phones
	}
	return wantAddress(a)
}

// retitle changes what an account is in an organization, which takes it as a member there, and
// tells the account. It reports whether anything is another then.
func (p *People) retitle(tx *store.Tx, actor *model.Actor, t *access.Target, organization model.OrganizationID,
	title, department *string) (bool, error) {
	i := slices.IndexFunc(t.Memberships, func(m model.Membership) bool { return m.Organization == organization })
	m := t.Memberships[i]
	assignName(&m.Title, title)
	assignName(&m.Department, department)
	if had := &t.Memberships[i]; m.Title == had.Title && m.Department == had.Department {
		return false, nil
	}
	if _, err := tx.PutMembership(m); err != nil {
		return false, err
	}
	t.Memberships = slices.Clone(t.Memberships)
	t.Memberships[i] = m
	if err := search.IndexAccount(tx, &t.Account, m); err != nil {
		return false, err
	}
	return true, access.QueueSettings(tx, actor, &t.Account, organization)
}

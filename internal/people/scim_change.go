package people

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/scim"
	"signet/internal/search"
	"signet/internal/store"
	"signet/internal/store/auditlog"
	"signet/internal/store/provision"
)

// ScimCommand is what a PUT or a PATCH makes of a member.
type ScimCommand struct {
	Organization model.OrganizationID
	Account      model.AccountID
	Match        string // of the header If-Match; empty: whatever the member is
	Change       scim.Change[scim.User]
}

// ScimOutcome is a member after a call.
type ScimOutcome struct {
	User     scim.User
	Disabled bool // by the call, or taken out of the organization
	Enabled  bool // by the call
}

// Why a change ends without a line in the audit log.
var (
	errUnchanged = errors.New("nothing is another") // so nothing was done
	errLeaves    = errors.New("it leaves")          // so the organization does that, and nothing else was done
)

// ScimChange changes a member, all or nothing, and has the directory keep it from then on. Whom it makes inactive is
// disabled, and all its keys, sessions and streams end. An account about which the organization does not decide alone,
// since another one created it or it is in another one, leaves the organization instead: what the others gave it is not
// the directory's to take.
func (p *People) ScimChange(ctx context.Context, actor *model.Actor, c ScimCommand) (out ScimOutcome, err error) {
	if err := actor.MayAdminister(c.Organization); err != nil {
		return out, err
	}
	err = p.store.View(ctx, func(tx *store.Tx) error { // nothing is locked for what nobody is
		member, err := tx.IsMember(c.Organization, c.Account)
		if err == nil && !member {
			err = model.Missing()
		}
		return err
	})
	if err != nil {
		return out, err
	}
	h := scimChange{p: p, caller: actor, command: &c, salt: audit.NewSalt()}
	err = audit.ActRenaming(ctx, p.store, p.now(), actor, model.ActionUserUpdate, h.do)
	switch {
	case errors.Is(err, errUnchanged):
		return ScimOutcome{User: h.after}, nil
	case errors.Is(err, errLeaves):
		h.after = h.before
		h.after.Active = false
		return ScimOutcome{User: h.after, Disabled: true}, p.ScimRemove(ctx, actor, c.Organization, c.Account, c.Match)
	case errors.Is(err, store.ErrConflict):
		return out, scim.NameTaken("userName")
	case err != nil:
		return out, blame(err)
	}
	if h.switched {
		p.access.Switched(ctx, c.Account, !h.after.Active)
	}
	p.membershipChanged(ctx, c.Account)
	if err := p.tellColleagues(context.WithoutCancel(ctx), c.Account, h.shown); err != nil {
		p.log.ErrorContext(ctx, "readers are not told of a changed person", "error", err)
	}
	return ScimOutcome{User: h.after, Disabled: h.switched && !h.after.Active, Enabled: h.switched && h.after.Active}, nil
}

// scimChange is one call of ScimChange.
type scimChange struct {
	p       *People
	caller  *model.Actor
	command *ScimCommand
	salt    []byte

	actor         *model.Actor // as it is inside the transaction
	target        access.Target
	membership    model.Membership
	kept          *provision.Person
	before, after scim.User
	fields        map[string]bool // that are another
	left          int             // phone numbers that were not kept
	changed       *auditlog.Names
	switched      bool
	shown         []model.Membership // in which others see that it changed
}

// do makes the change within a transaction.
func (h *scimChange) do(tx *store.Tx, line *model.AuditEntry) (*auditlog.Names, error) {
	if err := h.read(tx); err != nil {
		return nil, err
	}
	wanted, err := h.command.Change(h.before)
	if err != nil {
		return nil, err
	}
	line.User = h.target.ID
	alone := access.Rules(h.actor, &h.target)
	if h.before.Active && !wanted.Active && !alone {
		return nil, errLeaves
	}
	renames := access.MayRename(h.actor, &h.target)
	if err := h.rename(tx, &wanted, renames); err != nil {
		return nil, err
	}
	if err := h.keep(tx, &wanted); err != nil {
		return nil, err
	}
	if err := h.retitle(tx, &wanted); err != nil {
		return nil, err
	}
	if err := h.turn(tx, &wanted, alone); err != nil {
		return nil, err
	}
	h.after = scimUser(&h.target.Account, &h.membership, h.kept)
	h.after.Active = wanted.Active
	if len(h.fields) == 0 {
		return nil, errUnchanged
	}
	return h.changed, h.note(tx, line, renames == nil)
}

// read finds the member, and locks what has to stay as it is.
func (h *scimChange) read(tx *store.Tx) (err error) {
	h.fields, h.left, h.changed, h.switched, h.shown, h.kept = map[string]bool{}, 0, nil, false, nil, nil
	c := h.command
	if err := access.LockOrganizationsOf(tx, c.Account); err != nil {
		return err
	}
	if err := tx.LockQueues(c.Account); err != nil {
		return err
	}
	if h.target, h.actor, err = h.p.access.StillWhole(tx, h.caller, c.Account); err != nil {
		return err
	}
	if err := h.actor.MayAdminister(c.Organization); err != nil {
		return err
	}
	if err := access.MayGiveAccess(h.actor); err != nil {
		return err
	}
	member := false
	if h.membership, member = h.target.In(c.Organization); !member {
		return model.Missing()
	}
	person, found, err := provision.Of(tx, c.Organization, c.Account)
	if err != nil {
		return err
	}
	if found {
		h.kept = &person
	}
	h.before = scimUser(&h.target.Account, &h.membership, h.kept)
	return scim.WantVersion(c.Match, h.before.Version())
}

// rename changes the account itself, where that is another one then and the directory may: refused is why not. What an
// address is for is no reason: a directory says it of all, and of whom it may not change that is passed over.
func (h *scimChange) rename(tx *store.Tx, wanted *scim.User, refused error) error {
	before := h.target.Account
	// The user name follows the userName, but for one that somebody signed in with before a directory kept it.
	name := before.Username
	follows := name == "" || h.kept != nil && strings.EqualFold(name, h.kept.Name)
	if follows && h.before.Name != wanted.Name {
		name = username(wanted.Name)
	}
	after, left, err := h.p.scimAccount(tx, &before, name, wanted)
	if err != nil {
		return err
	}
	if refused != nil {
		keepTypes(&after, &before)
	}
	h.left = left
	h.changed = changedNames(&before, &after, h.salt)
	if h.changed != nil {
		for _, field := range fieldsOf(h.changed) {
			h.fields[field] = true
		}
	}
	for field, same := range map[string]bool{"emails": slices.Equal(before.Emails, after.Emails),
		"phones": slices.Equal(before.Phones, after.Phones)} {
		if !same {
			h.fields[field] = true
		}
	}
	if len(h.fields) == 0 {
		return nil
	}
	if refused != nil {
		return refused
	}
	if err := h.p.access.WantFree(tx, after.ID, values(wantedEmails(wanted))...); err != nil {
		return err
	}
	if err := tx.UpdatePerson(&before, &after); err != nil {
		return err
	}
	for _, m := range h.target.Memberships {
		if err := search.IndexAccount(tx, &after, m); err != nil {
			return err
		}
	}
	h.target.Account, h.shown = after, h.target.Memberships
	return tx.QueueSettings(after.ID, "")
}

// keep notes what the directory calls the member.
func (h *scimChange) keep(tx *store.Tx, wanted *scim.User) error {
	person := provision.Person{Organization: h.command.Organization, Account: h.target.ID, Name: wanted.Name,
		ExternalID: wanted.ExternalID}
	if h.kept != nil && *h.kept == person {
		return nil
	}
	h.kept = &person
	h.fields["directory"] = true
	return named(tx, person)
}

// retitle changes what the member is in the organization.
func (h *scimChange) retitle(tx *store.Tx, wanted *scim.User) error {
	for field, another := range map[string]bool{"title": model.TidyName(wanted.Title) != h.membership.Title,
		"department": model.TidyName(wanted.Department) != h.membership.Department} {
		if another {
			h.fields[field] = true
		}
	}
	changed, err := h.p.retitle(tx, h.actor, &h.target, h.command.Organization, &wanted.Title, &wanted.Department)
	if err != nil || !changed {
		return err
	}
	h.membership, _ = h.target.In(h.command.Organization)
	if h.shown == nil {
		h.shown = []model.Membership{h.membership}
	}
	return nil
}

// turn disables the account or enables it. Nobody's directory decides about an account alone that others have too.
func (h *scimChange) turn(tx *store.Tx, wanted *scim.User, alone bool) error {
	if h.before.Active == wanted.Active {
		return nil
	}
	if !alone {
		return model.NotAllowed()
	}
	h.switched = true
	h.fields["active"] = true
	if err := access.Switch(tx, &h.target, !wanted.Active); err != nil || wanted.Active {
		return err
	}
	return access.EndKeys(tx, h.target.ID)
}

// note writes the lines of the audit log: of the account's home where the directory decides what it is called, else of
// the organization, with one at home. Whoever is disabled, or enabled, has a line that says so.
func (h *scimChange) note(tx *store.Tx, line *model.AuditEntry, home bool) error {
	delete(h.fields, "active")
	line.Detail = strings.TrimSpace("scim " + given(h.fields))
	if h.left > 0 {
		line.Detail += " phones_left_out=" + strconv.Itoa(h.left)
	}
	if h.changed != nil {
		line.Action = model.ActionUserRename
	}
	if !home {
		audit.OnOrganization(line, h.command.Organization)
		return access.TellHome(tx, h.actor, line, &h.target.Account)
	}
	if err := audit.OnAccount(tx, line, &h.target.Account); err != nil || !h.switched {
		return err
	}
	action := model.ActionUserEnable
	if !h.after.Active {
		action = model.ActionUserDisable
	}
	if len(h.fields) == 0 {
		line.Action, line.Detail = action, "scim"
		return nil
	}
	told := *line
	told.Action, told.Detail = action, "scim"
	return audit.RecordOf(tx, h.actor, &told)
}

package access

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/erasure"
)

// Address reads an address into the one form under which it is stored and compared. A
// letter with a mark can be written as one character or as two, which no reader can tell
// apart by looking: that is one address.
func (c *Control) Address(text string) model.Address { return readAddress(text, c.region) }

func readAddress(text, region string) model.Address {
	address := model.ParseAddress(norm.NFC.String(text), func(text string) (string, bool) { return number(text, region) })
	if address.Kind == model.EmailAddress {
		address.Value = Email(text)
	}
	return address
}

// Number reads a phone number into E.164.
func (c *Control) Number(text string) (string, bool) { return number(text, c.region) }

// Names reports whether a text is an address of the account, in whatever form it is stored.
func (c *Control) Names(a *model.Account, text string) bool {
	own := a.Addresses()
	return slices.ContainsFunc(spellings(text, c.region), func(s model.Address) bool { return slices.Contains(own, s) })
}

// WantFree refuses addresses that an account has under another form than today's. Whether it has
// them under today's is found when they are claimed. What the account itself has is free to it;
// zero stands for a new one.
func (c *Control) WantFree(tx *store.Tx, account model.AccountID, texts ...string) error {
	for _, text := range texts {
		if owner, kind, taken, err := c.FormerOwner(tx, text); err != nil {
			return err
		} else if taken && owner != account {
			return model.AddressTaken(kind)
		}
	}
	return nil
}

// FormerOwner returns the account that has an address under another form than today's.
func (c *Control) FormerOwner(tx *store.Tx, text string) (owner model.AccountID, kind model.AddressKind, taken bool,
	err error) {
	today := c.Address(text)
	for _, former := range spellings(text, c.region) {
		if former == today {
			continue
		}
		if owner, taken, err = tx.AccountAt(former); taken || err != nil {
			return owner, former.Kind, taken, err
		}
	}
	return model.AccountID{}, today.Kind, false, nil
}

// FindAccount returns the account that an address names, for the operator.
func FindAccount(ctx context.Context, kept *store.Store, region, text string) (id model.AccountID, err error) {
	err = kept.View(ctx, func(tx *store.Tx) (err error) {
		var found bool
		if id, found, err = accountAt(tx, spellings(text, region)); err == nil && !found {
			err = model.Missing()
		}
		return err
	})
	return id, err
}

// accountAt returns the account that an address names, in the first of its spellings under
// which there is one.
func accountAt(tx *store.Tx, spelled []model.Address) (id model.AccountID, found bool, err error) {
	for _, address := range spelled {
		if address.Kind == model.TokenAddress {
			id = model.AccountID(address.Token)
			found, err = tx.AccountExists(id)
		} else {
			id, found, err = tx.AccountAt(address)
		}
		if found || err != nil {
			break
		}
	}
	return id, found, err
}

// Resolve finds what an address names: an account, or a group where groups are
// allowed (contract, section 2). It does not ask whether the actor may know.
func (c *Control) Resolve(tx *store.Tx, actor *model.Actor, text string, groups bool) (entity model.EntityID, group,
	found bool, err error) {
	if strings.EqualFold(text, "me") {
		return model.EntityID(actor.Account), false, true, nil
	}
	address := c.Address(text)
	account, found, err := accountAt(tx, spellings(text, c.region))
	if err != nil || found || !groups || address.Kind != model.TokenAddress {
		return model.EntityID(account), false, found, err
	}
	g, found, err := tx.Group(model.GroupID(address.Token))
	return address.Token, true, found && !g.Deleted, err
}

// ResolvePlaced is Resolve where groups are allowed, and finds where an account belongs. Of
// an account that the actor does not see, of a group, and of what does not exist, it reads as
// much: else the time that it takes would tell which of these a name or a token is.
func (c *Control) ResolvePlaced(tx *store.Tx, actor *model.Actor, text string) (entity model.EntityID, group,
	found bool, theirs []model.OrganizationID, err error) {
	entity, group, found, err = c.Resolve(tx, actor, text, true)
	if err != nil || group && found { // its caller reads the group
		return entity, group, found, nil, err
	}
	theirs, err = tx.OrganizationsOf(model.AccountID(entity))
	seen := actor.Operator || model.AccountID(entity) == actor.Account || slices.ContainsFunc(theirs, actor.MemberOf)
	if err == nil && found && !seen && c.Address(text).Kind == model.TokenAddress {
		_, _, err = tx.Group(model.GroupID(entity))
	}
	return entity, group, found, theirs, err
}

// Named is what an address names, without asking whether a token is anything's; zero where
// another address is nobody's.
func (c *Control) Named(tx *store.Tx, actor *model.Actor, text string) (entity model.EntityID, token bool, err error) {
	if address := c.Address(text); address.Kind == model.TokenAddress {
		return address.Token, true, nil
	}
	entity, _, _, err = c.Resolve(tx, actor, text, false)
	return entity, false, err
}

// ResolveAccount finds the account that an address names, or answers Missing.
func (c *Control) ResolveAccount(tx *store.Tx, actor *model.Actor, text string) (model.AccountID, error) {
	entity, _, found, err := c.Resolve(tx, actor, text, false)
	if err == nil && !found {
		err = model.Missing()
	}
	return model.AccountID(entity), err
}

// IsSelf reports whether an address names the actor's own account. It says no
// where it cannot find out.
func (c *Control) IsSelf(ctx context.Context, actor *model.Actor, address string) bool {
	self := false
	err := c.store.View(ctx, func(tx *store.Tx) error {
		id, err := c.ResolveAccount(tx, actor, address)
		self = err == nil && id == actor.Account
		return err
	})
	return err == nil && self
}

// Target is an account that a call is about. Of the actor's own there are the memberships
// that its key acts in.
type Target struct {
	model.Account
	Memberships []model.Membership
}

// In returns the target's place in an organization.
func (t *Target) In(organization model.OrganizationID) (model.Membership, bool) {
	return model.MembershipIn(organization, t.Memberships)
}

// SeenBy shows the account to the actor: addresses only where it may see them, title and
// department of the organization of the call, else of the one of both that the account has
// belonged to longest.
func (t *Target) SeenBy(actor *model.Actor, organization model.OrganizationID) model.Entity {
	account := t.Account
	if !actor.MaySeeAddresses(account.ID, t.Memberships) {
		account.Emails, account.Phones = nil, nil
	}
	account.Disabled = account.Disabled && t.showsDisabledTo(actor)
	entity := model.Entity{Account: &account}
	common := actor.Shared(t.Memberships)
	if organization == "" && len(common) > 0 {
		organization = common[0]
	}
	if m, ok := t.In(organization); ok && (actor.MemberOf(organization) || actor.Administers(organization)) {
		entity.Organization, entity.Title, entity.Department = organization, m.Title, m.Department
	}
	return entity
}

// showsDisabledTo reports whether the actor is shown that the account is disabled: an
// operator, or an administrator of one of its organizations, or of the one that created it.
func (t *Target) showsDisabledTo(actor *model.Actor) bool {
	return actor.Administers(t.CreatedBy) ||
		slices.ContainsFunc(t.Memberships, func(m model.Membership) bool { return actor.Administers(m.Organization) })
}

// Target loads the account that an address names, with its memberships, or
// answers Missing. It does not ask whether the actor may know. Of an account that the actor
// does not see, and of nobody, the same is read: else the time that it takes would tell who
// has an account.
func (c *Control) Target(tx *store.Tx, actor *model.Actor, text string) (t Target, err error) {
	entity, _, _, err := c.Resolve(tx, actor, text, false)
	if err != nil {
		return t, err
	}
	id := model.AccountID(entity)
	account, found, err := tx.Account(id)
	if err != nil {
		return t, err
	}
	memberships, err := tx.Memberships(id)
	if err != nil {
		return t, err
	}
	if id == actor.Account {
		if !found {
			return t, WrongCredentials() // it was erased a moment ago, and its key with it
		}
		return Target{Account: account, Memberships: actor.Key.Within(memberships)}, nil
	}
	if len(memberships) == 0 || !actor.MaySee(id, memberships) {
		ended, err := erasure.Erases(tx, id)
		if err != nil {
			return t, err
		}
		if !found || ended && len(memberships) == 0 { // only its rows are there yet
			return t, model.Missing()
		}
	}
	return Target{Account: account, Memberships: memberships}, nil
}

// LockedTarget is Target for changes to several things of the account: no other
// transaction changes them until this one ends. Whom may refuses is not locked.
func (c *Control) LockedTarget(tx *store.Tx, actor *model.Actor, text string, may func(*Target) error) (t Target,
	err error) {
	if t, err = c.Target(tx, actor, text); err == nil {
		err = may(&t)
	}
	if err != nil || !tx.Locks() {
		return t, err
	}
	if err := tx.LockQueues(t.ID); err != nil {
		return t, err
	}
	return c.Target(tx, actor, text)
}
